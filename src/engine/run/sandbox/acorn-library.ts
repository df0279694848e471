/** What is used of the `acorn` package. */
type AcornLibrary = typeof import("acorn");

let library: AcornLibrary | undefined;

/** Loads the `acorn` package when the first function source is read, not when Elenchus is imported. */
export function loadAcorn(): AcornLibrary {
  library ??= process.getBuiltinModule("module").createRequire(import.meta.url)("acorn") as AcornLibrary;
  return library;
}
