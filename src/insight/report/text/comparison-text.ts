import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { CHANGED_ROW, type Comparison } from "../data/compare-sides.ts";
import type { ComparisonLine } from "../data/comparison.ts";
import { missingTexts } from "./doubt-text.ts";
import {
  countedText,
  countText,
  itemsText,
  meanText,
  NOTHING,
  noIntervalText,
  percentText,
  pText,
} from "./figures.ts";
import { headLine, type NamedColumn, type NamedLine, namedTable, type TextOptions } from "./text-blocks.ts";

/** An adjusted p-value below this is called a difference. */
const LEVEL = 0.05;

const COLUMNS: readonly NamedColumn[] = [">", ">", ">", "<", ">", ">", [">", 0]];

const ONLY = "only a/b";

/** How many pairs differ, if the table is too narrow for that column. */
function onlyNote({ lines }: Comparison): string {
  const counts = lines
    .filter(({ kind, onlyA, onlyB }) => kind === "rate" && onlyA.length + onlyB.length > 0)
    .map((line) => `${nameOf(line)} ${countText(line.onlyA.length)}/${countText(line.onlyB.length)}`);
  return counts.length === 0 ? "" : `Pairs that are true only in a/only in b: ${counts.join(", ")}.`;
}

/** A comparison as a table, with a sentence for each line below. */
export function comparisonText(comparison: Comparison, { style, width }: TextOptions): string {
  const heading = headLine("", ["a", "b", "b − a", "95 %", "p", "n", ONLY], style);
  const lines = comparison.lines.map((line): NamedLine => {
    const bold = isFound(line) ? { paint: style.bold } : {};
    const cells = cellsOf(line, "/").map((text, column) => (column === P ? { text, ...bold } : text));
    return { name: { text: nameOf(line), ...bold }, cells };
  });
  const table = namedTable([heading, ...lines], COLUMNS, width);
  const words = comparison.lines.flatMap((line) => wrapText(`• ${sentence(line, comparison)}`, width));
  const notes = [
    ...(table[0]?.includes(ONLY) ? [] : [onlyNote(comparison)]),
    methodNote(comparison),
    ...judgeNote(comparison),
    ...missingTexts(
      (["a", "b"] as const).flatMap((name) => {
        const missing = comparison.missing[name];
        return missing === null ? [] : [{ ...missing, name }];
      }),
    ),
    ...leftNotes(comparison),
  ].filter((text) => text !== "");
  return linesText([
    `a  ${style.bold(printableText(comparison.a))}`,
    `b  ${style.bold(printableText(comparison.b))}`,
    "",
    ...table,
    "",
    ...words,
    ...(notes.length === 0 ? [] : ["", ...notes.flatMap((text) => wrapText(text, width)).map(style.dim)]),
  ]);
}

/** The place of the adjusted p-value among the cells. */
const P = 4;

/** A line of the table after its name: both values, their difference, its interval, p, n, and the pairs that are true on one side only. */
function cellsOf(line: ComparisonLine, between: string): readonly string[] {
  const { a, b, difference } = sideTexts(line);
  const only = [line.onlyA, line.onlyB].map(({ length }) => countText(length)).join(between);
  return [
    ...[a, b, difference, intervalOf(line), pText(line.adjusted), itemsText({ ...line, n: line.pairs })],
    line.kind === "rate" ? only : "",
  ];
}

/** True if the adjusted test finds a difference, and the interval does not contain 0. */
function isFound({ adjusted, interval }: ComparisonLine): boolean {
  return (adjusted ?? 1) < LEVEL && interval !== null && (interval.low > 0 || interval.high < 0);
}

/** The name of a line, with its group. */
function nameOf({ name, group }: Pick<ComparisonLine, "name" | "group">): string {
  const values = Object.values(group).map((value) => value ?? NOTHING);
  return printableText(values.length === 0 ? name : `${name} [${values.join(", ")}]`);
}

/** Both values and their difference, in percent and points, or as numbers. */
export function sideTexts({
  kind,
  a,
  b,
  difference,
}: ComparisonLine): Readonly<Record<"a" | "b" | "difference", string>> {
  const value = (one: number | null): string =>
    one === null ? NOTHING : kind === "rate" ? percentText(one, 1) : meanText(one);
  return { a: value(a), b: value(b), difference: difference === null ? NOTHING : signed(difference, kind) };
}

/** A difference with its sign: in points for rates. */
export function signed(difference: number, kind: ComparisonLine["kind"]): string {
  const text = kind === "rate" ? (100 * difference).toFixed(1) : meanText(difference);
  const isZero = Number(text) === 0;
  return `${!isZero && difference > 0 ? "+" : ""}${isZero ? text.replace("-", "") : text.replace("-", "−")}`;
}

function intervalOf({ interval, kind, reason }: ComparisonLine): string {
  if (interval === null) return noIntervalText(reason);
  return `${signed(interval.low, kind)} to ${signed(interval.high, kind)}`;
}

