/** What XML 1.0 forbids, even as a reference: most control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** In attributes, white space other than spaces would be read as spaces; in a text, a carriage return as a line feed. */
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** A text between tags; what XML forbids is left out. */
export function xmlText(text: string): string {
  return escaped(text, /[&<>\r]/g);
}

/** A list of attributes, each with a space before it; those that are undefined are left out. */
export function xmlAttributes(attributes: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value), /[&<>"'\t\n\r]/g)}"`)
    .join("");
}

function escaped(text: string, pattern: RegExp): string {
  return text.replace(FORBIDDEN, "").replace(pattern, (character) => REFERENCES[character] ?? character);
}
