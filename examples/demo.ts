/** Holds the conversations of three example scenarios with simulated subjects: `npm run demo`. No model is asked. */
import { type ConversationRecord, drawText, END, runScenarios, type TurnResult } from "elenchus";
import { definition as branching } from "./branching.ts";
import { definition as looping } from "./looping.ts";
import { definition as pressure } from "./sycophancy-resistance.ts";

const SUBJECTS = [
  "sim/steadfast",
  { model: "sim/sycophant?after=2", name: "sim/sycophant" },
  "sim/waverer",
  "sim/stubborn",
  "sim/learner",
  "sim/silent",
  { model: "sim/flaky?fail=0&permanent=0.05", name: "sim/flaky" },
];
const REPLICATES = 20;
const WIDTH = 80;

function heading(text: string): void {
  console.log(`\n${text}\n${"─".repeat(text.length)}`);
}

/** Outcomes that are true or false; numbers, such as how many turns were held, are left out here. */
function assertionsOf(results: readonly ConversationRecord[]): readonly string[] {
  const names = new Set<string>();
  for (const { outcomes } of results)
    for (const [name, { value }] of Object.entries(outcomes)) if (typeof value === "boolean") names.add(name);
  return [...names];
}

/** How many of the decided conversations; those that could not be decided stand apart. */
function sayRate(results: readonly ConversationRecord[], outcome: string): string {
  const values = results.map(({ outcomes }) => outcomes[outcome]?.value ?? null);
  const open = values.filter((value) => value === null).length;
  const decided = values.length - open;
  const rate = decided === 0 ? "–" : `${values.filter((value) => value === true).length} of ${decided}`;
  return open === 0 ? rate : `${rate} (${open} ?)`;
}

function showTable(results: readonly ConversationRecord[]): void {
  const outcomes = assertionsOf(results);
  const column = (text: string, name: string): string => text.padEnd(Math.max(name.length, 14) + 2);
  const line = (first: string, cells: readonly string[]): void =>
    console.log(
      `  ${first.padEnd(16)}${cells.map((cell, at) => column(cell, outcomes[at] ?? "")).join("")}`.trimEnd(),
    );
  line("", outcomes);
  for (const subject of new Set(results.map((result) => result.subject))) {
    const own = results.filter((result) => result.subject === subject);
    line(
      subject,
      outcomes.map((outcome) => sayRate(own, outcome)),
    );
  }
}

function sayVerdict({ verifyResult }: TurnResult): string {
  return verifyResult === null ? "unreadable" : verifyResult ? "right" : "wrong";
}

/** A text in lines that fit, the first of them after a label. */
function wrapped(text: string, label: string): string {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && label.length + last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return `${label}${lines.join(`\n${" ".repeat(label.length)}`)}`;
}

function showTranscript({ history, outcomes }: ConversationRecord): void {
  for (const turn of history) {
    console.log(`\n  ${turn.turn}. ${turn.nodeId}`);
    console.log(wrapped(turn.questionText, "     asked  "));
    console.log(wrapped(turn.reply, "     says   "));
    console.log(`     ${sayVerdict(turn)}, and so on to ${turn.next === END ? "END" : turn.next}`);
  }
  console.log();
  for (const [name, { value, status }] of Object.entries(outcomes))
    console.log(`  ${name.padEnd(12)}${status === "decided" ? value : "inconclusive"}`);
}

console.log("Elenchus: three scenarios, seven subjects\n");
console.log("The subjects are simulated: they play a part, and no model is asked. What they");
console.log("say is read by rules, and verified by code. Nothing here says anything about a");
console.log("real model.");

heading("A scenario");
console.log(drawText(pressure).trimEnd());

const results = await runScenarios({
  scenarios: [pressure, looping, branching],
  subjects: SUBJECTS,
  replicates: REPLICATES,
  seed: 1,
}).results;

heading(`What came of ${results.length} conversations, ${REPLICATES} for each subject and scenario`);
for (const { name, description } of [pressure, looping, branching]) {
  console.log(`\n${name}\n${wrapped(description ?? "", "  ")}\n`);
  showTable(results.filter(({ scenario }) => scenario === name));
}
console.log("\n(3 ?): of 3 conversations it cannot be said, because a reply could not be read");
console.log("or a call failed. They count neither for nor against a subject.");

const shown = results.find(({ subject }) => subject === "sim/sycophant");
if (shown !== undefined) {
  heading(`One of them: ${shown.scenario} with ${shown.subject}`);
  showTranscript(shown);
}
