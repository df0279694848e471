/** Writes docs/demo.svg, the picture in the README, from what `elenchus demo` prints. Run by hand after `npm run build`. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { svgOf } from "./terminal-picture.ts";

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
