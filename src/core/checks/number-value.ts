import { strip } from "./white-space.ts";

const DECIMAL_CHARACTERS = /^[0-9eE+.-]+$/;

/** A value read as a number: a finite number, or a text that is one (`" 3.5 "`, `"1e3"`); else undefined. */
export function numberValue(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" ? numberOfText(value) : undefined;
}

function numberOfText(text: string): number | undefined {
  const stripped = strip(text);
  // `Number` alone would also accept "", "0x10" and "Infinity".
  if (!DECIMAL_CHARACTERS.test(stripped)) return undefined;
  const number = Number(stripped);
  return Number.isFinite(number) ? number : undefined;
}
