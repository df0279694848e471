import { printableText } from "../../terminal/printable-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/text-layout.ts";
import type { JudgeReport } from "../data/judge-agreement.ts";
import { countedText, countText, intervalText, meanText, NOTHING, percentText } from "./figures.ts";

/** How far judges agree with each other and with persons, and what rates would be without the judge's errors. */
export function judgeReportText(
  { panel, judges, fields, corrected }: JudgeReport,
  { style, width }: { readonly style: Style; readonly width: number },
): string {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(...wrapText(text, width));
  if (panel.length > 0) {
    lines.push(style.bold("Members of the panel"));
    for (const { field, units, alpha, unanimous, most } of panel) {
      say(
        `${printableText(field)}: all equal in ${percentText(unanimous, 1)} of ${countedText(units, "turn")}, Krippendorff's alpha ${meanText(alpha)}`,
      );
      if (most.length > 0)
        say(
          `  They differ most on ${most.map(({ conversation, turns }) => `${printableText(conversation)} (${countedText(turns, "turn")})`).join(", ")}.`,
        );
    }
  }
  if (judges !== null) {
    lines.push(style.bold("Judges among themselves"));
    say(`${countedText(judges.turns, "turn")}; Krippendorff's alpha ${meanText(judges.alpha)}`);
    for (const { a, b, agreement, kappa, n } of judges.pairs)
      say(
        `${printableText(a)} and ${printableText(b)}: ${agreement === null ? NOTHING : percentText(agreement, 1)} equal, kappa ${meanText(kappa)}, n ${countText(n)}`,
      );
    if (judges.most.length > 0)
      say(
        `They differ most on ${judges.most.map(({ conversation, turns }) => `${printableText(conversation)} (${countedText(turns, "turn")})`).join(", ")}.`,
      );
  }
  if (fields.length > 0) {
    lines.push(...(lines.length === 0 ? [] : [""]), style.bold("Judge and persons"));
    for (const { field, n, agreed, interval, kappa, confusion } of fields) {
      say(
        `${printableText(field)}: ${percentText(agreed, n)} equal (95 % ${intervalText(interval)}, n ${countText(n)}), kappa ${meanText(kappa)}`,
      );
      for (const { person, judge, count } of confusion.filter((one) => one.person !== one.judge))
        say(
          `  person ${printableText(String(person))}, judge ${printableText(String(judge))}: ${countText(count)}`,
        );
    }
  }
  if (corrected.length > 0) {
    lines.push("", style.bold("Share of right turns, corrected for the judge's errors (Rogan and Gladen)"));
    for (const { subject, raw, rawInterval, corrected: rate, interval, n } of corrected)
      say(
        `${printableText(subject)}: ${percentText(raw, 1)} (95 % ${intervalText(rawInterval)}) as judged, ${rate === null ? "cannot be corrected" : `${percentText(rate, 1)} (95 % ${intervalText(interval)}) corrected`}, n ${countText(n)}`,
      );
  }
  if (lines.length === 0)
    say(
      "There is one judge only, and no labels by persons. Give labels with --labels <file>, a CSV file with conversation, turn, field, value.",
    );
  return lines.map((line) => `${line}\n`).join("");
}
