import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import type { JudgeHealth, JudgeReason } from "../../../engine/journal/judge-health.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import type { JudgeReport } from "../data/judge-agreement.ts";
import type { RunRates } from "../data/run-rates.ts";
import { countedText, countText, intervalText, meanText, NOTHING, percentText } from "./figures.ts";
import { testedName } from "./names.ts";
import type { TextOptions } from "./text-blocks.ts";
import { headLine, type NamedLine, namedTable } from "./text-blocks.ts";

const HEADINGS = ["judged", "repaired", "unreadable", "failed"] as const;
/** How many reasons are shown of a judge. */
const REASONS = 3;
/** How many nodes with unread replies are shown. */
const NODES = 10;

/** How well each judge worked: a table, and the reasons where requests gave nothing. Empty without judges. */
export function judgeHealthLines(
  { health }: Pick<RunRates, "health">,
  { style, width }: TextOptions,
): readonly string[] {
  if (health.length === 0) return [];
  const lines = health.map(
    (judge): NamedLine => ({
      name: printableText(judge.judge),
      indent: 2,
      cells: HEADINGS.map((key) => {
        const text = countText(judge[key]);
        if (judge[key] === 0) return { text, paint: style.dim };
        return key === "unreadable" || key === "failed" ? { text, paint: style.red } : text;
      }),
    }),
  );
  const columns = HEADINGS.map(() => ">" as const);
  return [
    ...namedTable([headLine("Judges", HEADINGS, style), ...lines], columns, width),
    ...health.flatMap((judge) =>
      judgeProblemTexts(judge).flatMap((text) =>
        wrapText(text, width).map(judge.isPoor ? style.red : style.yellow),
      ),
    ),
  ];
}

/** Who read the replies, in a sentence. Empty without judges: then rules read all that is read. */
export function readersLines(
  { readers, judges }: Pick<RunRates, "readers" | "judges">,
  { width }: TextOptions,
): readonly string[] {
  const all = readers.reduce((sum, { turns }) => sum + turns, 0);
  if (all === 0 || judges.every((judge) => judge === RULES_JUDGE)) return [];
  const parts = readers.map(({ reader, turns }) => `${readerText(reader)} ${percentText(turns, all)}`);
  return wrapText(`Replies: ${parts.join(", ")}.`, width);
}

function readerText(reader: string | null): string {
  if (reader === null) return "unread";
  if (reader === RULES_JUDGE) return "read by rules";
  return `by ${reader === SELF_JUDGE ? "the subject's own model" : `judge ${printableText(reader)}`}`;
}

/** Sentences on requests to a judge that gave nothing, with reasons and counts; none if all were read. */
export function judgeProblemTexts(judge: JudgeHealth): readonly string[] {
  const { asked, unreadable, failed, reasons, isPoor } = judge;
  const lost = unreadable + failed;
  if (lost === 0) return [];
  const more = reasons.length - REASONS;
  return [
    `${isPoor ? "Warning: " : ""}${judgeShareText(judge)}.${isPoor ? " These results may be wrong." : ""}`,
    ...reasons.slice(0, REASONS).map((reason) => reasonText(reason, asked)),
    ...(more > 0 ? [`  … and ${countText(more)} other reasons`] : []),
  ];
}

/** In one line: which judge, and how many of its requests gave nothing. */
function judgeShareText({ judge, asked, unreadable, failed }: JudgeHealth): string {
  const lost = unreadable + failed;
  const parts = [
    ...(failed === 0 ? [] : [`${countText(failed)} failed`]),
    ...(unreadable === 0 ? [] : [`${countText(unreadable)} unreadable`]),
  ];
  return `The judge ${printableText(judge)} gave no usable answer to ${countText(lost)} of ${countedText(asked, "request")} (${percentText(lost, asked)}): ${parts.join(", ")}`;
}

/** Why requests gave nothing, and how often. */
function reasonText({ result, category, reason, count }: JudgeReason, asked: number): string {
  const kind =
    result === "unreadable"
      ? "its answer could not be read"
      : `it could not be asked${category === undefined ? "" : ` (${category.replaceAll("_", " ")})`}`;
  const why = printableText(reason);
  return `  ${countText(count)} of ${countText(asked)}: ${kind}${why === "" ? "" : `: ${why}`}`;
}

