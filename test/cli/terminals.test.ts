import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { textWidth } from "../../src/system/terminal/text-layout.ts";
import { capitalFiles } from "./capitals.ts";
import { elenchus as elenchusApart, elenchusHere, folderWith, inOneProcess, inTerminal } from "./cli.ts";

const elenchus = inOneProcess();
const RUN = ["run", "capitals", "--subject", "sim/waverer", "--subject", "sim/steadfast"];
const BROKEN = `name: broken
entry: ask
nodes:
  ask: { question: { question: What is the capital of Australia?, rawAnswer: Canberra } }
edges:
  - { source: ask, target: psuh }
  - { source: aks, target: END }
`;
/** What people look at, after a run. */
const LOOKS = [
  ["show"],
  ["show", "--scenario", "brazil"],
  ["show", "--failures"],
  ["list"],
  ["check", "capitals"],
  ["check", "broken.yaml"],
];
const EXPECTED: Readonly<Record<string, number>> = { "check broken.yaml": 2 };

function project(): string {
  return folderWith({ ...capitalFiles(), "broken.yaml": BROKEN });
}

function widestLine(printed: string): string {
  const lines = stripVTControlCharacters(printed).split(/\r?\n/);
  return lines.reduce((widest, line) => (textWidth(line) > textWidth(widest) ? line : widest));
}

/** What is wider than the terminal, if anything, in all that was printed; too little is no output. */
function expectToFit(printed: string, columns: number, name: string): void {
  const widest = widestLine(printed);
  expect(textWidth(widest), `${name}: ${widest}`).toBeLessThanOrEqual(columns);
  expect(textWidth(widest), name).toBeGreaterThan(10);
}

test.for([40, 80, 200])("at %i columns no line is wider", async (columns) => {
  const folder = project();
  const { code, printed } = await inTerminal([...RUN, "--replicates", "3"], { folder, columns }).ended;
  expect(code).toBe(0);
  expectToFit(printed, columns, "run");
  // Narrow is hard; wide is easy, and shown by what has tables.
  for (const words of columns > 80 ? [["show"], ["list"]] : LOOKS) {
    const name = words.join(" ");
    const seen = await elenchusHere(words, { folder, columns });
    expect([name, seen.code]).toEqual([name, EXPECTED[name] ?? 0]);
    expectToFit(`${seen.stdout}${seen.stderr}`, columns, name);
  }
});

const MISTAKES = /undefined|NaN|should not have happened|RangeError/;

// A terminal of 0 columns is one that does not know its size, as under some CI services and editors.
test.for([{ columns: 0 }, { columns: 1 }])("%o are no reason to fail", async ({ columns }) => {
  const folder = project();
  const seat = columns === 0 ? { setUp: "stty cols 0 rows 0" } : { columns };
  for (const words of [RUN, ["show"], ["--help"]]) {
    const { code, printed } = await inTerminal(words, { folder, ...seat }).ended;
    const name = words.join(" ");
    expect([name, code]).toEqual([name, 0]);
    expect(printed).not.toMatch(MISTAKES);
    if (columns === 0) expect(textWidth(widestLine(printed)), name).toBeLessThanOrEqual(100);
  }
  // Without a size, they are as wide as any.
  for (const words of columns === 0 ? [] : LOOKS) {
    const name = words.join(" ");
    const seen = await elenchusHere(words, { folder, columns });
    expect([name, seen.code]).toEqual([name, EXPECTED[name] ?? 0]);
    expect(`${seen.stdout}${seen.stderr}`).not.toMatch(MISTAKES);
  }
});

// Which variables mean what is tested in src/system/terminal/stream-output.test.ts.
test.for([
  { environment: {}, colours: true },
  { environment: { NO_COLOR: "1" }, colours: false },
])("in a terminal with $environment, colours: $colours", async ({ environment, colours }) => {
  const { code, printed } = await inTerminal(["check", "broken.yaml"], { folder: project(), environment })
    .ended;
  expect([code, printed.includes("\u001b")]).toEqual([2, colours]);
  expect(stripVTControlCharacters(printed)).toMatch(/^error: broken\.yaml:6:28 .*"psuh"/m);
});

test("pipes have colours only if somebody insists", async () => {
  const folder = project();
  for (const words of [RUN, ...LOOKS]) {
    const { stdout, stderr } = await elenchus(words, { folder });
    expect([words, `${stdout}${stderr}`.includes("\u001b")]).toEqual([words, false]);
  }
  expect((await elenchusApart(["show"], { folder })).stdout).not.toContain("\u001b");
  const { stdout } = await elenchusApart(["show"], { folder, environment: { FORCE_COLOR: "1" } });
  expect(stdout).toContain("\u001b[1m");
  const { stdout: json } = await elenchus(["list", "--json"], { folder, environment: { FORCE_COLOR: "1" } });
  expect(json).not.toContain("\u001b");
});

test("what is wrong is one line to a pipe, however long", async () => {
  const { stdout } = await elenchus(["check", "broken.yaml"], { folder: project() });
  expect(stdout.match(/^error: broken\.yaml:\d+:\d+ .*[.?]$/gm)?.length).toBeGreaterThan(1);
  expect(stdout.split("\n").every((line) => line === "" || /^(?:error:|✗) /.test(line))).toBe(true);
});
