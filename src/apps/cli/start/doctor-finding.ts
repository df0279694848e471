import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";

/** The state of something: fine, not used, needs attention, or configured but not usable. */
export type FindingLevel = "fine" | "none" | "warning" | "broken";

/** One thing that was examined. */
export interface Finding {
  readonly level: FindingLevel;
  readonly text: string;
}

/** Things that belong together. */
export interface DoctorSection {
  readonly title: string;
  readonly findings: readonly Finding[];
}

const MARKS: Readonly<Record<FindingLevel, readonly [mark: string, paint: keyof Style]>> = {
  fine: ["✓", "green"],
  none: ["·", "dim"],
  warning: ["!", "yellow"],
  broken: ["✗", "red"],
};

/** How findings are printed. */
interface FindingLayout {
  readonly style: Style;
  readonly width: number;
  /** What must not be shown, in a name, a path or a message. */
  readonly secrets: readonly string[];
}

/** A section as text. */
export function sectionText({ title, findings }: DoctorSection, layout: FindingLayout): string {
  const lines = findings.flatMap((finding) => findingLines(finding, layout));
  return linesText([layout.style.bold(title), ...lines]);
}

function findingLines({ level, text }: Finding, layout: FindingLayout): readonly string[] {
  const { style, width } = layout;
  const [mark, paint] = MARKS[level];
  const words = level === "none" ? style.dim : (line: string): string => line;
  return wrapText(safeText(text, layout), width - 4).map(
    (line, index) => `  ${index === 0 ? style[paint](mark) : " "} ${words(line)}`,
  );
}

/** The sentence at the end: everything is fine, or what to do first. */
export function conclusionText(findings: readonly Finding[], layout: FindingLayout): string {
  const { style, width } = layout;
  const broken = findings.filter(({ level }) => level === "broken");
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const [first] = broken;
  const [mark, paint] = MARKS[first === undefined ? "fine" : "broken"];
  const sentence =
    first !== undefined
      ? `${broken.length === 1 ? "One problem" : `${broken.length} problems`}. First: ${first.text}`
      : warnings === 0
        ? "Everything is fine."
        : "No problems; see the warnings marked with !.";
  return wrapText(safeText(sentence, layout), width - 2)
    .map((line, index) => `${index === 0 ? style[paint](mark) : " "} ${line}\n`)
    .join("");
}

function safeText(text: string, { secrets }: FindingLayout): string {
  return printableText(redactSecrets(text, secrets));
}
