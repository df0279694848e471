// Measures the rules that read replies: `npm run reading -- <file.jsonl or .yaml, its folder, or packs> [--show misread|unread] [--kind word]`.
// A second table says what is left after a judge that reads what rules leave: one that is always right, and one that errs in 5 %.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Rng } from "../src/core/rng.ts";
import { extractFields, extractValue } from "../src/engine/grading/reading/extract-value.ts";
import { verifyParsed } from "../src/engine/grading/verify/verify-parsed.ts";
import { packItems } from "../test/packs/pack-items.ts";
import { packReplies } from "../test/packs/pack-replies.ts";
import { type LabelledReply, labelledReplies } from "../test/reading/labelled-replies.ts";

/** A reply, what a careful reader takes from it, and what rules do; null is nothing. */
interface Reading {
  readonly id: string;
  readonly kind: string;
  readonly reply: string;
  readonly gold: unknown;
  readonly read: unknown;
  /** Whether gold is the right answer to the question; undefined if it is not known, or if there is no gold. */
  readonly isRight?: boolean | undefined;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "string", default: "" }, kind: { type: "string", default: "" } },
});
const [path] = positionals;
if (path === undefined || !["", "misread", "unread"].includes(options.show)) {
  console.error(
    "usage: npm run reading -- <file.jsonl or .yaml, its folder, or packs> [--show misread|unread] [--kind word]",
  );
  process.exit(2);
}
const readings = (path === "packs" ? await packReadings() : fileReadings(path)).filter(({ kind }) =>
  kind.includes(options.kind),
);

function fileReadings(path: string): Reading[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => /\.(?:jsonl|yaml)$/.test(name))
        .map((name) => join(path, name))
    : [path];
  return files
    .flatMap((file) => (file.endsWith(".yaml") ? labelledReplies(file) : labelledLines(file)))
    .map(({ id = "", reply, rule, gold, kind = rule.type, field, question, cut }) => {
      const type = rule.type === "number" ? "number" : rule.type === "stance" ? "boolean" : "string";
      const { value } = extractValue(rule, field ?? { type }, reply, cut ? { finish: "length" } : {});
      const isRight = gold === null || question === undefined ? undefined : gold === field?.truth;
      return { id, kind, reply, gold, read: value, isRight };
    });
}

function labelledLines(file: string): LabelledReply[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as LabelledReply);
}

/** The replies to the bundled packs: what is read is a verdict. */
async function packReadings(): Promise<Reading[]> {
  const packs = ["pressure", "repair", "disclosure", "biomedicine"];
  const items = new Map((await packItems(...packs)).map(({ name, definition }) => [name, definition]));
  return packs.flatMap((pack) =>
    packReplies(pack).map(({ scenario, node, verdict, reply }) => {
      const question = items.get(scenario)?.nodes[node]?.question;
      if (question?.template === undefined) throw new Error(`${scenario} has no template at ${node}`);
      const fields = extractFields(question.template, reply, { question: question.question });
      const parsed = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
      const { verifyResult } = verifyParsed(question.template, parsed, { reply });
      const gold = verdict === "unread" ? null : verdict === "right";
      return { id: scenario, kind: pack, reply, gold, read: verifyResult, isRight: gold ?? undefined };
    }),
  );
}

function resultOf({ gold, read }: Reading): "right" | "misread" | "unread" | "nothing" {
  if (read !== null) return read === gold ? "right" : "misread";
  return gold === null ? "nothing" : "unread";
}

for (const reading of readings) {
  if (resultOf(reading) !== options.show) continue;
  const { id, reply, read, gold } = reading;
  console.log(`--- ${id}: read ${String(read)}, gold ${String(gold)}`);
  console.log(reply.length > 1_200 ? `${reply.slice(0, 400)}\n[…]\n${reply.slice(-800)}` : reply);
}

const share = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
const row = (name: string, cells: readonly (string | number)[]): string =>
  `${name.padEnd(30)}${cells.map((cell) => String(cell).padStart(11)).join("")}`;

/** Counts of some readings: misread is a share of all, unread a share of those with a gold value. */
function counts(name: string, some: readonly Reading[]): string {
  const count = (result: string): number => some.filter((reading) => resultOf(reading) === result).length;
  const stated = some.filter(({ gold }) => gold !== null).length;
  const [right, misread, unread, nothing] = ["right", "misread", "unread", "nothing"].map(count) as [
    number,
    number,
    number,
    number,
  ];
  return row(name, [
    some.length,
    right,
    misread,
    unread,
    nothing,
    share(misread, some.length),
    share(unread, stated),
  ]);
}

const HEADING = ["replies", "right", "misread", "unread", "no answer", "misread", "unread"];
const kinds = [...new Set(readings.map(({ kind }) => kind))].sort();
const byTruth =
  readings.some(({ isRight }) => isRight === true) && readings.some(({ isRight }) => isRight === false);
const answers = (isRight: boolean): Reading[] => readings.filter((reading) => reading.isRight === isRight);
console.log(row("rules alone", HEADING));
for (const kind of kinds)
  console.log(
    counts(
      kind,
      readings.filter((reading) => reading.kind === kind),
    ),
  );
if (byTruth) {
  console.log(counts("right answers", answers(true)));
  console.log(counts("wrong answers", answers(false)));
}
console.log(counts("all", readings));

/** A judge that reads what rules leave, and errs in a share of it: it then takes another answer, or one where there is none. */
function withJudge(errors: number): Reading[] {
  const rng = new Rng("judge");
  return readings.map((reading) => {
    if (reading.read !== null) return reading;
    return { ...reading, read: rng.next() < errors ? "another answer" : reading.gold };
  });
}
for (const [name, errors] of [
  ["with a judge that is always right", 0],
  ["with a judge that errs in 5 %", 0.05],
] as const) {
  console.log(`\n${name}`);
  const judged = withJudge(errors);
  const of = (isRight: boolean): Reading[] => judged.filter((reading) => reading.isRight === isRight);
  if (byTruth) {
    console.log(counts("right answers", of(true)));
    console.log(counts("wrong answers", of(false)));
  }
  console.log(counts("all", judged));
}
