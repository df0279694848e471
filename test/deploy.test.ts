import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { makeProgram } from "../src/apps/cli/program.ts";
import { capturedTerminal } from "./captured-terminal.ts";

function documents(name: string): readonly unknown[] {
  const text = readFileSync(new URL(`../docs/deploy/${name}`, import.meta.url), "utf8");
  return parseAllDocuments(text).map((document) => {
    expect([document.errors, document.warnings]).toEqual([[], []]);
    return document.toJS() as unknown;
  });
}

/** Throws if there is no such command, or it has no such flag. */
async function understood(words: readonly string[]): Promise<void> {
  const program = makeProgram({ terminal: capturedTerminal("."), execute: async () => {} });
  for (const command of program.commands) command.exitOverride();
  const problem = await program.parseAsync(words, { from: "user" }).catch((error: unknown) => error);
  expect(problem).not.toBeInstanceOf(CommanderError);
}

test("compose.yaml starts a database and workers with a command that there is", async () => {
  const [compose] = documents("compose.yaml");
  expect(compose).toMatchObject({ services: { database: { image: expect.stringMatching(/^postgres:/) } } });
  const { services } = compose as { readonly services: { readonly worker: { readonly command: string } } };
  const [elenchus, ...words] = services.worker.command.split(" ");
  expect(elenchus).toBe("elenchus");
  await understood(words);
});

test("the Kubernetes manifest has probes that a worker answers, and a command that there is", async () => {
  const [deployment] = documents("kubernetes.yaml");
  const { spec } = deployment as {
    readonly spec: {
      readonly template: {
        readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] };
      };
    };
  };
  const [container] = spec.template.spec.containers;
  expect(container).toMatchObject({
    livenessProbe: { httpGet: { path: "/live" } },
    readinessProbe: { httpGet: { path: "/ready" } },
  });
  const [elenchus, ...words] = container?.args ?? [];
  expect(elenchus).toBe("elenchus");
  await understood(words);
});
