import { conspicuous, type Missing } from "../data/run-counts.ts";
import type { RunRates } from "../data/run-rates.ts";
import { countText, percentText } from "./figures.ts";
import { testedName } from "./names.ts";

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
