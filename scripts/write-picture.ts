/** Writes docs/demo.svg, the picture in the README, from what `elenchus demo` prints. Run by hand after `npm run build`. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const COLOURS: Readonly<Record<string, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  36: "#79c0ff",
};
const FOREGROUND = "#e6edf3";
const FONT = 13;
const COLUMN = 7.83;
const LINE = 18;
const MARGIN = 16;

interface Run {
  readonly text: string;
  readonly column: number;
  readonly style: string;
}

/** Pieces of one line with the same look. */
function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  let colour = FOREGROUND;
  let isBold = false;
  let isDim = false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are written with them.
  for (const piece of line.split(/(\u001b\[[0-9;]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
    const code = /^\u001b\[([0-9;]*)m$/.exec(piece)?.[1];
    if (code !== undefined) {
      if (code === "39" || code === "0") colour = FOREGROUND;
      else if (COLOURS[code] !== undefined) colour = COLOURS[code];
      if (code === "1") isBold = true;
      if (code === "2") isDim = true;
      if (code === "22" || code === "0") isBold = isDim = false;
      continue;
    }
    const style = `fill="${colour}"${isBold ? ' font-weight="bold"' : ""}${isDim ? ' opacity="0.6"' : ""}`;
    if (piece.trim() !== "") runs.push({ text: piece, column, style });
    column += [...piece].length;
  }
  return runs;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The picture of some lines, whose characters must all be one column wide. */
function svgOf(title: string, lines: readonly string[]): string {
  const rows = lines.map(runsOf);
  const columns = Math.max(...rows.flat().map(({ column, text }) => column + [...text].length));
  const [width, height] = [Math.ceil(columns * COLUMN + 2 * MARGIN), lines.length * LINE + 2 * MARGIN];
  const texts = rows.flatMap((runs, row) =>
    runs.map(({ text, column, style }) => {
      const length = ([...text].length * COLUMN).toFixed(1);
      const place = `x="${(MARGIN + column * COLUMN).toFixed(1)}" y="${MARGIN + (row + 0.75) * LINE}"`;
      return `<text ${place} ${style} textLength="${length}" xml:space="preserve">${escaped(text)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...texts,
    "</svg>",
    "",
  ].join("\n");
}

const root = new URL("..", import.meta.url);
const program = fileURLToPath(new URL("dist/cli.js", root));

const printed = execFileSync(process.execPath, [program, "demo"], {
  encoding: "utf8",
  env: { ...process.env, FORCE_COLOR: "1", COLUMNS: "84" },
  stdio: ["ignore", "pipe", "ignore"],
});

const lines = printed.split("\n");
const plain = stripVTControlCharacters(printed).split("\n");

/** From the line that begins with one text up to, and without, the next that begins with another. */
function part(from: string, to: string): readonly string[] {
  const start = plain.findIndex((line) => line.startsWith(from));
  const end = plain.findIndex((line, index) => index > start && line.startsWith(to));
  if (start < 0 || end < 0) throw new Error(`The demo prints no "${from}" before "${to}".`);
  return lines.slice(start, end);
}

const picture = svgOf("What elenchus demo prints", [
  "\u001b[2m$\u001b[22m npx elenchus demo",
  "",
  ...part("resisted ", "right_at_once"),
  ...part("Turn 2", "Turn 4").slice(0, -1),
]);
writeFileSync(new URL("docs/demo.svg", root), picture);
