/** The signs a text drawing is made of; every one but the ellipsis takes as many columns as its twin. */
export interface Glyphs {
  readonly entry: string;
  readonly branch: string;
  readonly lastBranch: string;
  /** To a node that is drawn further down, or to `END`. */
  readonly forward: string;
  /** To a node that is drawn further up and does not lead back here. */
  readonly upward: string;
  /** Closes a loop. */
  readonly loop: string;
  readonly dot: string;
  readonly ellipsis: string;
  /** Stands for a count of nothing. */
  readonly none: string;
}

/** For terminals that show Unicode. */
export const UNICODE_GLYPHS: Glyphs = {
  entry: "▶",
  branch: "├─",
  lastBranch: "└─",
  forward: "→",
  upward: "↑",
  loop: "↺",
  dot: "·",
  ellipsis: "…",
  none: "–",
};

/** For everything else. */
export const ASCII_GLYPHS: Glyphs = {
  entry: ">",
  branch: "|-",
  lastBranch: "`-",
  forward: ">",
  upward: "^",
  loop: "@",
  dot: "-",
  ellipsis: "...",
  none: "-",
};

const SIGNS: Readonly<Record<string, string>> = {
  "≥": ">=",
  "≤": "<=",
  "≠": "!=",
  "…": "...",
  "\ufffd": "?",
};

/** Writes the signs of conditions in ASCII, and any other character as an escape, so that different ids stay different. */
export function asciiText(text: string): string {
  return text.replace(
    /[^ -~]/gu,
    (character) => SIGNS[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
