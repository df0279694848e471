import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import type { JudgeHealth, JudgeReason } from "../../../engine/journal/judge-health.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { conspicuous, type Missing } from "../data/run-counts.ts";
import type { RunRates } from "../data/run-rates.ts";
import { countedText, countText, percentText } from "./figures.ts";
import { testedName } from "./names.ts";
import { headLine, type NamedLine, namedTable, type TextOptions } from "./text-blocks.ts";

/** More names are only counted. */
const NAMES = 4;

const KINDS = [
  ["unfinished", "did not finish", "conversations"],
  ["unread", "unread", "replies"],
] as const;

/** A warning of what is missing, if the share of one is high or the shares differ; none otherwise. */
export function missingTexts(all: readonly (Missing & { readonly name: string })[]): readonly string[] {
  const kinds = KINDS.flatMap(([kind, what, noun]) => {
    const found = conspicuous(all, (one) => one[kind]);
    if (found.length === 0) return [];
    const shares = found.slice(0, NAMES).map(({ name, [kind]: { count, of } }, place) => {
      const share = percentText(count, of);
      return `${share} of ${place === 0 ? `the ${noun}` : "those"} of ${name}`;
    });
    const more = found.length > NAMES ? `, and of ${countText(found.length - NAMES)} others` : "";
    return [`${what}: ${shares.join(", ")}${more}`];
  });
  if (kinds.length === 0) return [];
  return [
    `Warning: ${kinds.join("; ")}. What is missing is not a random part, so rates may be wrong and comparisons unfair.`,
  ];
}

/** What makes the rates of a run doubtful: what is missing, and unread replies that no judge was asked about. */
export function doubtTexts({
  missing,
  judges,
  health,
}: Pick<RunRates, "missing" | "judges" | "health">): readonly string[] {
  const unread = missing.reduce((sum, one) => sum + one.unread.count, 0);
  const all = missing.reduce((sum, one) => sum + one.unread.of, 0);
  return [
    ...missingTexts(missing.map((one) => ({ ...one, name: testedName(one, judges) }))),
    ...(unread === 0 || health.length > 0
      ? []
      : [
          `No judge read what the rules left: ${percentText(unread, all)} of the replies are unread. What rules leave is not a random part, so the true rate may lie anywhere within its bounds, and none is marked as best. To have the rest read: --judge <model>`,
        ]),
  ];
}

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