/** A line of a comparison as a sentence. */
export function sentence(line: ComparisonLine, { a, b }: Pick<Comparison, "a" | "b">): string {
  const { difference, interval, adjusted, kind, detectable } = line;
  const name = nameOf(line);
  if (difference === null) return `${name}: nothing can be said; ${line.reason ?? "no pair is decided"}.`;
  const unit = kind === "rate" ? " points" : "";
  if (interval === null && line.p !== null)
    return `${name}: no difference can be told; ${line.reason ?? "no item differs"} (${countedText(line.items, "item")}).`;
  if (interval === null)
    return `${name}: ${signed(difference, kind)}${unit}, but ${line.reason ?? "without an interval"}: nothing can be concluded.`;
  const amount = `${signed(difference, kind)}${unit}, 95 % ${intervalOf(line)}`;
  const missed =
    detectable === null
      ? `there are too few items to find any (${countedText(line.items, "item")})`
      : `with this many items a difference under ${magnitude(detectable, kind)} would be missed`;
  if (interval.low <= 0 && interval.high >= 0)
    return `${name}: no difference can be told (${amount}); ${missed}.`;
  const word =
    kind === "rate" ? (difference > 0 ? "more often" : "less often") : difference > 0 ? "higher" : "lower";
  const found = `${name}: ${printableText(b)} ${word} than ${printableText(a)} (${amount})`;
  return isFound(line)
    ? `${found}.`
    : `${found} by this line alone; among so many lines it may be chance (p ${pText(adjusted)}).`;
}

function magnitude(value: number, kind: ComparisonLine["kind"]): string {
  if (kind !== "rate") return meanText(value);
  return value > 1 ? "100 points" : countedText(Math.ceil(100 * value), "point");
}

function methodNote({ lines }: Comparison): string {
  const isClustered = lines.some(({ method }) => method === "clustered");
  const isExact = lines.some(({ method }) => method === "mcnemar");
  const tests = [
    ...(isExact ? ["McNemar's exact test (one conversation per item)"] : []),
    ...(isClustered ? ["cluster-robust paired differences (t on items − 1)"] : []),
  ].join(" and ");
  return tests === ""
    ? ""
    : `Paired by scenario, row, variant, arm and replicate: ${tests}; p adjusted for all lines (Holm).`;
}

/** A judge that differs between the sides may be a part of the difference. */
function judgeNote({ judges: { a, b, isOwn } }: Comparison): readonly string[] {
  if (a.join("\n") === b.join("\n")) return [];
  const names = (judges: readonly string[]): string => printableText(judges.join(", "));
  const why = isOwn
    ? "Each subject's own model read its replies"
    : `The judges differ: ${names(a)} read the replies of a, ${names(b)} those of b`;
  return [
    `${why}. One judge for both makes the comparison fair: elenchus regrade <run> --judge openai/gpt-5-mini`,
  ];
}

function leftNotes({ lines, unpaired, versions, acrossVersions }: Comparison): readonly string[] {
  const notes = unpaired.map(
    ({ reason, count, examples }) =>
      `Not paired: ${countedText(count, "conversation")}, ${printableText(reason)} (${printableText(examples.slice(0, 3).join(", "))}${examples.length > 3 ? ", …" : ""}).${reason === CHANGED_ROW ? " To compare them: --across-versions" : ""}`,
  );
  if (versions.length > 0) {
    const hashes = versions.slice(0, 3).map(({ scenario, a, b }) => `${scenario} (${a} and ${b})`);
    const what = acrossVersions ? "Compared across versions" : "Left out, because their versions differ";
    notes.push(
      `${what}: ${printableText(hashes.join(", "))}${versions.length > 3 ? ", …" : ""}.${acrossVersions ? "" : " To compare them: --across-versions"}`,
    );
  }
  for (const line of lines) {
    const { inconclusive, errors, notApplicable } = line.left;
    const parts = [
      ...(inconclusive > 0 ? [`${countText(inconclusive)} inconclusive`] : []),
      ...(errors > 0 ? [`${countText(errors)} with errors`] : []),
      ...(notApplicable > 0 ? [`${countText(notApplicable)} not applicable`] : []),
    ];
    if (parts.length > 0) notes.push(`Pairs left out of ${nameOf(line)}: ${parts.join(", ")}.`);
  }
  return notes;
}

/** The conversations that differ, by name, for `--discordant` and for CI. */
export function discordantText({ lines }: Comparison, most: number): readonly string[] {
  return lines.flatMap((line) => {
    const pairs = [
      ...line.onlyA.map((pair) => ({ ...pair, side: "only a" })),
      ...line.onlyB.map((pair) => ({ ...pair, side: "only b" })),
    ];
    if (pairs.length === 0) return [];
    const shown = pairs
      .slice(0, most)
      .map(
        ({ name, a, b, side }) =>
          `  ${side}  ${printableText(name)}  a ${printableText(a)}  b ${printableText(b)}`,
      );
    const rest = pairs.length > most ? [`  … and ${countedText(pairs.length - most, "more pair")}`] : [];
    return [`${nameOf(line)}: ${countedText(pairs.length, "pair")} differ`, ...shown, ...rest];
  });
}

/** Comparisons as Markdown, for a comment in a pull request. */
export function comparisonMarkdown(comparisons: readonly Comparison[]): string {
  return comparisons
    .map((comparison) => {
      const { a, b, lines } = comparison;
      const rows = lines.map((line) => {
        const mark = isFound(line) ? "**" : "";
        return `| ${[`${mark}${cell(nameOf(line))}${mark}`, ...cellsOf(line, " / ")].join(" | ")} |`;
      });
      return [
        `### ${cell(b)} compared with ${cell(a)}`,
        "",
        "| outcome | a | b | b − a | 95 % | p (Holm) | n | only a / only b |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
        ...rows,
        "",
        ...lines.map((line) => `- ${cell(sentence(line, comparison))}`),
        ...judgeNote(comparison).map((note) => `- ${cell(note)}`),
        "",
      ].join("\n");
    })
    .join("\n");
}

/** A text that cannot break a table, add markup or mention people: after `@` comes a space of no width. */
function cell(text: string): string {
  return printableText(text)
    .replace(/[\\|<>*_`[\]#]/g, "\\$&")
    .replaceAll("@", "@&#8203;");
}
