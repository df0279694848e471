import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage } from "../core/error-message.ts";
import { isRecord, type UnknownRecord } from "../core/values/json.ts";
import { packageFolder } from "./package-files.ts";

/** What a module exports, or a sentence about why it cannot be loaded, with what was thrown. */
export type ImportedModule =
  | { readonly exports: UnknownRecord; readonly problem?: never }
  | { readonly exports?: never; readonly problem: string; readonly cause: unknown };

const CODE_FILE = /\.(?:ts|js|mjs)$/;

/** True for the names of files that are code. */
export function isCodeFile(name: string): boolean {
  return CODE_FILE.test(name);
}

/** Runs a module that the user named. */
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
 * Lets modules of users import "elenchus" where it is not installed, as after `npx elenchus init`: they get this package. An
 * installed one goes first.
 */
export function resolveElenchus(): void {
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
        // Resolved from inside the package, the error says that it has no such export.
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
