/** What is used of the `yaml` package. */
export type YamlLibrary = typeof import("yaml");

let library: YamlLibrary | undefined;

/**
 * Loads the `yaml` package when the first YAML text is read, not when Elenchus is imported: it takes longer to load than
 * all the rest. Reading a file stays synchronous, so a dynamic import is no way to do this.
 */
export function loadYaml(): YamlLibrary {
  library ??= process.getBuiltinModule("module").createRequire(import.meta.url)("yaml") as YamlLibrary;
  return library;
}
