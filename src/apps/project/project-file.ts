import { validateVersion } from "../../core/scenario/parse-scenario.ts";
import { DefinitionError, formatIssue } from "../../core/schema/format-issue.ts";
import type { Issue, IssuePath } from "../../core/schema/issue.ts";
import { toJsonSchema } from "../../core/schema/json-schema.ts";
import {
  described,
  json,
  nonEmptyText,
  type ObjectShape,
  type Shape,
  text,
} from "../../core/schema/shape.ts";
import { validateShape } from "../../core/schema/validate-shape.ts";
import { isRecord, type JsonObject, type UnknownRecord } from "../../core/values/json.ts";
import { readTextFile } from "../../system/files/read-text-file.ts";
import { importModule, isCodeFile } from "./import-module.ts";
import { ProjectError } from "./project-error.ts";
import { parseFileText } from "./scenario-files/parse-scenario-file.ts";
import type { ParsedText } from "./scenario-files/text-places.ts";
import { settingsShape } from "./settings-shape.ts";

/** The content of a project file. */
interface ProjectData {
  readonly settings: UnknownRecord;
  readonly profiles: Readonly<Record<string, UnknownRecord>>;
  readonly profile: string | null;
  /** The line of a part, from 1; null in code. */
  lineOf(path: IssuePath): number | null;
}

/** Reads the text of a project file: YAML, or JSON if the name ends in `.json`. Throws a `ProjectError` with every problem. */
export function parseProjectFile(text: string, filename: string): ProjectData {
  let parsed: ParsedText;
  try {
    parsed = parseFileText(text, filename);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw new ProjectError(error.issues.map(formatIssue));
  }
  const locate = (issue: Issue): Issue => {
    const prefer = issue.code === "unknown_key" ? "key" : "value";
    return { ...issue, position: { filename, ...parsed.locate(issue.path, prefer) } };
  };
  // An empty file is a project in which everything is left at its default.
  const data = readProject(parsed.value ?? {}, (issue) => formatIssue(locate(issue)));
  return { ...data, lineOf: (path) => parsed.locate(path, "key").line };
}

/** The same for what a module exports as `config`. */
function readProjectConfig(config: unknown, filename: string): ProjectData {
  const data = readProject(config, (issue) => `${filename}: ${formatIssue(issue)}`);
  return { ...data, lineOf: () => null };
}

function readProject(given: unknown, format: (issue: Issue) => string): Omit<ProjectData, "lineOf"> {
  const value = isRecord(given) ? withoutNulls(given) : given;
  const issues: Issue[] = [];
  if (isRecord(value)) validateVersion(value.version, (issue) => issues.push(issue));
  validateShape(PROJECT_SHAPE, isRecord(value) ? withModelNames(value) : value, [], (issue) =>
    issues.push(issue),
  );
  if (issues.length > 0) throw new ProjectError(issues.map(format));
  // The shape has been checked.
  const { version: _version, $schema: _schema, profile, profiles, ...settings } = value as UnknownRecord;
  return {
    settings,
    profile: typeof profile === "string" ? profile : null,
    profiles: isRecord(profiles) ? (profiles as Readonly<Record<string, UnknownRecord>>) : {},
  };
}

/** A key without a value counts as absent, in the file and in each profile. */
function withoutNulls(record: UnknownRecord): UnknownRecord {
  const kept = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(kept), ...inProfiles(record, (profile) => withoutNulls(profile ?? {})) };
}

/** The profiles of a project, each changed; nothing if there are none. */
function inProfiles(
  { profiles }: UnknownRecord,
  change: (profile: UnknownRecord | null) => UnknownRecord,
): { readonly profiles?: UnknownRecord } {
  if (!isRecord(profiles)) return {};
  const changed = Object.entries(profiles).map(([name, profile]) => [
    name,
    isRecord(profile) || profile === null ? change(profile) : profile,
  ]);
  return { profiles: Object.fromEntries(changed) };
}

const PROFILES: Shape = described(
  { kind: "record", values: settingsShape("a profile") },
  "Named sets of settings that go before those of the file.",
);

/** The keys of a project file that are not settings. */
export const FRAME_SHAPES: Readonly<Record<string, Shape>> = {
  // `validateVersion` validates it, with a better message.
  version: described(json, "The version of the format."),
  $schema: described(text, "For editors; otherwise without meaning."),
  profile: described(nonEmptyText, "The profile that is used if the command names none."),
  profiles: PROFILES,
};

/** A whole project file. */
export const PROJECT_SHAPE: ObjectShape = settingsShape("a project", FRAME_SHAPES);

