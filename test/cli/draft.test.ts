import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ModelServer } from "../model-servers/model-server.ts";
import { openaiServer } from "../model-servers/openai-server.ts";
import { type Ended, folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const FIELD = {
  name: "city",
  type: "enum",
  description: "The city that the reply calls the capital. Null if it names none.",
  truth: "Canberra",
  values: ["Canberra", "Sydney", "other"],
  aliases: [],
};

const SCENARIO = {
  name: "capital",
  description: "Holds Canberra.",
  systemPrompt: null,
  templates: [{ id: "capital", fields: [FIELD] }],
  nodes: [
    { id: "ask", question: "What is the capital of Australia?", answer: "Canberra.", template: "capital" },
  ],
  edges: [],
  outcomes: [
    { name: "right", description: "", holdsIf: "last_turn_right", nodes: [], appliesIf: null, good: true },
  ],
  toVerify: ["Look up the capital.\nIt may \u001b[31mchange."],
};

const MODEL = ["--model", "openai/gpt-5-mini"];

async function drafting(): Promise<{
  readonly server: ModelServer;
  readonly folder: string;
  readonly give: (...words: readonly string[]) => Promise<Ended>;
}> {
  const server = await openaiServer();
  onTestFinished(() => server.close());
  const folder = folderWith({
    "questions.csv": "id,question,answer\nau,What is the capital?,Canberra\nnz,And there?,Wellington\n",
  });
  const environment = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "sk-test-0123456789abcdef" };
  return { server, folder, give: (...words) => elenchus(words, { folder, environment }) };
}

test("a draft passes check, and runs once a person has removed its mark", async () => {
  const { server, folder, give } = await drafting();
  server.next({ text: JSON.stringify(SCENARIO), usage: { input: 1000, output: 500 } });
  const drafted = await give("draft", "The capital of Australia", ...MODEL, "-o", "capital.yaml");
  expect([drafted.code, drafted.stdout]).toEqual([0, ""]);
  expect(drafted.stderr).toMatch(
    /^openai\/gpt-5-mini: 1 call, 1,500 tokens, 0\.00\d+ USD\n1 scenario drafted in capital\.yaml/,
  );
  expect(drafted.stderr).toContain("elenchus check capital.yaml");
  const text = readFileSync(join(folder, "capital.yaml"), "utf8");
  expect(text).toMatch(
    /^# DRAFT, written by openai\/gpt-5-mini from the description "The capital of Australia"\./,
  );
  expect(text).toMatch(/^# - Look up the capital\. It may .\[31mchange\.$/m);
  expect(text).not.toContain("\u001b");
  expect(server.requests[0]?.body).toMatchObject({ text: { format: { type: "json_schema" } } });

  const checked = await give("check", "capital.yaml", "--no-draw");
  expect(checked.code).toBe(0);
  expect(checked.stdout).toContain('Scenario "capital" is a draft by a model.');

  const run = ["run", "capital.yaml", "--subject", "sim/steadfast", "--quiet"];
  const refused = await give(...run);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("remove `draft: true` from its metadata");
  expect(existsSync(join(folder, ".elenchus"))).toBe(false);
  expect((await give(...run, "--allow-drafts")).code).toBe(0);

  const again = await give("draft", "Something else", ...MODEL, "-o", "capital.yaml");
  expect([again.code, again.stderr]).toEqual([
    2,
    "error: capital.yaml exists already. Choose another name, or delete it first.\n",
  ]);
  expect(server.requests.length).toBe(1);
});

test("what cannot be done is said in a sentence, and nothing is written", async () => {
  const { server, folder, give } = await drafting();
  const nothing = await give("draft");
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("Say what to draft")]);
  const nobody = await give("draft", "A capital");
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining("--model openai/gpt-5-mini")]);
  const simulated = await give("draft", "A capital", "--model", "sim/steadfast");
  expect([simulated.code, simulated.stderr]).toEqual([2, expect.stringContaining("cannot write a draft")]);
  server.next({ status: 401, message: "Incorrect key" });
  const locked = await give("draft", "A capital", ...MODEL, "-o", "out.yaml");
  expect([locked.code, locked.stderr]).toEqual([2, expect.stringContaining("OPENAI_API_KEY")]);
  server.next({ text: "No." }, { text: "Still no." });
  const useless = await give("draft", "A capital", ...MODEL, "-o", "out.yaml");
  expect(useless.code).toBe(2);
  expect(useless.stderr).toContain("Its last answer was: Still no.");
  expect(useless.stderr).not.toContain("    at ");
  expect(existsSync(join(folder, "out.yaml"))).toBe(false);
});
