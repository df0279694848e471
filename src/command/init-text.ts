import { printableText } from "../drawing/printable-text.ts";
import { alignColumns } from "../terminal/align-columns.ts";
import type { Style } from "../terminal/style.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { InitAdvice } from "./init-advice.ts";
import type { WrittenFiles } from "./init-write.ts";

/** What `init` tells. */
export interface InitReport extends WrittenFiles {
  /** The folder as one writes it where the command was given; empty if it is that one. */
  readonly folder: string;
  readonly advice: readonly InitAdvice[];
}

const NEXT: readonly (readonly [command: string, does: string])[] = [
  ["npx elenchus check", "draws the scenarios"],
  ["npx elenchus run", "holds the conversations"],
  ["npx elenchus show", "shows what came of it"],
];

/** Commands are never broken into lines; below this, what they do is left out. */
const NARROW = 48;

const REAL: readonly string[] = [
  "export OPENAI_API_KEY=<your key>",
  "npx elenchus run --subject openai/gpt-5-mini",
];

/** What was written, and what to type next. */
export function initText(report: InitReport, { style, width }: { style: Style; width: number }): string {
  const { folder, written, kept, advice } = report;
  const where = folder === "" ? "here" : `to ${printableText(folder)}`;
  const files = (names: readonly string[], paint: (text: string) => string): readonly string[] =>
    names.map((name) => `  ${paint(printableText(name))}`);
  const wrapped = (text: string): readonly string[] => wrapText(text, width);
  const steps = alignColumns(
    NEXT.map(([command, does]) => [
      { text: command, paint: style.bold },
      ...(width < NARROW ? [] : [{ text: does, paint: style.dim }]),
    ]),
    ["<", "<"],
  );
  const blocks: readonly (readonly string[])[] = [
    written.length === 0
      ? wrapped("Nothing was written: all files are there already.")
      : [...wrapped(`Written ${where}:`), ...files(written, style.green)],
    kept.length === 0
      ? []
      : [...wrapped("Kept as they are, for they were there already:"), ...files(kept, style.dim)],
    ...advice.map(({ sentence, lines }) => [
      ...wrapped(sentence).map(style.yellow),
      ...lines.map((line) => (line === "" ? "" : `  ${line}`)),
    ]),
    [
      style.bold("What to type next:"),
      ...(folder === "" ? [] : [`  ${style.bold(`cd ${shellWord(folder)}`)}`]),
      ...steps.map((line) => `  ${line}`),
    ],
    [
      ...wrapped("To test a real model, set its key and name it:"),
      ...REAL.map((line) => `  ${style.bold(line)}`),
      ...wrapped(
        "Or write it into elenchus.config.yaml. To see which models can be used: npx elenchus doctor",
      ),
    ],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  const safe = printableText(text.startsWith("-") ? `./${text}` : text);
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}
