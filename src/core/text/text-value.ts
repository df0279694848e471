/**
 * White space as Python's `str.strip` and `\s` see it, because benchmarks that come from there must give the same
 * verdicts here: unlike JavaScript's `trim` it has U+001C to U+001F and U+0085, and lacks the byte order mark.
 */
function isWhiteSpace(code: number): boolean {
  if (code <= 0x20) return code >= 0x1c || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0xa0 || code === 0x85;
  return (
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x3000 ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x1680
  );
}

/** The text without white space at its ends. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** The runs of characters that are not white space, in one pass over the text. */
export function words(text: string): string[] {
  const found: string[] = [];
  let start = -1;
  for (let index = 0; index < text.length; index++) {
    if (!isWhiteSpace(text.charCodeAt(index))) {
      if (start < 0) start = index;
    } else if (start >= 0) {
      found.push(text.slice(start, index));
      start = -1;
    }
  }
  if (start >= 0) found.push(text.slice(start));
  return found;
}

/** The text with every run of white space as one space, and none at its ends. */
export function collapseWhiteSpace(text: string): string {
  return words(text).join(" ");
}

/** A value read as text: a string, or a finite number or boolean turned into one; else undefined. */
export function textValue(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isFinite(value) ? String(value) : undefined;
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}

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
