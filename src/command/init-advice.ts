import { join } from "node:path";
import { readTextFile } from "../project/read-text-file.ts";
import { isRecord } from "../value/json.ts";
import type { InitFile } from "./init-files.ts";

/** Lines that a person may add to a file that was kept. */
export interface InitAdvice {
  /** Ends in a colon. */
  readonly sentence: string;
  readonly lines: readonly string[];
}

/** What is missing in files that were kept; nothing is ever added to them. */
export async function initAdvice(
  folder: string,
  kept: readonly string[],
  files: readonly InitFile[],
): Promise<readonly InitAdvice[]> {
  const advice = kept.map(async (name): Promise<InitAdvice | undefined> => {
    const { text } = await readTextFile(join(folder, name), name);
    if (text === undefined) return undefined;
    if (name === ".gitignore") return ignoreAdvice(text);
    if (name === "package.json") return packageAdvice(text);
    const readme = files.find((file) => file.name === "README.md");
    return /^readme/i.test(name) && readme !== undefined ? readmeAdvice(name, text, readme) : undefined;
  });
  return (await Promise.all(advice)).filter((one) => one !== undefined);
}

function ignoreAdvice(text: string): InitAdvice | undefined {
  if (/^\s*(?:\*\*)?\/?\.elenchus(?:\/\*{0,2})?\s*$/m.test(text)) return undefined;
  return {
    sentence: "Add this line to your .gitignore, so that runs are not committed:",
    lines: [".elenchus/"],
  };
}

/** Without it, Node may take a `.ts` file for the old kind of module, which knows no `import`. */
function packageAdvice(text: string): InitAdvice | undefined {
  if (!isJsonWithoutModules(text)) return undefined;
  return {
    sentence: "Add this line to your package.json, so that .ts files can import:",
    lines: ['"type": "module",'],
  };
}

function isJsonWithoutModules(text: string): boolean {
  try {
    const settings: unknown = JSON.parse(text);
    return isRecord(settings) && settings.type !== "module";
  } catch {
    return false;
  }
}

function readmeAdvice(name: string, text: string, readme: InitFile): InitAdvice | undefined {
  if (/elenchus/i.test(text)) return undefined;
  return { sentence: `Add these lines to your ${name}:`, lines: readme.text.trimEnd().split("\n").slice(2) };
}
