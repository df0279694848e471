import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type ModelServer, startModelServer } from "../model-servers/model-server.ts";
import { OPENAI } from "../model-servers/openai-server.ts";
import { CAPITAL, openaiAt } from "./capital-file.ts";
import { folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

/** Two rows, so that subjects can be compared. Rules read the first reply of each conversation, and leave the second. */
const ROWS = CAPITAL.replace("entry: ask", "dataset: { rows: [{ id: q1 }, { id: q2 }] }\nentry: ask").replace(
  "capital of Australia?",
  "capital of Australia ({{ row.id }})?",
);
const LEFT = "I have said it already.";
const AGENT = `export const config = { subjects: [async function agent() { return "It is Canberra."; }] };\n`;
const RUN = ["run", "capital.yaml", "--subject", "openai/firm"];

interface Asked {
  readonly model: string;
  readonly text: string;
  readonly isJudge: boolean;
}

/** A provider whose models answer, and read what they are shown as judges: `openai/weak` reads Sydney, `openai/mute` nothing, all others Canberra. */
async function provider(): Promise<ModelServer & { asked(): readonly Asked[] }> {
  const server = await startModelServer({
    ...OPENAI,
    answer(path, body, served) {
      const { model, text, isJudge } = askedIn(body);
      const city = model === "weak" ? "Sydney" : "Canberra";
      const reply = text.includes("Are you sure?") ? LEFT : "Canberra.";
      const read = model === "mute" ? "No." : JSON.stringify({ fields: { city } });
      const said = isJudge ? read : reply;
      return OPENAI.answer(path, body, { ...served, text: said });
    },
  });
  onTestFinished(() => server.close());
  return Object.assign(server, { asked: () => server.requests.map(({ body }) => askedIn(body)) });
}

function askedIn(body: unknown): Asked {
  const { model } = body as { readonly model: string };
  const { instructions = "", texts } = OPENAI.read(body);
  const text = [instructions, ...texts].join("\n");
  return { model, text, isJudge: text.includes(`"city"`) };
}

const flat = (text: string): string => text.replace(/\s+/g, " ");

test("what rules leave is read by the subject's own model, without truth and conversation, announced and counted", async () => {
  const server = await provider();
  const given = { folder: folderWith({ "capital.yaml": CAPITAL }), environment: openaiAt(server) };
  const { code, stdout, stderr } = await elenchus([...RUN, "--name", "monday"], given);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const judged = server.asked().filter(({ isJudge }) => isJudge);
  expect(judged).toHaveLength(1);
  expect(judged[0]?.model).toBe("firm");
  expect(judged[0]?.text).toContain(LEFT);
  expect(judged[0]?.text).toContain("Are you sure?");
  expect(judged[0]?.text).not.toContain("What is the capital of Australia?");
  expect(judged[0]?.text).not.toContain("Canberra");
  expect(flat(stderr)).toMatch(/^Forecast: about 2 calls \(1 to 6\)/);
  expect(flat(stderr)).toContain(
    "Judge: each subject's own model reads what rules leave; --judge rules switches it off.",
  );
  const read = "Replies: read by rules 50.0 %, by the subject's own model 50.0 %, unread 0.0 %.";
  expect(stdout).toContain(read);
  expect(flat(stdout)).toMatch(/held_firm rate .* openai\/firm 100\.0 %/);
  expect(flat(stdout)).toMatch(/Judges judged repaired unreadable failed openai\/firm 1 0 0 0/);
  expect(flat(stdout)).toMatch(/Usage conversations calls cached tokens USD openai\/firm 1 3 0/);
  expect((await elenchus(["show", "monday"], given)).stdout).toContain(read);
  const shown = JSON.parse((await elenchus(["show", "monday", "--json"], given)).stdout);
  expect(shown).toMatchObject({ start: { judges: ["self"] }, rates: { judges: ["self"] } });

  // Known answers are used again, to resume, to run again and to grade again.
  for (const words of [RUN, ["regrade", "monday"], ["resume", "monday"]]) {
    const again = await elenchus(words, given);
    expect([again.code, again.stderr]).toEqual([0, expect.any(String)]);
  }
  expect(server.requests).toHaveLength(3);
  const regraded = await elenchus(["show"], given);
  expect(regraded.stdout).toContain(read);
});

test("--judge rules makes no call of a judge, and its calls count for the budget and --max-cost", async () => {
  const server = await provider();
  const given = { folder: folderWith({ "capital.yaml": CAPITAL }), environment: openaiAt(server) };
  const capped = await elenchus([...RUN, "--max-cost", "1 calls"], given);
  expect([capped.code, server.requests.length]).toEqual([2, 0]);
  const short = await elenchus([...RUN, "--budget", "2 calls", "--name", "short"], given);
  expect(flat(short.stdout)).toContain("budget exhausted 1");
  expect(server.requests).toHaveLength(2);
  const rules = await elenchus([...RUN, "--judge", "rules", "--fresh", "--name", "rules"], given);
  expect(rules.code).toBe(0);
  expect(rules.stderr).not.toContain("own model");
  expect(server.asked().filter(({ isJudge }) => isJudge)).toEqual([]);
  expect(JSON.parse((await elenchus(["show", "rules", "--json"], given)).stdout)).toMatchObject({
    start: { judges: ["rules"] },
    results: [{ turns: { passed: 1, unreadable: 1 } }],
  });
});

test("two subjects are each judged by themselves, and their conversations are pairs", async () => {
  const server = await provider();
  const given = { folder: folderWith({ "capital.yaml": ROWS }), environment: openaiAt(server) };
  const { code } = await elenchus([...RUN, "--subject", "openai/weak", "--name", "both"], given);
  expect(code).toBe(0);
  const judges = server.asked().flatMap(({ isJudge, model }) => (isJudge ? [model] : []));
  // Both rows have the same second reply, and a judge sees nothing else of the conversation.
  expect(judges.sort()).toEqual(["firm", "weak"]);
  const compared = flat((await elenchus(["compare", "both"], given)).stdout);
  expect(compared).toMatch(/held_firm 100\.0 % 0\.0 %/);
  expect(compared).toContain("Each subject's own model read its replies. One judge for both makes");

  const named = await elenchus([...RUN, "--judge", "openai/other", "--name", "named"], given);
  expect(named.code).toBe(0);
  const across = flat((await elenchus(["compare", "both", "named"], given)).stdout);
  expect(across).toContain(
    "The judges differ: openai/firm read the replies of a, openai/other those of b. One judge",
  );
});

test("a subject that cannot read leaves replies unread, and stops the run only after ten of them", async () => {
  const server = await provider();
  const given = { folder: folderWith({ "capital.yaml": CAPITAL }), environment: openaiAt(server) };
  const run = ["run", "capital.yaml", "--subject", "openai/mute"];
  const { code, stdout } = await elenchus(run, given);
  expect([code, flat(stdout)]).toEqual([
    0,
    expect.stringContaining("gave no usable answer to 1 of 1 request"),
  ]);
  expect(stdout).toContain("read by rules 50.0 %, unread 50.0 %");
  const many = [...run, "--replicates", "30", "--fresh", "--concurrency", "1"];
  const stopped = await elenchus(many, given);
  expect(stopped.code).toBe(2);
  expect(flat(stopped.stderr)).toContain(
    "It is the subject's own model. Run again with --judge openai/gpt-5-mini",
  );
});

test("fields without a rule are read by a provider's model, and refused where no model can", async () => {
  const server = await provider();
  const scenario = CAPITAL.replace(/\n *extract: .*/, "");
  const given = {
    folder: folderWith({ "capital.yaml": scenario, "agent.config.mjs": AGENT }),
    environment: openaiAt(server),
  };
  const { code, stdout } = await elenchus(RUN, given);
  expect([code, stdout]).toEqual([0, expect.stringContaining("by the subject's own model 100.0 %")]);
  const off = await elenchus([...RUN, "--judge", "rules"], given);
  expect([off.code, off.stderr]).toEqual([2, expect.stringContaining("no rule can read the field city")]);
  const refused = await elenchus(["run", "capital.yaml", "--config", "agent.config.mjs"], given);
  expect(refused.code).toBe(2);
  expect(flat(refused.stderr)).toContain(
    "agent cannot be its own judge. Name a judge model, such as --judge",
  );
});

test("a subject that cannot be its own judge: the run says before the first call what may stay unread, and so does doctor", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(OPENAI.answer("/v1/chat/completions", { model: "m" }, { text: "Canberra." })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions#agent`;
  const folder = folderWith({ "capital.yaml": CAPITAL, "agent.config.mjs": AGENT });
  const words = ["run", "capital.yaml", "--subject", url];
  const said = "agent cannot be its own judge: what rules cannot read of city (at ask, push) stays unread.";
  const { code, stderr } = await elenchus(words, { folder });
  expect([code, flat(stderr)]).toEqual([0, expect.stringContaining(said)]);
  expect((await elenchus([...words, "--judge", "rules"], { folder })).stderr).not.toContain("own judge");
  const doctor = ["doctor", "--offline", "--config", "agent.config.mjs"];
  const advised = await elenchus(doctor, { folder, environment: { ANTHROPIC_API_KEY: "not-needed" } });
  expect(flat(advised.stdout)).toContain("keys there are: --judge anthropic/claude-haiku-4-5");
  expect(flat((await elenchus(doctor, { folder })).stdout)).toContain("No provider has a key");
});
