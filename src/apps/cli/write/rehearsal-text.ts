import { END, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { compileWhen } from "../../../core/state/condition.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import { placeTexts } from "../../../engine/journal/cell.ts";
import type {
  Rehearsal,
  RehearsedEdge,
  RehearsedTurn,
  RehearsedValue,
  Witness,
} from "../../../insight/analysis/rehearsal/rehearsal.ts";
import { countedText, countText } from "../../../insight/report/text/figures.ts";
import { paintedLines, type TextOptions, valueText } from "../../../insight/report/text/text-blocks.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import {
  alignColumns,
  cutToWidth,
  linesText,
  type TableCell,
  textWidth,
} from "../../../system/terminal/text-layout.ts";

/** The results of a rehearsal as text: what can happen, what cannot, and what is not known. */
export function rehearsalText(
  definition: ScenarioDefinition,
  rehearsal: Rehearsal,
  layout: TextOptions,
): string {
  const { style, width } = layout;
  const { nodes, edges, outcomes, loops, failures, paths, undecided } = rehearsal;
  const path = (witness: Witness): TableCell => cell(pathOf(witness, rehearsal));
  const unasked = nodes.filter(({ isReached }) => isReached === "no");
  const untaken = edges.filter(({ isTaken }) => isTaken === "no");
  const sections: Readonly<Record<string, readonly (readonly TableCell[])[]>> = {
    "Outcomes and how to get there": outcomeCells(rehearsal),
    "Never asked": unasked.map(({ id, reason }) => [cell(id), cell(NOT_ASKED[reason ?? "no_path"])]),
    "Never taken": untaken.map((edge) => [
      cell(edgeText(edge)),
      cell(reasonNever(definition, rehearsal, edge)),
    ]),
    "Ends only by the turn limit": loops.flatMap(({ nodes: inside, trap }) =>
      trap === null ? [] : [[cell(inside.join(", ")), path(trap)]],
    ),
    "Ends in an error": failures.map(({ message, witness }) => [cell(message), path(witness)]),
    "Shortest paths": paths.listed.map((witness) => [
      cell(countedText(witness.turns.length, "turn")),
      path(witness),
    ]),
  };
  const unknown = undecided.flatMap(({ place, message }) =>
    paintedLines(`${place}: ${message}.`, width - 2).map((line) => `  ${line}`),
  );
  return linesText([
    style.bold(printableText(definition.name)),
    ...paintedLines(summary(rehearsal), width - 2).map((line) => `  ${line}`),
    ...Object.entries(sections).flatMap(([title, rows]) => section(title, rows, layout)),
    ...(unknown.length === 0 ? [] : ["", style.bold("Not known"), ...unknown]),
    ...(nodes.length + outcomes.length === 0
      ? []
      : ["", style.dim("  ✓ right, ✗ wrong, ? unread, – not verified")]),
  ]);
}

function cell(text: string, paint?: (text: string) => string): TableCell {
  return paint === undefined ? { text: printableText(text) } : { text: printableText(text), paint };
}

function section(
  title: string,
  rows: readonly (readonly TableCell[])[],
  { style, width }: TextOptions,
): readonly string[] {
  if (rows.length === 0) return [];
  // The last column takes what is left of the line.
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column]?.text ?? ""))),
  );
  const room = Math.max(20, width - 2 - widths.reduce((sum, one) => sum + one + 2, 0));
  const cut = rows.map((row) =>
    row.map((one, column) => (column === columns - 1 ? { ...one, text: cutToWidth(one.text, room) } : one)),
  );
  const lines = alignColumns(
    cut,
    Array.from({ length: columns }, () => "<" as const),
  );
  return ["", style.bold(title), ...lines.map((line) => `  ${line}`)];
}

/** How many paths there are, and whether everything can be reached. */
function summary(rehearsal: Rehearsal): string {
  const { nodes, edges, paths, shortest, longest, turnLimit, isComplete, places } = rehearsal;
  const counted = (count: bigint, noun: string): string =>
    `${bigText(count)} ${noun}${count === 1n ? "" : "s"}`;
  const count = paths.count === null ? "More paths than were counted" : counted(paths.count, "path");
  const isRouted = paths.routes !== null && paths.routes !== paths.count;
  const routes = isRouted ? ` over ${counted(paths.routes ?? 0n, "sequence")} of nodes` : "";
  const [least = 0, most = 0] = [shortest?.turns.length, longest?.turns.length];
  const range =
    least === most
      ? `, each of ${countedText(most, "turn")}`
      : `, of ${least} to ${countedText(most, "turn")}`;
  const turns = shortest === null || longest === null ? "" : range;
  const limited = paths.limited ? ` The turn limit of ${turnLimit} stops ${bigText(paths.limited)}.` : "";
  const asked = nodes.filter(({ isReached }) => isReached === "yes").length;
  const taken = edges.filter(({ isTaken }) => isTaken === "yes").length;
  const reached =
    asked === nodes.length && taken === edges.length
      ? " Every node and every edge can be reached."
      : ` ${asked} of ${countedText(nodes.length, "node")} and ${taken} of ${countedText(edges.length, "edge")} can be reached${isComplete ? "" : ", as far as was looked"}.`;
  const rows = places.length > 1 ? ` Rehearsed for ${places.length} rows or variants that differ.` : "";
  return `${count}${routes}${turns}.${limited}${reached}${rows}`;
}

function bigText(count: bigint): string {
  const digits = String(count);
  if (digits.length <= 15) return countText(Number(count));
  return `about ${digits[0]}.${digits.slice(1, 3)} × 10^${digits.length - 1}`;
}

