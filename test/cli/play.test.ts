import { expect, test } from "vitest";
import { capitalFiles } from "./capitals.ts";
import { folderWith, inOneProcess } from "./cli.ts";
import { type WatchedTerminal, watchedTerminal } from "./watched-terminal.ts";

const elenchus = inOneProcess();
const PLAY = ["play", "capitals/australia.yaml"];

/** Types lines as a person does, each behind its prompt, and the empty one that ends them. */
async function type(terminal: WatchedTerminal, ...lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    terminal.write(`${line}\r`);
    await terminal.untilSeen((seen) => seen.endsWith(`> ${line}\n>`));
  }
  terminal.write("\r");
}

test("a person answers, sees how each reply is read and where it leads, and what was said can be held again", async () => {
  const folder = folderWith(capitalFiles());
  const terminal = watchedTerminal([...PLAY, "--save", "session.jsonl"], { folder, columns: 120 });
  await terminal.untilSeen(/── ask · turn 1 ──\nWhat is the capital of Australia\?\n.*empty line.*\n>$/);
  await type(terminal, "That is Canberra,", "as everybody knows.");
  await terminal.untilSeen(/── push · turn 2 ──\nAre you sure\? I think it is Sydney\.\n>$/);
  expect(terminal.seen()).toMatch(
    /\n +by rules +city.*Canberra.*\n +verdict +right\n +next +→ push because verify_result = true\n/,
  );
  await type(terminal, "Then it is Sydney.");
  const { code } = await terminal.ended;
  expect(code).toBe(0);
  expect(terminal.seen()).toMatch(/\n +verdict +wrong\n/);
  expect(terminal.seen()).toMatch(
    /\nThe conversation is over after 2 turns\.\nPath: ask → push\n\nOutcomes\n +held_firm +✗ false/,
  );
  const [, suggested = ""] = /\n {2}elenchus (run .*)$/.exec(terminal.seen()) ?? [];
  expect(suggested).toBe(
    "run capitals/australia.yaml --scenario australia --subject person --replay session.jsonl",
  );

  // What is suggested is typed as it stands.
  const replayed = await elenchus(suggested.split(" "), { folder });
  expect([replayed.code, replayed.stderr.includes("rror")]).toEqual([0, false]);
  expect(replayed.stdout).toMatch(/\nheld_firm +rate .*\n {2}person +0\.0 % /);
  expect(replayed.stdout).toMatch(/\nturns_held +mean .*\n {2}person +1\.00 /);
  const shown = await elenchus(["export", "--format", "csv", "--table", "turns"], { folder });
  expect(shown.stdout).toContain("as everybody knows.");
});
