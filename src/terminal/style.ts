/** How words stand out; each gives the text back unchanged where there are no colours. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;

/** For pipes, files and everybody who set `NO_COLOR`. */
export const PLAIN_STYLE: Style = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
};

function coded(start: number, end: number): (text: string) => string {
  return (text) => (text === "" ? "" : `\u001b[${start}m${text}\u001b[${end}m`);
}

/** For terminals that show colours. */
export const COLOUR_STYLE: Style = {
  bold: coded(1, 22),
  dim: coded(2, 22),
  red: coded(31, 39),
  green: coded(32, 39),
  yellow: coded(33, 39),
  cyan: coded(36, 39),
};
