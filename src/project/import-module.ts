import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage } from "../core/values/error-message.ts";
import { isRecord, type UnknownRecord } from "../core/values/json.ts";
import { packageFolder } from "./package-folder.ts";

/** What a module exports, or a sentence about why it cannot be loaded, with what was thrown. */
export type ImportedModule =
  | { readonly exports: UnknownRecord; readonly problem?: never }
  | { readonly exports?: never; readonly problem: string; readonly cause: unknown };

const CODE_FILE = /\.(?:ts|js|mjs)$/;

/** True for the names of files that are code. */
export function isCodeFile(name: string): boolean {
  return CODE_FILE.test(name);
}

/** Runs a module, which the person has named as code. */
export async function importModule(path: string, name: string): Promise<ImportedModule> {
  const { pathToFileURL } = await import("node:url");
  resolveElenchus();
  try {
    const exports: UnknownRecord = await import(pathToFileURL(path).href);
    return { exports };
  } catch (cause) {
    const [message = ""] = errorMessage(cause).split("\n");
    return {
      problem: `${name} cannot be loaded: ${message.trim().replace(/\.$/, "") || "it threw nothing"}.`,
      cause,
    };
  }
}

let isRegistered = false;

/**
 * Lets people's modules import "elenchus" where nobody has installed it, as after `npx elenchus init`: they get this very
 * package. What is installed goes first.
 */
export function resolveElenchus(): void {
  // Missing before Node 22.15, and in other programs that run JavaScript: there it must be installed.
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
        // From inside of the package, Node says that it exports no such thing.
        return nextResolve(specifier, { ...context, parentURL: `${own}package.json` });
      }
    },
  });
}

/** The second code is that of `require`. */
function isNotFound(error: unknown): boolean {
  return isRecord(error) && (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND");
}

/** The file that this package exports under a name: what is built, or the source if that is what runs now. */
function ownEntry(specifier: string, folder: string): string | undefined {
  const { exports }: UnknownRecord = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entry = isRecord(exports) ? exports[`.${specifier.slice("elenchus".length)}`] : undefined;
  if (typeof entry === "string") return join(folder, entry);
  if (!isRecord(entry)) return undefined;
  // Types lie where their sources do; bundles do not.
  const source = String(entry.types)
    .replace("./dist/", "./src/")
    .replace(/\.d\.ts$/, ".ts");
  return join(folder, import.meta.url.endsWith(".ts") ? source : String(entry.default));
}
