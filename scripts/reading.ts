// Measures the rules that read replies on labelled replies: `npm run reading -- <folder or file> [--show misread|unread]`.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ExtractRule, ExtractTarget } from "../src/core/templates/extract-rule.ts";
import { extractValue } from "../src/grading/reading/extract-value.ts";

/** One line of a file: a reply, the rule that reads it, and what a careful reader takes from it (null: nothing). */
interface LabelledReply {
  readonly id?: string;
  readonly reply: string;
  readonly rule: ExtractRule;
  readonly gold: unknown;
  readonly kind?: string;
  readonly field?: ExtractTarget;
  /** True if the text breaks off. */
  readonly cut?: boolean;
}

type Result = "right" | "misread" | "ambiguous" | "absent" | "nothing";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "string", default: "" }, kind: { type: "string", default: "" } },
});
const [path] = positionals;
if (path === undefined || !["", "misread", "unread"].includes(options.show)) {
  console.error("usage: npm run reading -- <folder or file.jsonl> [--show misread|unread] [--kind word]");
  process.exit(2);
}

const files = statSync(path).isDirectory()
  ? readdirSync(path)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(path, name))
  : [path];
const replies = files
  .flatMap((file) => readFileSync(file, "utf8").split("\n"))
  .filter((line) => line.trim() !== "")
  .map((line) => JSON.parse(line) as LabelledReply)
  .filter(({ kind = "" }) => kind.includes(options.kind));

/** The type of the field where a line does not say it. */
function targetOf({ rule, field }: LabelledReply): ExtractTarget {
  if (field !== undefined) return field;
  return { type: rule.type === "number" ? "number" : rule.type === "stance" ? "boolean" : "string" };
}

const table = new Map<string, Record<Result, number>>();
for (const line of replies) {
  const read = extractValue(line.rule, targetOf(line), line.reply, line.cut ? { finish: "length" } : {});
  const result: Result =
    read.status === "found"
      ? read.value === line.gold
        ? "right"
        : "misread"
      : line.gold === null
        ? "nothing"
        : read.status;
  for (const kind of [line.kind ?? line.rule.type, "all"]) {
    const counts = table.get(kind) ?? { right: 0, misread: 0, ambiguous: 0, absent: 0, nothing: 0 };
    counts[result]++;
    table.set(kind, counts);
  }
  const shown = result === "ambiguous" || result === "absent" ? "unread" : result;
  if (shown === options.show) show(line, read.status === "found" ? String(read.value) : read.status);
}

function show({ id, kind, reply, gold, cut }: LabelledReply, reading: string): void {
  console.log(`--- ${id ?? kind ?? ""}${cut ? " (cut off)" : ""}: read ${reading}, gold ${String(gold)}`);
  console.log(reply.length > 1_200 ? `${reply.slice(0, 400)}\n[…]\n${reply.slice(-800)}` : reply);
}

const share = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
const columns = ["replies", "right", "misread", "ambiguous", "absent", "null unread", "misread", "unread"];
const line = (name: string, cells: readonly (string | number)[]): string =>
  `${name.padEnd(24)}${cells.map((cell) => String(cell).padStart(12)).join("")}`;
console.log(line("kind", columns));
const total = table.get("all");
table.delete("all");
const kinds = [...table].sort(([one], [other]) => (one < other ? -1 : 1));
for (const [kind, counts] of total === undefined ? kinds : [...kinds, ["all", total] as const]) {
  const { right, misread, ambiguous, absent, nothing } = counts;
  const all = right + misread + ambiguous + absent + nothing;
  const stated = replies.filter(
    (each) => each.gold !== null && (kind === "all" || (each.kind ?? each.rule.type) === kind),
  ).length;
  const shares = [share(misread, all), share(ambiguous + absent, stated)];
  console.log(line(kind, [all, right, misread, ambiguous, absent, nothing, ...shares]));
}