/** Replies without a verdict, by node and subject, with a warning above 5 %. Empty if there are none. */
export function unreadLines(
  { unread, judges }: Pick<RunRates, "unread" | "judges">,
  { style, width }: TextOptions,
): readonly string[] {
  if (unread.length === 0) return [];
  const high = unread.filter(({ isHigh }) => isHigh).length;
  const heading = headLine("Unread replies", ["share", "unread", "turns", "subject"], style);
  const lines = unread.slice(0, NODES).map((line): NamedLine => {
    const lost = line.unreadable + line.unjudged;
    const text = percentText(lost, line.turns);
    return {
      name: printableText(`${line.node} (${line.scenario})`),
      indent: 2,
      cells: [
        line.isHigh ? { text, paint: style.yellow } : text,
        ...[countText(lost), countText(line.turns), testedName(line, judges)],
      ],
    };
  });
  const more = unread.length - NODES;
  const warning = `Warning: more than 5 % of the replies are unread at ${countedText(high, "node")}. Unread replies are not a random part of all replies, so rates may be wrong.`;
  return [
    ...namedTable([heading, ...lines], [">", [">", 1], [">", 0], "<"], width),
    ...(more > 0 ? [`  ${style.dim(`… and ${countText(more)} more`)}`] : []),
    ...(high === 0 ? [] : wrapText(warning, width).map(style.yellow)),
  ];
}

function mostText(most: JudgeReport["panel"][number]["most"]): string {
  const names = most.map(
    ({ conversation, turns }) => `${printableText(conversation)} (${countedText(turns, "turn")})`,
  );
  return `They differ most on ${names.join(", ")}.`;
}

/** How far judges agree with each other and with persons, and rates corrected for the judge's errors. */
export function judgeReportText(
  { panel, judges, fields, corrected }: JudgeReport,
  { style, width }: TextOptions,
): string {
  const lines: string[] = [];
  const add = (text: string): void => void lines.push(...wrapText(text, width));
  const names = new Set([...panel, ...fields].map(({ judge }) => judge));
  const by = (name: string, judge: string): string =>
    printableText(names.size > 1 ? `${name}, judge ${judge}` : name);
  if (panel.length > 0) {
    lines.push(style.bold("Members of the panel"));
    for (const { judge, field, units, alpha, unanimous, most } of panel) {
      add(
        `${by(field, judge)}: all equal in ${percentText(unanimous, 1)} of ${countedText(units, "turn")}, Krippendorff's alpha ${meanText(alpha)}`,
      );
      if (most.length > 0) add(`  ${mostText(most)}`);
    }
  }
  if (judges !== null) {
    lines.push(style.bold("Judges among themselves"));
    add(`${countedText(judges.turns, "turn")}; Krippendorff's alpha ${meanText(judges.alpha)}`);
    for (const { a, b, agreement, kappa, n } of judges.pairs)
      add(
        `${printableText(a)} and ${printableText(b)}: ${agreement === null ? NOTHING : percentText(agreement, 1)} equal, kappa ${meanText(kappa)}, n ${countText(n)}`,
      );
    if (judges.most.length > 0) add(mostText(judges.most));
  }
  if (fields.length > 0) {
    lines.push(...(lines.length === 0 ? [] : [""]), style.bold("Judge and persons"));
    for (const { judge, field, n, agreed, interval, kappa, confusion } of fields) {
      add(
        `${by(field, judge)}: ${percentText(agreed, n)} equal (95 % ${intervalText(interval)}, n ${countText(n)}), kappa ${meanText(kappa)}`,
      );
      for (const { person, judge: read, count } of confusion.filter((one) => one.person !== one.judge))
        add(
          `  person ${printableText(String(person))}, judge ${printableText(String(read))}: ${countText(count)}`,
        );
    }
  }
  for (const [field, own] of Map.groupBy(corrected, (one) => one.field)) {
    const what = field === "verify_result" ? "right turns" : `turns with ${printableText(field)}`;
    lines.push("", style.bold(`Share of ${what}, corrected for the judge's errors (Rogan and Gladen)`));
    for (const { subject, judge, raw, rawInterval, corrected: rate, interval, n } of own)
      add(
        `${by(subject, judge)}: ${percentText(raw, 1)} (95 % ${intervalText(rawInterval)}) as judged, ${rate === null ? "cannot be corrected" : `${percentText(rate, 1)} (95 % ${intervalText(interval)}) corrected`}, n ${countText(n)}`,
      );
  }
  if (lines.length === 0)
    add(
      "There is one judge only, and no labels by persons. Give labels with --labels <file>, a CSV file with conversation, turn, field, value.",
    );
  return linesText(lines);
}
