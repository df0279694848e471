import { printableText } from "../../terminal/printable-text.ts";
import type { RatedOutcome } from "../data/outcome-rates.ts";
import { meanText } from "./figures.ts";

/** The first outcome of a run that is decided: its rate or mean; from the least to the largest, where there are several subjects. */
export function headlineOf(outcomes: readonly RatedOutcome[]): string {
  const rated = outcomes.find(({ kind }) => kind !== "undecided");
  if (rated === undefined || rated.kind === "undecided") return "";
  const isRate = rated.kind === "assertion";
  const values = isRate ? rated.lines.map(({ rate }) => rate) : rated.lines.map(({ mean }) => mean);
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "";
  const text = (value: number): string => (isRate ? String(Math.round(100 * value)) : meanText(value));
  const [least, most] = [text(Math.min(...known)), text(Math.max(...known))];
  const range = `${least === most ? least : `${least}–${most}`}${isRate ? " %" : ""}`;
  return `${printableText(rated.outcome)} ${range}`;
}
