import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { standInModel } from "./stand-in-model.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** A line that comes and goes; a person at a terminal does not see it in the end. */
const PROGRESS = /^[\d,]+ of [\d,]+ conversations?, .*\n/gm;

/** A fenced block of a page. */
export interface PageBlock {
  readonly language: string;
  readonly text: string;
  /** Of a file that is named in a comment before it: `<!-- capitals.csv -->`. */
  readonly name: string | undefined;
}

/** A block of commands, what the page says they print, and what they do print. */
export interface ShellStep {
  readonly commands: string;
  readonly told: string;
  readonly printed: string;
}

/** The fenced blocks of a page. */
export function pageBlocks(page: string): readonly PageBlock[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const blocks = text.matchAll(/^(?:<!-- (\S+) -->\n\n)?```(\w*)\n(.*?)^```$/gms);
  return [...blocks].map(([, name, language = "", inner = ""]) => ({ language, text: inner, name }));
}

/**
 * Follows a page in an empty folder: writes the files that it shows (a comment before them, or their first line, has their name) and gives
 * the commands of each ```sh block that has a ```console block after it. `npx elenchus` is the command line as it was
 * built, or else as it is in the sources, and real models are a stand-in on this machine.
 */
export async function followPage(page: string): Promise<readonly ShellStep[]> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-page-"));
  const model = await standInModel();
  try {
    const environment = environmentIn(folder, model.url);
    const blocks = pageBlocks(page);
    const steps: ShellStep[] = [];
    for (const [index, { language, text, name: given }] of blocks.entries()) {
      if (given !== undefined) write(join(folder, "project", given), text);
      const [, name] = /^(?:#|\/\/) (\S+\.(?:yaml|ts))\n/.exec(text) ?? [];
      if (name !== undefined && (language === "yaml" || language === "ts"))
        write(join(folder, "project", name), text);
      const next = blocks[index + 1];
      if (language !== "sh" || next?.language !== "console") continue;
      const printed = await printedBy(text, { cwd: join(folder, "project"), env: environment });
      steps.push({ commands: text, told: next.text, printed });
    }
    return steps;
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes what the commands of a page have printed into the page. */
export function fillPage(page: string, steps: readonly ShellStep[]): void {
  const path = join(ROOT, page);
  const printed = steps.map((step) =>
    gapsKept(withoutBlankEnds(step.printed.replace(PROGRESS, "")), withoutBlankEnds(step.told)),
  );
  const text = readFileSync(path, "utf8").replace(
    /^```console\n.*?^```$/gms,
    () => `\`\`\`console\n${printed.shift()}\n\`\`\``,
  );
  writeFileSync(path, text);
}

/** A line with nothing but … still stands for what is between as many lines as were shown before and after it. */
function gapsKept(printed: string, told: string): string {
  const [start, end] = told.split("\n…\n").map((part) => part.split("\n").length);
  const lines = printed.split("\n");
  return end === undefined ? printed : [...lines.slice(0, start), "…", ...lines.slice(-end)].join("\n");
}

/** What is the same whenever a page is followed: without progress, names of runs that nobody chose, times of day. */
export function lasting(text: string): string {
  const stable = text
    .replace(PROGRESS, "")
    .replace(/\b[0-9a-f]{12}\b/g, "<run>")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "<time>");
  return withoutBlankEnds(stable);
}

/** Without empty lines at its start and space at its end; the first line keeps its indentation. */
function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

/** Nothing of this machine but what a stand-in for a model needs, and an `npx` that starts this command line. */
function environmentIn(folder: string, url: string): Record<string, string> {
  const npx = join(folder, "bin", "npx");
  const built = join(ROOT, "dist/cli.js");
  const program = existsSync(built) ? built : join(ROOT, "src/apps/cli/main.ts");
  write(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(npx, 0o755);
  mkdirSync(join(folder, "project"));
  return {
    PATH: `${dirname(npx)}${delimiter}${process.env.PATH ?? ""}`,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    NODE_COMPILE_CACHE: join(tmpdir(), "elenchus-cli-cache"),
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: "sk-no-key-of-anybody",
    OLLAMA_BASE_URL: url,
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Both streams, as a person sees them. */
function printedBy(
  commands: string,
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<string> {
  return new Promise((resolve) => {
    execFile("sh", ["-c", `exec 2>&1\n${commands}`], options, (_, stdout) => resolve(stdout));
  });
}
