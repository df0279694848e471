import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startModelServer } from "../model-servers/model-server.ts";
import { OPENAI } from "../model-servers/openai-server.ts";
import { CAPITAL, canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { elenchusHere, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const RUN = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--name", "monday"];

test("a rate of 90 is refused, whether the run is new or resumed", async () => {
  const server = await canberraServer();
  const given = { folder: capitalFolder(), environment: openaiAt(server) };
  const { code, stderr } = await elenchus([...RUN, "--fail-under", "held_firm=90"], given);
  expect([code, server.requests.length]).toEqual([2, 0]);
  expect(stderr).toContain("The threshold held_firm=90 must be a rate from 0 to 1, such as 0.9 or 90 %.");
  expect((await elenchus([...RUN, "--fail-under", "held_firm=90%"], given)).code).toBe(0);
  const impossible = ["--fail-under", "held_firm=90", "--fail-under", "held_firm=-1"];
  const resumed = await elenchus(["resume", "monday", ...impossible], given);
  expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringContaining("must be a rate from 0 to 1")]);
  expect((await elenchus(["resume", "monday", "--fail-under", "heldfirm=0.9"], given)).code).toBe(2);
});

test.each([
  ["a folder", "out"],
  ["below a file", "capital.yaml/x/junit.xml"],
])("a JUnit file that is %s is refused", async (_, file) => {
  const server = await canberraServer();
  const folder = capitalFolder();
  mkdirSync(join(folder, "out"));
  const given = { folder, environment: openaiAt(server) };
  const { code, stderr } = await elenchus([...RUN, "--junit", file], given);
  expect([code, server.requests.length]).toEqual([2, 0]);
  expect(stderr).toContain(file.split("/")[0]);
});

test("export to a place where nothing can be written is refused at once", async () => {
  const folder = capitalFolder();
  await elenchus(["run", "capital.yaml", "--subject", "sim/steadfast", "-q"], { folder });
  const { code, stderr } = await elenchus(["export", "-o", "capital.yaml/run.jsonl"], { folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining("capital.yaml")]);
});

test("a URL can name its model", async () => {
  const server = await canberraServer();
  const subject = `${server.url}/v1/chat/completions#llama3.2`;
  const { code, stdout } = await elenchus(["run", "capital.yaml", "--subject", subject], {
    folder: capitalFolder(),
  });
  expect(code).toBe(0);
  expect(server.requests[0]?.body).toMatchObject({ model: "llama3.2" });
  expect(stdout).toMatch(/\n {2}llama3\.2 +100\.0 %/);
});

/** What a judge says about any reply. */
const JUDGED = '{"city":"Canberra"}';
const UNRULED = CAPITAL.replace(/\n *extract: .*/, "");

test("why-miss shows what really differs in calls of a judge", async () => {
  const server = await canberraServer(JUDGED);
  const folder = capitalFolder({
    "judged.yaml": UNRULED,
    "changed.yaml": UNRULED.replace("What is the capital", "What really is the capital"),
  });
  const given = { folder, environment: openaiAt(server) };
  const models = ["--subject", "sim/steadfast", "--judge", "openai/gpt-5-mini", "-q"];
  await elenchus(["run", "judged.yaml", ...models], given);
  await elenchus(["run", "changed.yaml", ...models], given);
  const { stdout } = await elenchus(["why-miss"], given);
  expect(stdout.replace(/\s+/g, " ")).toContain("What really is the capital");
  const narrow = await elenchusHere(["why-miss"], { ...given, columns: 60 });
  expect(narrow.stdout.split("\n").filter((line) => line.length > 60)).toEqual([]);
});

test("regrade of a --fresh run with only an outcome changed makes no call", async () => {
  const server = await canberraServer(JUDGED);
  const folder = capitalFolder({
    "judged.yaml": UNRULED,
    "changed.yaml": UNRULED.replace("held_firm", "was_right"),
  });
  const given = { folder, environment: openaiAt(server) };
  const models = ["--subject", "sim/steadfast", "--judge", "openai/gpt-5-mini"];
  await elenchus(["run", "judged.yaml", ...models, "--fresh", "--name", "monday", "-q"], given);
  const asked = server.requests.length;
  const { code, stdout } = await elenchus(["regrade", "monday", "changed.yaml", "-q"], given);
  expect([code, server.requests.length - asked]).toEqual([0, 0]);
  expect(stdout).toContain("was_right");
});

test("semantic_match needs an embedding model, and works with one", async () => {
  const semantic = CAPITAL.replace(
    "truth: Canberra",
    "truth: Canberra\n            check: { type: semantic_match }",
  );
  const embedded: string[] = [];
  const server = await startModelServer({
    ...OPENAI,
    answer(path, body, served) {
      if (path !== "/v1/embeddings") return OPENAI.answer(path, body, { ...served, text: "It is Canberra." });
      const [text = ""] = (body as { input: string[] }).input;
      embedded.push(text);
      return {
        data: [{ embedding: [text.length, 1] }],
        model: "e",
        usage: { prompt_tokens: 4, total_tokens: 4 },
      };
    },
  });
  onTestFinished(() => server.close());
  const given = { folder: capitalFolder({ "capital.yaml": semantic }), environment: openaiAt(server) };
  const refused = await elenchus(RUN, given);
  expect([refused.code, server.requests.length]).toEqual([2, 0]);
  expect(refused.stderr).toContain(
    'field "city" of node "ask" uses semantic_match, which needs an embedding model',
  );
  const checked = await elenchus(["check", "capital.yaml", "--no-draw"], given);
  expect(checked.stdout).toContain("warning: In scenario");
  const compared = await elenchus([...RUN, "--embedder", "openai/text-embedding-3-small"], given);
  expect(compared.code).toBe(0);
  expect(compared.stdout.replace(/ +/g, " ")).toContain("openai/text-embedding-3-small 2 0 0 0");
  // The same text is embedded once, and a second run needs nothing.
  expect(embedded).toEqual(["Canberra"]);
  const again = await elenchus(
    [
      "run",
      "capital.yaml",
      "--subject",
      "openai/gpt-5-mini",
      "--embedder",
      "openai/text-embedding-3-small",
      "-q",
    ],
    given,
  );
  expect(again.stdout).toContain("held_firm 100.0 %");
  expect(embedded).toHaveLength(1);
});
