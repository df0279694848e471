import { errorMessage } from "../value/error-message.ts";
import type { UnknownRecord } from "../value/json.ts";
import { resolveElenchus } from "./resolve-elenchus.ts";

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