/** The JSON Schema of project files, for editors. */
export function projectFileSchema(): JsonObject {
  const version = described({ kind: "literal", values: [1] }, "The version of the format.");
  const shape = settingsShape("a project", { ...FRAME_SHAPES, version });
  return toJsonSchema(shape, { title: "Elenchus project file" });
}

/** Settings with names in place of models: a project file in code may contain models, and the shape has only names. */
export function withModelNames(record: UnknownRecord): UnknownRecord {
  const named = Object.entries(record).map(([key, value]) => [
    key,
    key === "subjects" || key === "judges" ? modelName(value) : value,
  ]);
  return { ...Object.fromEntries(named), ...inProfiles(record, (profile) => withModelNames(profile ?? {})) };
}

function modelName(value: unknown): unknown {
  if (typeof value === "function" || isModel(value)) return "a model";
  if (Array.isArray(value)) return value.map(modelName);
  if (!isRecord(value)) return value;
  return {
    ...value,
    ...("model" in value ? { model: modelName(value.model) } : {}),
    ...("panel" in value ? { panel: modelName(value.panel) } : {}),
  };
}

/** True for a model that was made in code, as opposed to the name or the description of one. */
export function isModel(value: unknown): boolean {
  return isRecord(value) && (typeof value.reply === "function" || typeof value.simulate === "function");
}

/** The project of a command: its project file, read. */
export interface Project extends ProjectData {
  /** The project file, relative to the folder of the command; null if there is none. */
  readonly file: string | null;
  /** The folder of the project file, or else that of the command: paths in the file are relative to it. */
  readonly folder: string;
  /** A project file that is code and was not run, because the command did not name it. */
  readonly unread?: string;
}

/** Finds and reads the project file; `file` is one that the person named instead. Throws a `ProjectError`. */
export async function loadProject(options: {
  /** The folder of the command. */
  readonly folder: string;
  readonly file?: string | undefined;
  /** True to run a project file that is code without being named (default false). */
  readonly runsCode?: boolean;
}): Promise<Project> {
  const { resolve, relative, dirname, isAbsolute } = await import("node:path");
  const { folder, file: named } = options;
  const path = named === undefined ? await findProjectFile(folder) : resolve(folder, named);
  const nothing = { settings: {}, profiles: {}, profile: null, lineOf: () => null };
  const none = { ...nothing, file: null, folder: resolve(folder) };
  if (path === null) return none;
  const file =
    named !== undefined && isAbsolute(named) ? named : relative(folder, path).replaceAll("\\", "/");
  if (isCodeFile(path) && named === undefined && options.runsCode !== true) return { ...none, unread: file };
  const data = isCodeFile(path) ? await runConfig(path, file) : readConfig(path, file);
  return { ...data, file, folder: dirname(path) };
}

function readConfig(path: string, file: string): ProjectData {
  const { text, problem } = readTextFile(path, file);
  if (problem !== undefined) throw new ProjectError([problem]);
  return parseProjectFile(text, file);
}

async function runConfig(path: string, file: string): Promise<ProjectData> {
  const loaded = await importModule(path, file);
  if (loaded.problem !== undefined) throw new ProjectError([loaded.problem], { cause: loaded.cause });
  if (loaded.exports.config === undefined)
    throw new ProjectError([`${file} exports no "config"; write: export const config = { … }`]);
  return readProjectConfig(loaded.exports.config, file);
}

/** The names of project files; the last three are code, which runs when it is read. */
export const PROJECT_FILES: readonly string[] = ["yaml", "yml", "json", "ts", "js", "mjs"].map(
  (extension) => `elenchus.config.${extension}`,
);

/**
 * The project file for a folder: in the folder itself or the nearest one above it. The search ends at the first folder with a
 * `.git`, or at the root of the file system, so that nothing outside of a repository is ever run.
 * Null if there is none; throws a `ProjectError` if a folder has several.
 */
export async function findProjectFile(folder: string): Promise<string | null> {
  const { resolve, dirname, join } = await import("node:path");
  const { existsSync, statSync } = await import("node:fs");
  for (let current = resolve(folder); ; current = dirname(current)) {
    const found = PROJECT_FILES.filter((name) =>
      statSync(join(current, name), { throwIfNoEntry: false })?.isFile(),
    );
    if (found.length > 1) {
      const names = `${found.slice(0, -1).join(", ")} and ${found.at(-1)}`;
      throw new ProjectError([`${current} has ${names}; keep one of them.`]);
    }
    if (found[0] !== undefined) return join(current, found[0]);
    if (existsSync(join(current, ".git")) || dirname(current) === current) return null;
  }
}
