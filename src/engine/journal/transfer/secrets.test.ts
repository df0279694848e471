import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chainOf, memoryModel } from "../../../../test/engine/held.ts";
import { program } from "../../../../test/tool-servers/program.ts";
import { httpModel } from "../../models/http/http-model.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import { openStore } from "../store/open-store.ts";
import { exportRun } from "./export-run.ts";
import { cassetteFromRun } from "./stored-run.ts";
import { toCsv, toJson } from "./table-text.ts";
import { conversationTable, outcomeTable, turnTable } from "./tables.ts";

/** Keys that look like none, so that only who knows them can take them out. */
const planted = {
  key: "kolibri-4711-abendrot",
  header: "zeppelin-8812-morgentau",
  openHeader: "marzipan-3391-nachtwind",
  query: "pfeffer-7707-hagebutte",
  option: "turmalin-9034-lavendel",
  environment: "quarzit-6148-holunder",
} as const;

/** A server that answers well, or says everything that it was sent in an error. */
async function indiscreetServer(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const told = `${request.url} ${JSON.stringify(request.headers)} ${body}`;
      const fails = body.includes("Question 1?");
      response.statusCode = fails ? 400 : 200;
      response.setHeader("content-type", "application/json");
      response.setHeader("x-echo", encodeURIComponent(told).slice(0, 4000));
      const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "yes" } }];
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const base64 = Buffer.from(told).toString("base64");
      response.end(
        JSON.stringify(
          fails
            ? { error: { message: `Refused: ${told} ${encodeURIComponent(told)} ${base64}`, told } }
            : { id: "1", created: 1, model: "m", object: "chat.completion", choices, usage },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Everything that is ever written about a run, by where it is written; also what it came to. */
async function written(options: Partial<RunOptions>): Promise<{
  readonly statuses: readonly (string | null)[];
  readonly texts: Readonly<Record<string, string>>;
}> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = await openStore(join(folder, "elenchus.db"));
  const run = runScenarios({
    allowUnread: true,
    scenarios: chainOf(2),
    subjects: "none",
    ...options,
    store,
    run: "r",
  });
  const events: unknown[] = [];
  for await (const event of run) events.push(event);
  const tables = [turnTable(store, "r"), conversationTable(store, "r"), outcomeTable(store, "r")];
  const texts: Record<string, string> = {
    events: JSON.stringify([events, await run.results]),
    runs: JSON.stringify([store.runs(), store.results("r")]),
    export: [...exportRun(store, "r")].join("\n"),
    cassette: cassetteFromRun(store, "r").toJsonLines(),
    csv: tables.flatMap((table) => [...toCsv(table)]).join(""),
    json: tables.flatMap((table) => [...toJson(table)]).join(""),
  };
  const statuses = [...store.conversations("r")].map(({ status }) => status);
  for (const isClosed of [false, true]) {
    if (isClosed) store.close();
    for (const file of readdirSync(folder))
      texts[`${file}${isClosed ? " closed" : ""}`] = readFileSync(join(folder, file), "latin1");
  }
  return { statuses, texts };
}

function leaks(texts: Readonly<Record<string, string>>, secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) => {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64").slice(2, -4)];
    return Object.entries(texts).flatMap(([place, text]) =>
      forms.some((form) => text.includes(form)) ? [`${secret} in ${place}`] : [],
    );
  });
}

test("keys of providers are nowhere", async () => {
  const host = await indiscreetServer();
  const { statuses, texts } = await written({
    subjects: {
      model: "gateway/model",
      parameters: {
        headers: { "x-session-token": planted.openHeader },
        providerOptions: { gateway: { apiKey: planted.option, tier: "flex" } },
      },
    },
    providers: {
      gateway: {
        kind: "openai-compatible",
        baseUrl: `http://${host}/v1?api_key=${planted.query}`,
        apiKeyVariable: "PLANTED_KEY",
        headers: { "x-api-key": planted.header },
      },
    },
    environment: { PLANTED_KEY: planted.key },
  });
  expect(statuses).toEqual(["error"]);
  expect(texts.events).toContain("Refused");
  expect(leaks(texts, Object.values(planted))).toEqual([]);
});

test("keys of endpoints are nowhere", async () => {
  const host = await indiscreetServer();
  const subject = httpModel({
    url: `http://${host}/chat?token=${planted.query}`,
    headers: { "x-api-key": planted.header, cookie: `session=${planted.openHeader}` },
    body: { messages: "{{messages}}", apiKey: planted.option },
    keyVariable: "PLANTED_KEY",
    environment: { PLANTED_KEY: planted.key },
  });
  const { statuses, texts } = await written({ subjects: subject });
  expect(statuses).toEqual(["error"]);
  expect(texts.events).toContain("Refused");
  expect(leaks(texts, Object.values(planted))).toEqual([]);
});

test("keys of tool servers are nowhere", async () => {
  const host = await indiscreetServer();
  const { statuses, texts } = await written({
    subjects: [memoryModel("subject", () => "yes")],
    tools: {
      broken: {
        ...program("hostile-server", "exits"),
        env: { PLANTED: "$PLANTED_KEY", OTHER: planted.option },
      },
      remote: {
        url: `http://${host}/mcp?api_key=${planted.query}`,
        headers: { authorization: `Bearer ${planted.environment}` },
      },
    },
    environment: { ...process.env, PLANTED_KEY: planted.key },
  });
  expect(statuses).toEqual(["error"]);
  // Both servers told what they should not have.
  expect(texts.events).toMatch(/cannot open \[redacted\]/);
  expect(leaks(texts, Object.values(planted))).toEqual([]);
});

test("the search for keys finds them", () => {
  const texts = { a: `x${planted.key}`, b: Buffer.from(`ab${planted.key}`).toString("base64") };
  expect(leaks({ a: texts.a }, [planted.key])).toEqual([`${planted.key} in a`]);
});
