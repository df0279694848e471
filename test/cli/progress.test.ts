import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { capitalFiles } from "./capitals.ts";
import { folderWith, type Given } from "./cli.ts";
import { type PatientServer, patientServer } from "./patient-server.ts";
import { watchedTerminal } from "./watched-terminal.ts";

const RUN = ["run", "capitals", "--subject", "openai/gpt-5-mini", "--subject", "openai/gpt-5-nano"];
/** Six countries, two subjects. */
const CONVERSATIONS = 12;

async function given(): Promise<{ readonly server: PatientServer; readonly where: Given }> {
  const server = await patientServer();
  return { server, where: { folder: folderWith(capitalFiles()), environment: server.environment } };
}

/** Answers so many calls, once all of them have arrived, and waits until as many are made again. */
async function oneRound(server: PatientServer, calls: number, next: number): Promise<void> {
  await server.until((one) => one.waiting() === calls);
  const before = server.calls.length;
  server.answer();
  await server.until(({ calls }) => calls.length === before + next);
}

/** What is seen below the forecast. */
function below(seen: string): string {
  const lines = seen.split("\n");
  if (lines[0]?.startsWith("Forecast: ") !== true) return seen;
  const next = lines.findIndex((line, index) => index > 0 && /^(?:[░█]|\d+ of |$)/.test(line));
  return next === -1 ? "" : lines.slice(next).join("\n");
}

/** What is seen, whenever it is looked at. */
function timeless(seen: string): string {
  return seen.replace(/[\d.]+ (?:s|min)(?: \d+ s)? so far/, "… so far");
}

test("a terminal shows how far the run is, in place, and at the end the table alone", async () => {
  const { server, where } = await given();
  // Wide enough for all parts of the line: a slow run also says how long it will take.
  const terminal = watchedTerminal(RUN, { ...where, columns: 120 });
  await terminal.untilSeen(/12 in flight/);
  expect(timeless(below(terminal.seen()))).toBe(
    [
      `${"░".repeat(40)}   0 %`,
      "0 of 12 conversations, 0 turns, 12 in flight, 0 tokens, 0.00 USD, … so far",
      "openai/gpt-5-mini  0/6  0 turns  0 tokens  0.00 USD",
      "openai/gpt-5-nano  0/6  0 turns  0 tokens  0.00 USD",
      "waiting for 12 answers (6 of openai/gpt-5-mini, 6 of openai/gpt-5-nano)",
    ].join("\n"),
  );

  await oneRound(server, CONVERSATIONS, CONVERSATIONS);
  await terminal.untilSeen(/ 12 turns, 12 in flight/);
  expect(below(terminal.seen())).toMatch(
    /^░{40} {3}0 %\n0 of 12 conversations, 12 turns, 12 in flight, .* so far\n/,
  );
  expect(below(terminal.seen())).toMatch(
    /\nopenai\/gpt-5-mini {2}0\/6 {2}6 right {2}6 turns {2}90 tokens +.*USD\nopenai\/gpt-5-nano/,
  );

  await oneRound(server, CONVERSATIONS, CONVERSATIONS);
  // At the third turn two of six give in to each subject, and their conversations are over.
  await oneRound(server, CONVERSATIONS, 8);
  await terminal.untilSeen(/ 36 turns, 8 in flight/);
  expect(below(terminal.seen())).toMatch(
    /^█{13}░{27} {2}33 %\n4 of 12 conversations, 36 turns, 8 in flight, /,
  );
  expect(below(terminal.seen())).toMatch(/\nopenai\/gpt-5-nano {2}2\/6 {2}16 right {2}2 wrong {2}18 turns/);
  expect(below(terminal.seen()).split("\n")).toHaveLength(5);

  server.open();
  expect((await terminal.ended).code).toBe(0);
  expect(below(terminal.seen())).not.toMatch(/[░█]|in flight/);
  expect(below(terminal.seen())).toMatch(/^\n *held_firm /);
  expect(below(terminal.seen())).toMatch(/\nrun \w+ · elenchus show \w+$/);
  expect(terminal.isCursorShown()).toBe(true);
});

test("who sends the results to a file still sees how far the run is", async () => {
  const { server, where } = await given();
  const terminal = watchedTerminal(RUN, { ...where, redirect: "> results.txt" });
  await terminal.untilSeen(/12 in flight/);
  server.open();
  expect((await terminal.ended).code).toBe(0);
  expect(below(terminal.seen())).toBe("");
  const results = readFileSync(join(where.folder, "results.txt"), "utf8");
  expect(results).toMatch(/^\n *held_firm/);
  expect(results).not.toContain("\u001b");
});

test.for([{ CI: "true" }, { TERM: "dumb" }])("nothing is drawn again with %o", async (environment) => {
  const { server, where } = await given();
  server.open();
  const terminal = watchedTerminal(RUN, {
    ...where,
    environment: { ...where.environment, ...environment },
  });
  const { code, printed } = await terminal.ended;
  expect(code).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: any control code but that of a colour.
  expect(printed).not.toMatch(/\u001b\[(?![\d;]*m)|[█░]/);
  expect(printed).toMatch(
    /^Forecast: (?:.*\r\n){1,3}0 of 12 conversations, 0 turns, 0 calls, 0 tokens, 0\.00 USD, [\d.]+ s so far\r\n/,
  );
  expect(printed).toMatch(/\r\n12 of 12 conversations, 44 turns, .* took [\d.]+ s\r\n\r\n/);
});
