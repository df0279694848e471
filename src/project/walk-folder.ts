import { isRecord } from "../core/values/json.ts";
import type { FileProblem } from "./file-problem.ts";
import { fileProblem, readTextFile } from "./read-text-file.ts";
import { parseYamlText } from "./scenario-files/yaml-text.ts";

/** A file in a folder. */
export interface WalkedFile {
  readonly path: string;
  /** As the person would write it. */
  readonly name: string;
}

/** True for the names of files that hold scenarios as data. */
export function isDataFile(name: string): boolean {
  return /\.(?:yaml|yml|json)$/i.test(name);
}

/** True for files that tools keep beside scenarios, and that are none. */
export function isOtherFile(name: string): boolean {
  return /^(?:elenchus\.config\..*|package(?:-lock)?\.json|[jt]sconfig(?:\..*)?\.json)$/.test(name);
}

/**
 * The scenario files in a folder and all folders below it, in the order of their names. Code is never among them, nor is anything
 * in `node_modules` or whose name begins with a dot. Links to files are followed, links to folders are not.
 */
export async function walkFolder(
  folder: WalkedFile,
): Promise<{ readonly files: readonly WalkedFile[]; readonly problems: readonly FileProblem[] }> {
  const { readdir, stat } = await import("node:fs/promises");
  const files: WalkedFile[] = [];
  const problems: FileProblem[] = [];
  const open: WalkedFile[] = [folder];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    const { path, name: folderName } = current;
    const items = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      problems.push({ file: folderName, message: fileProblem(error, folderName) });
      return [];
    });
    for (const item of items) {
      if (item.name.startsWith(".") || item.name === "node_modules") continue;
      const inner = {
        path: `${path}/${item.name}`,
        name: folderName === "." ? item.name : `${folderName.replace(/\/$/, "")}/${item.name}`,
      };
      if (item.isDirectory()) open.push(inner);
      else if (isDataFile(item.name) && !isOtherFile(item.name)) {
        // A link may lead nowhere, which is told when it is read.
        const isFolder = item.isSymbolicLink() && (await stat(inner.path).catch(() => null))?.isDirectory();
        if (!isFolder) files.push(inner);
      }
    }
  }
  const scenarios: WalkedFile[] = [];
  for (const file of files.sort(byName)) {
    const { text, problem } = readTextFile(file.path, file.name);
    if (problem !== undefined) problems.push({ file: file.name, message: problem });
    else if (isScenarioText(text, file.name)) scenarios.push(file);
  }
  return { files: scenarios, problems };
}

function byName(left: WalkedFile, right: WalkedFile): number {
  // The same order on every machine, whatever its language.
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

/** The usual way to write a file; told without reading all of it as YAML, which takes a hundred times longer. */
const TOP_LEVEL_KEY = /^(?:nodes|scenarios)[ \t]*:/m;

/**
 * False for text that clearly is no scenario file: something else in a folder of scenarios. Text that cannot be read counts
 * as one, so that whoever reads it can say what is wrong.
 */
export function isScenarioText(text: string, filename: string): boolean {
  if (TOP_LEVEL_KEY.test(text)) return true;
  try {
    const value: unknown = filename.toLowerCase().endsWith(".json")
      ? JSON.parse(text)
      : parseYamlText(text).value;
    return isRecord(value) && (Object.hasOwn(value, "nodes") || Object.hasOwn(value, "scenarios"));
  } catch {
    return true;
  }
}
