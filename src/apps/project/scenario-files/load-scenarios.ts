import { errorMessage } from "../../../core/error-message.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { DefinitionError } from "../../../core/schema/format-issue.ts";
import { isRecord, type UnknownRecord } from "../../../core/values/json.ts";
import { rememberFolder } from "../../../engine/run/open-rows.ts";
import { fileProblem, readTextFile } from "../../../system/files/read-text-file.ts";
import { importModule } from "../import-module.ts";
import { type FileProblem, issueProblems } from "../project-error.ts";
import { type FoundFile, findFiles } from "./find-files.ts";
import { parseScenarioFile } from "./parse-scenario-file.ts";

/** A scenario, and where it was found. */
export interface LoadedScenario {
  readonly definition: ScenarioDefinition;
  /** As the user writes it. */
  readonly file: string;
  /** True if it comes from a module. */
  readonly isCode: boolean;
}

/** Where files are found. */
interface LoadOptions {
  /** The folder of the command. */
  readonly folder: string;
  /** Reads standard input to its end; called once if a name is `-`. */
  readonly stdin: () => Promise<string>;
  /** Where packs are, instead of in this package. */
  readonly packs?: string;
}

/** What a file has. */
interface FromFile {
  readonly definitions: readonly ScenarioDefinition[];
  readonly problems: readonly FileProblem[];
}

/** The scenarios of files, and everything that is wrong with any of them. */
interface LoadedScenarios {
  readonly scenarios: readonly LoadedScenario[];
  readonly problems: readonly FileProblem[];
  /** Messages about pipes, devices and sockets among the files. */
  readonly skipped: readonly string[];
}

/** The scenarios of all files that a user names, and everything that is wrong with any of them. */
export async function loadScenarios(
  names: readonly string[],
  options: LoadOptions,
): Promise<LoadedScenarios> {
  if (names.length === 0) {
    const message =
      'Name a file, a folder or a pack with scenarios, or set "scenarios" in elenchus.config.yaml.';
    return { scenarios: [], problems: [{ file: "", message }], skipped: [] };
  }
  const found = await findFiles(names, options);
  const problems = [...found.problems];
  const scenarios = new Map<string, LoadedScenario>();
  for (const file of found.files) {
    const read = await readScenarios(file, options);
    problems.push(...read.problems);
    for (const definition of read.definitions) {
      const { name } = definition;
      const first = scenarios.get(name);
      if (first === undefined) scenarios.set(name, { definition, file: file.name, isCode: file.isCode });
      else problems.push({ file: file.name, message: sameName(name, first.file, file.name) });
    }
  }
  return { scenarios: [...scenarios.values()], problems, skipped: found.skipped };
}

async function readScenarios(file: FoundFile, { stdin }: LoadOptions): Promise<FromFile> {
  const { path, name, isCode } = file;
  if (path === null)
    return stdin().then(
      (text) => readData(text, name),
      (error: unknown) => failed(name, fileProblem(error, name), error),
    );
  if (isCode) {
    const { exports, problem, cause, place = name } = await importModule(path, name);
    if (exports !== undefined) return scenariosOfModule(exports, name);
    return isDefinitionError(cause)
      ? { definitions: [], problems: issueProblems(name, cause.issues, place) }
      : failed(name, problem, cause);
  }
  const { text, problem } = readTextFile(path, name);
  if (problem !== undefined) return failed(name, problem);
  const read = readData(text, name);
  const { dirname, relative } = process.getBuiltinModule("node:path");
  // Relative to the current folder, for messages.
  for (const definition of read.definitions)
    rememberFolder(definition, relative(process.cwd(), dirname(path)) || ".");
  return read;
}

/** Standard input has no extension; JSON is YAML, too. */
function readData(text: string, name: string): FromFile {
  try {
    return { definitions: parseScenarioFile(text, { filename: name }), problems: [] };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { definitions: [], problems: issueProblems(name, error.issues) };
  }
}

function failed(file: string, message: string, cause?: unknown): FromFile {
  return { definitions: [], problems: [{ file, message, ...(cause === undefined ? {} : { cause }) }] };
}

function sameName(name: string, first: string, second: string): string {
  const files = first === second ? `twice in ${first}` : `in both ${first} and ${second}`;
  return `Scenario ${JSON.stringify(name)} is ${files}; give one of them another name.`;
}

/** The scenarios that a module exports, definitions and builders, alone or in lists; each of them once. */
function scenariosOfModule(exports: UnknownRecord, file: string): FromFile {
  const seen = new Set<unknown>();
  const definitions = new Map<string, ScenarioDefinition>();
  const problems: FileProblem[] = [];
  for (const [name, exported] of Object.entries(exports)) {
    for (const value of [exported].flat()) {
      if (seen.has(value) || !(isDefinition(value) || isBuilder(value))) continue;
      seen.add(value);
      try {
        const definition = isDefinition(value) ? value : value.validate();
        // A builder and its definition are one scenario; the caller reports two different ones with one name.
        definitions.set(`${definition.name} ${definition.hash}`, definition);
      } catch (error) {
        const place = `${file} (${name})`;
        if (isDefinitionError(error)) problems.push(...issueProblems(file, error.issues, place));
        else problems.push({ file, message: `${place}: ${errorMessage(error)}`, cause: error });
      }
    }
  }
  if (definitions.size + problems.length === 0) {
    const message = `${file} exports no scenario; export a Scenario, what its validate() gives, or a list of them.`;
    problems.push({ file, message });
  }
  return { definitions: [...definitions.values()], problems };
}

/** By its parts rather than its class: the module may have imported another copy of this package. */
function isDefinition(value: unknown): value is ScenarioDefinition {
  return (
    isRecord(value) &&
    typeof value.hash === "string" &&
    typeof value.entryNode === "string" &&
    isRecord(value.nodes) &&
    Array.isArray(value.nodeIds) &&
    Array.isArray(value.edges)
  );
}

function isBuilder(value: unknown): value is { validate(): ScenarioDefinition } {
  return isRecord(value) && typeof value.validate === "function" && typeof value.addNode === "function";
}

function isDefinitionError(error: unknown): error is DefinitionError {
  return isRecord(error) && error.name === "DefinitionError" && Array.isArray(error.issues);
}
