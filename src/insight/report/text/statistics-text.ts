import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import type { JudgeReport } from "../data/judge-agreement.ts";
import type { NoiseLine } from "../data/noise.ts";
import { countedText, countText, intervalText, meanText, NOTHING, percentText } from "./figures.ts";
import type { TextOptions } from "./text-blocks.ts";

/** Where the noise of each outcome comes from, and what would narrow its interval most. */
export function noiseText(lines: readonly NoiseLine[], { style, width }: TextOptions): string {
  if (lines.length === 0) return "No outcome is decided.\n";
  const share = (part: number | null, whole: number): string =>
    part === null ? NOTHING : whole === 0 ? "0 %" : `${Math.round((100 * part) / whole)} %`;
  return linesText(
    lines.flatMap((line) => {
      const apart = line.replicateVariance !== null;
      const parts = [
        { name: "items", variance: line.itemVariance },
        ...(line.variants > 1
          ? [{ name: apart ? "variants" : "variants and replicates", variance: line.variantVariance }]
          : []),
        ...(apart || line.variants === 1 ? [{ name: "replicates", variance: line.replicateVariance }] : []),
        ...(line.simulators < 2 ? [] : [{ name: "simulators", variance: line.simulatorVariance }]),
        ...(line.judges < 2 ? [] : [{ name: "judges", variance: line.judgeVariance }]),
      ];
      const whole = parts.reduce<number>((sum, { variance }) => sum + (variance ?? 0), 0);
      const split =
        line.itemVariance === null
          ? "the variance cannot be split"
          : `variance ${meanText(whole)}: ${parts.map(({ name, variance }) => `${name} ${share(variance, whole)}`).join(", ")}; standard error ${meanText(line.error)}`;
      return [
        style.bold(`${printableText(line.outcome)}, ${printableText(line.subject)}`),
        ...wrapText(`${split}.`, width - 2).map((text) => `  ${text}`),
        ...wrapText(
          line.error === 0
            ? "All conversations came out the same: nothing can be narrowed."
            : `To narrow the interval: ${noiseAdvice(line)}.`,
          width - 2,
        ).map((text) => `  ${text}`),
      ];
    }),
  );
}

/** What would narrow the interval most, in words. */
export function noiseAdvice(line: NoiseLine): string {
  const { error, items, replicates, moreItems, moreReplicates } = line;
  if (items < 2) return "one item only: more items are needed before anything can be said";
  const unknown =
    "one conversation per item and variant: what replicates would add is not known; run with --replicates 3";
  if (error === null || moreItems === null) return replicates <= 1 ? unknown : "not known";
  if (error === 0) return "no variance: all conversations came out the same";
  const [best, ...others] = (
    [
      ["twice as many items", moreItems],
      ["twice as many replicates", moreReplicates],
      ["a judge that agrees with itself", line.otherJudge],
      ["simulators that play alike", line.otherSimulator],
    ] as const
  )
    .flatMap(([text, other]) =>
      other === null ? [] : [{ text, gain: Math.round(100 * (1 - other / error)) }],
    )
    .sort((one, other) => other.gain - one.gain)
    .map(({ text, gain }) => `${text} (${gain} % narrower)`);
  const rest = moreReplicates === null ? [unknown] : [];
  return `most would help ${best}; ${[...others, ...rest].join(", ")}`;
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
