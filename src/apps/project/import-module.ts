import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { errorMessage } from "../../core/error-message.ts";
import { leaveIssuesToValidate } from "../../core/scenario/scenario.ts";
import { isRecord, type UnknownRecord } from "../../core/values/json.ts";
import { packageFolder } from "./package-files.ts";

/** What a module exports, or a sentence about why it cannot be loaded, with what was thrown. */
type ImportedModule =
  | {
      readonly exports: UnknownRecord;
      readonly problem?: never;
      readonly cause?: never;
      readonly place?: never;
    }
  | {
      readonly exports?: never;
      readonly problem: string;
      readonly cause: unknown;
      /** Where the author's code was when it threw: file, line and column. */
      readonly place?: string;
    };

const CODE_FILE = /\.[cm]?[jt]s$/;

/** True for the names of files that are code. */
export function isCodeFile(name: string): boolean {
  return CODE_FILE.test(name);
}

/** Runs a module that the user named. */
export async function importModule(path: string, name: string): Promise<ImportedModule> {
  resolveElenchus();
  const { emitWarning } = process;
  // Commands print the warnings of definitions themselves.
  process.emitWarning = (warning: string | Error, ...more: never[]) => {
    if (more[0] !== "ElenchusWarning") emitWarning.call(process, warning, ...more);
  };
  leaveIssuesToValidate(true);
  const printWarnings = withoutModuleWarning();
  try {
    const exports: UnknownRecord = await import(pathToFileURL(path).href);
    return { exports };
  } catch (cause) {
    if (OTHER_MODULES.test(errorMessage(cause)) && /\.[jt]s$/.test(name)) {
      const renamed = name.replace(/([jt]s)$/, "m$1");
      const advice = `Rename it to ${renamed}, or set "type": "module" in package.json.`;
      const why = 'its package has no "type": "module", so import and export are not understood';
      return { problem: `${name} cannot be loaded: ${why}. ${advice}`, cause };
    }
    const thrown = await thrownAt(cause, path);
    if (thrown === undefined) return { problem: `${name} cannot be loaded: ${sentence(cause)}`, cause };
    const file = join(dirname(name), relative(dirname(path), thrown.path));
    const place = `${file}:${thrown.line}${thrown.column === undefined ? "" : `:${thrown.column}`}`;
    const where = thrown.path === path ? `${place} cannot be loaded` : `${name} cannot be loaded: ${place}`;
    return { problem: `${where}: ${sentence(cause)}`, cause, place };
  } finally {
    leaveIssuesToValidate(false);
    printWarnings();
    process.emitWarning = emitWarning;
  }
}

/** Messages of Node about a file with `import` or `export` in a CommonJS package. */
const OTHER_MODULES =
  /^(?:Cannot use import statement outside a module|Unexpected token 'export'|Failed to load the ES module:)/;

/** Suppresses the warning that Node prints in addition to the error, until the returned function is called. */
function withoutModuleWarning(): () => void {
  const printers = process.listeners("warning");
  const print = (warning: Error): void => {
    if (!OTHER_MODULES.test(warning.message)) for (const printer of printers) printer(warning);
  };
  process.removeAllListeners("warning").on("warning", print);
  return () => {
    process.off("warning", print);
    for (const printer of printers) process.on("warning", printer);
  };
}

/** What was thrown, as a sentence. The issues of a scenario are listed; of other messages only the first line helps. */
function sentence(cause: unknown): string {
  const whole = errorMessage(cause).trim();
  if (isRecord(cause) && cause.name === "DefinitionError") return whole;
  const [message = ""] = whole.split("\n");
  return `${message.trim().replace(/\.$/, "") || "it threw nothing"}.${importAdvice(message)}`;
}

/** What to do about a package that is not found. */
function importAdvice(message: string): string {
  const [, name = ""] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  return name === "" ? "" : ` If it is the right name, install it: npm install ${name}`;
}

/** A place in the code of the author. */
interface CodePlace {
  readonly path: string;
  readonly line: number;
  readonly column?: number;
}

const OWN_CODE = ["dist", "src"].map((name) => `${join(packageFolder(), name)}/`);
const SYNTAX_PLACE = /^((?:file:\/\/)?\/.+):(\d+)\n/;
const STACK_FRAME = /^ +at (?:.*\()?(?:async )?((?:file:\/\/)?\/[^()]+):(\d+):(\d+)\)?$/;

/** Where in the author's code something was thrown: neither in this package, nor in Node, nor in what is installed. */
async function thrownAt(cause: unknown, path: string): Promise<CodePlace | undefined> {
  const stack = cause instanceof Error ? String(cause.stack) : "";
  const syntax = SYNTAX_PLACE.exec(stack);
  if (syntax !== null) return { path: filePath(syntax[1] ?? ""), line: Number(syntax[2]) };
  for (const text of stack.split("\n")) {
    const frame = STACK_FRAME.exec(text);
    if (frame === null) continue;
    const place = { path: filePath(frame[1] ?? ""), line: Number(frame[2]), column: Number(frame[3]) };
    if (!place.path.includes("/node_modules/") && !OWN_CODE.some((own) => place.path.startsWith(own)))
      return place;
  }
  return cause instanceof SyntaxError ? syntaxErrorIn(path) : undefined;
}

function filePath(text: string): string {
  return text.startsWith("file:") ? fileURLToPath(text) : text;
}

/** Node does not report the place of a syntax error in JavaScript. */
async function syntaxErrorIn(path: string): Promise<CodePlace | undefined> {
  const { parse } = await import("acorn");
  try {
    parse(readFileSync(path, "utf8"), { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
    return undefined;
  } catch (error) {
    const place = isRecord(error) && isRecord(error.loc) ? error.loc : {};
    if (typeof place.line !== "number" || typeof place.column !== "number") return undefined;
    return { path, line: place.line, column: place.column + 1 };
  }
}

let isRegistered = false;

/**
 * Lets modules of users import "elenchus" where it is not installed, as after `npx elenchus init`: they get this package. An
 * installed one goes first.
 */
function resolveElenchus(): void {
  // Missing in other runtimes than Node: there it must be installed.
  if (isRegistered || nodeModule.registerHooks === undefined) return;
  isRegistered = true;
  const folder = packageFolder();
  const own = pathToFileURL(`${folder}/`).href;
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const isOurs = specifier === "elenchus" || specifier.startsWith("elenchus/");
      if (!isOurs || context.parentURL?.startsWith(own)) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const path = ownEntry(specifier, folder);
        if (path !== undefined) return { url: pathToFileURL(path).href, shortCircuit: true };
        // Resolved from inside the package, the error is that it has no such export.
        return nextResolve(specifier, { ...context, parentURL: `${own}package.json` });
      }
    },
  });
}

/** The second code is that of `require`. */
function isNotFound(error: unknown): boolean {
  return isRecord(error) && (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND");
}

/** The file that this package exports under a name: the built one, or the source if the source is running. */
function ownEntry(specifier: string, folder: string): string | undefined {
  const { exports }: UnknownRecord = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entry = isRecord(exports) ? exports[`.${specifier.slice("elenchus".length)}`] : undefined;
  if (typeof entry === "string") return join(folder, entry);
  if (!isRecord(entry)) return undefined;
  // The path of the types gives the path of the source; bundles have other names.
  const source = String(entry.types)
    .replace("./dist/", "./src/")
    .replace(/\.d\.ts$/, ".ts");
  return join(folder, import.meta.url.endsWith(".ts") ? source : String(entry.default));
}
