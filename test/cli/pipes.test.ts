import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { capitalFolder } from "./capital-file.ts";
import { capitalFiles } from "./capitals.ts";
import { type Ended, folderWith, type Given, inOneProcess, inShell } from "./cli.ts";
import { patientServer } from "./patient-server.ts";

const elenchus = inOneProcess();

const RUN = ["run", "capitals", "--subject", "sim/waverer", "--subject", "sim/steadfast"];
/** Six countries, two subjects. */
const EACH = 12;
/** What a pipe holds, at the most. */
const PIPE = 65_536;
/** As many conversations as make an output that fits into no pipe. */
const MANY = 300;

function capitals(): Given {
  return { folder: folderWith(capitalFiles()) };
}

/** A command whose reader leaves after the first line; the code is that of the command. */
function headOf(words: readonly string[], where: Given): Promise<Ended> {
  return readUpTo("head -n 1", words, where);
}

/** The same for a reader that leaves when it has read enough. */
async function readUpTo(reader: string, words: readonly string[], where: Given): Promise<Ended> {
  const { stdout, stderr } = await inShell(`{ "$@"; echo $? > code; } | ${reader}`, words, where);
  return { code: Number(readFileSync(join(where.folder, "code"), "utf8")), stdout, stderr };
}

test("a reader that leaves disturbs nobody, and large outputs are whole", async () => {
  const where = capitals();
  const run = ["run", "capitals", "--subject", "sim/sycophant", "--replicates", String(MANY / 6), "--quiet"];
  const held = await elenchus(run, where);
  expect(held.stdout).toMatch(/^elenchus: 300 conversations, /);

  for (const words of [
    ["show", "--scenario", "canada"],
    ["export"],
    ["export", "--format", "csv"],
    ["show", "--json"],
  ]) {
    const { code, stdout, stderr } = await headOf(words, where);
    expect([words, code, stderr]).toEqual([words, 0, ""]);
    expect(stdout.split("\n")).toHaveLength(2);
  }

  const { stdout: turns } = await elenchus(["export", "--format", "json", "--table", "turns"], where);
  expect(turns.length).toBeGreaterThan(2 * PIPE);
  const rows = JSON.parse(turns) as readonly { readonly conversation: string }[];
  expect(new Set(rows.map(({ conversation }) => conversation)).size).toBe(MANY);
  // A reader that takes its time gets all of it, too.
  const slow = await inShell('"$@" | { read -r line; wc -l; }', ["export", "--format", "csv"], where);
  expect([Number(slow.stdout), slow.stderr]).toEqual([MANY, ""]);
});

test("a run whose reader leaves stops, and can be resumed", async () => {
  const where = capitals();
  const { code, stdout, stderr } = await headOf([...RUN, "--replicates", "20", "--json"], where);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ type: "run-start", conversations: 20 * EACH });
  expect(stderr).toMatch(
    /^The run was cut short: [\d,]+ conversations left\. Resume with: elenchus resume \w+\n$/,
  );
  const resumed = await elenchus(["resume", "--quiet"], where);
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  expect(resumed.stdout).toMatch(/^elenchus: 240 conversations; /);
});

test("calls under way when the reader leaves are stored, and not made again", async () => {
  const server = await patientServer(() => "It is Canberra.");
  const where = { folder: capitalFolder(), environment: server.environment };
  const words = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--replicates", "30", "--json"];
  const end = readUpTo("{ grep -m 1 turn-reply; touch left; }", words, where);
  await server.until((one) => one.waiting() === 30);
  server.answer(1);
  await vi.waitUntil(() => existsSync(join(where.folder, "left")), { timeout: 20_000 });
  server.open();
  expect((await end).code).toBe(0);
  expect((await elenchus(["resume", "--quiet"], where)).stdout).toMatch(/^elenchus: 30 conversations[,;] /);
  // Two turns each, of which each was asked once.
  expect(server.calls).toHaveLength(60);
});

test("files that a run was asked for are written, though nobody reads its output", async () => {
  const where = capitals();
  const words = [...RUN, "--junit", "results.xml", "--record", "calls.jsonl"];
  await inShell('{ "$@"; echo $? > code; } | true', words, where);
  expect(readFileSync(join(where.folder, "code"), "utf8")).toBe("0\n");
  expect(readFileSync(join(where.folder, "results.xml"), "utf8")).toMatch(/<\/testsuites>\s*$/);
  expect(existsSync(join(where.folder, "calls.jsonl"))).toBe(true);
});

test("events in a file are whole, and nothing else is", async () => {
  const where = capitals();
  const { code, stdout } = await inShell('"$@" > events.jsonl', [...RUN, "--json"], where);
  expect([code, stdout]).toEqual([0, ""]);
  const lines = readFileSync(join(where.folder, "events.jsonl"), "utf8").trimEnd().split("\n");
  const types = lines.map((line) => (JSON.parse(line) as { readonly type: string }).type);
  expect([types[0], types.at(-1)]).toEqual(["run-start", "run-end"]);
  expect(types.filter((type) => type === "conversation-end")).toHaveLength(EACH);
});

test("streams that are closed are missed by nobody", async () => {
  const where = capitals();
  const table = /\n +held_firm /;
  const onlyOutput = await inShell('"$@" <&- 2>&-', RUN, where);
  expect([onlyOutput.code, table.test(onlyOutput.stdout)]).toEqual([0, true]);
  const noOutput = await inShell('"$@" >&-', RUN, where);
  expect([noOutput.code, noOutput.stdout]).toEqual([0, ""]);
  expect(noOutput.stderr).toMatch(/12 of 12 conversations, .* took /);
  const nothing = await inShell('"$@" <&- >&- 2>&-', ["list"], where);
  expect(nothing).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await elenchus(["list"], where)).stdout.match(/ finished /g)).toHaveLength(2);
});

test("messages whose reader leaves disturb nobody", async () => {
  const where = capitals();
  const script = '{ { "$@"; echo $? > code; } 2>&1 >&3 | true; } 3>&1';
  const { stdout } = await inShell(script, RUN, where);
  expect(stdout).toMatch(/\n +held_firm /);
  expect(readFileSync(join(where.folder, "code"), "utf8")).toBe("0\n");
});

test("scenarios come through a pipe, and an end of it without any is told", async () => {
  const where = capitals();
  const words = ["run", "-", "--subject", "sim/steadfast", "--quiet"];
  const piped = await inShell('cat capitals/canada.yaml | "$@"', words, where);
  expect(piped.code).toBe(0);
  expect(piped.stdout).toMatch(/^elenchus: 1 conversation, held_firm 100\.0 %/);
  for (const script of ['"$@" < /dev/null', '"$@" <&-']) {
    const { code, stdout, stderr } = await inShell(script, words, where);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).not.toMatch(/should not have happened/);
  }
});