const MOST_VALUES = 8;

function outcomeCells(rehearsal: Rehearsal): readonly (readonly TableCell[])[] {
  return rehearsal.outcomes.flatMap(({ name, values, isComplete }) => {
    if (values.length === 0) return [[cell(name), cell("?"), cell("not known without a run")]];
    const shown = values
      .slice(0, MOST_VALUES)
      .map(({ value, isPossible, witness }, index) => [
        cell(index === 0 ? name : ""),
        cell(`${valueWords(value)}${isPossible === "maybe" ? "?" : ""}`),
        cell(pathOf(witness, rehearsal)),
      ]);
    const more = values.length - shown.length;
    const rest = [
      ...(more > 0 ? [[cell(""), cell("…"), cell(`${countedText(more, "other value")}`)]] : []),
      ...(isComplete ? [] : [[cell(""), cell("…"), cell("there may be others")]]),
    ];
    return [...shown, ...rest];
  });
}

/** A value in words: `not applicable`. */
function valueWords(value: RehearsedValue): string {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return String(value).replaceAll("_", " ");
}

const MARKS = { true: "✓", false: "✗", null: "?" } as const;

/** The nodes of a conversation with their verdicts: `ask ✓ → push ✗ → END`. */
export function pathOf({ turns, status }: Witness, { nodes }: Pick<Rehearsal, "nodes">): string {
  const many = new Set(nodes.filter(({ replies }) => replies > 3).map(({ id }) => id));
  const parts = turns.map((turn) => {
    const reading = many.has(turn.node) && turn.unreadable !== true ? ` (${valuesText(turn)})` : "";
    return `${turn.node} ${markOf(turn)}${reading}`.trim();
  });
  const end = status === "completed" ? "END" : status === "limit_reached" ? "turn limit" : status;
  return [...folded(parts), end].join(" → ");
}

/** The same turn several times in a row is written once. */
function folded(parts: readonly string[]): readonly string[] {
  const groups: { readonly part: string; times: number }[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last?.part === part) last.times++;
    else groups.push({ part, times: 1 });
  }
  return groups.map(({ part, times }) => (times === 1 ? part : `${part} ×${times}`));
}

const SHORT = 16;

/** The values read from a reply, without the names of their fields. */
function valuesText({ parsed }: RehearsedTurn): string {
  const values = Object.values(parsed).map((value) =>
    value === null ? "–" : typeof value === "string" ? value : valueText(value),
  );
  return values.map((value) => cutToWidth(printableText(value), SHORT)).join(", ");
}

function markOf(turn: RehearsedTurn): string {
  if (turn.notVerified === true) return "–";
  if (turn.verifyResult === null && turn.unreadable !== true && Object.keys(turn.parsed).length === 0)
    return "";
  return MARKS[String(turn.verifyResult) as keyof typeof MARKS];
}

const NOT_ASKED = {
  turn_limit: "the turn limit comes first",
  no_path: "no path of replies leads there",
} as const;

function reasonNever(
  definition: ScenarioDefinition,
  { edges }: Rehearsal,
  { edge, source, never }: RehearsedEdge,
): string {
  if (never?.reason === "taken_before")
    return `taken before by ${never.by.map((index) => edgeText(edges[index])).join(", ")}`;
  if (never?.reason !== "never_holds") return `${source} is never asked`;
  const condition = compileWhen(definition.edges[edge]?.when);
  return `its condition never holds${condition === null ? "" : `: ${describeCondition(condition)}`}`;
}

/** An edge as text: `ask → push`. */
function edgeText(edge: Pick<RehearsedEdge, "source" | "target"> | undefined): string {
  if (edge === undefined) return "";
  return `${edge.source} → ${edge.target === END ? "END" : edge.target}`;
}

/** One conversation turn by turn: node, reading and verdict; then its outcomes. */
export function witnessText(definition: ScenarioDefinition, witness: Witness, layout: TextOptions): string {
  const { style } = layout;
  const { turns, status, outcomes, place, arm } = witness;
  const rows = turns.map((turn, index) => [
    { text: String(index + 1), paint: style.dim },
    cell(turn.node),
    cell(markOf(turn)),
    cell(readingText(turn) || "any reply"),
  ]);
  const where = placeTexts({ ...place, ...withoutUndefined({ arm }) }).join(", ");
  const end = status === "limit_reached" ? "the turn limit is reached" : status;
  const values = Object.entries(outcomes).map(([name, value]) => [cell(name), cell(valueWords(value))]);
  return linesText([
    style.bold(printableText(`${definition.name}${where === "" ? "" : ` (${where})`}`)),
    ...section("Turns", rows, layout).slice(1),
    `  ${style.dim(`${end} after ${countedText(turns.length, "turn")}`)}`,
    ...section("Outcomes", values, layout),
  ]);
}

/** What is read of a reply, and what the simulated user does. */
function readingText({ parsed, unreadable, refused, rubric = {}, user }: RehearsedTurn): string {
  const { reveals = [], done = false } = user ?? {};
  const fields = Object.entries(parsed).map(
    ([name, value]) => `${name} ${value === null ? "not stated" : valueText(value)}`,
  );
  return [
    ...(unreadable === true ? ["unread"] : fields),
    ...(refused === true ? ["declines to answer"] : []),
    ...Object.entries(rubric).map(([name, value]) => `${name} ${valueText(value)}`),
    ...(reveals.length === 0 ? [] : [`user reveals ${reveals.join(", ")}`]),
    ...(done ? ["user is done"] : []),
  ].join(", ");
}
