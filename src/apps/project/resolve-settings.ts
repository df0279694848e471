import { formatIssue } from "../../core/schema/format-issue.ts";
import type { Issue, IssuePath } from "../../core/schema/issue.ts";
import { nameHint } from "../../core/schema/nearest-name.ts";
import { validateShape } from "../../core/schema/validate-shape.ts";
import { isRecord, isReservedKey, type UnknownRecord } from "../../core/values/json.ts";
import {
  DEFAULT_RETRIES,
  type PassingCategory,
  type RetryPolicies,
} from "../../engine/run/calls/retry-policy.ts";
import type { RunOptions } from "../../engine/run/run-options.ts";
import { ProjectError } from "./project-error.ts";
import { type Project, withModelNames } from "./project-file.ts";
import { TextSyntaxError } from "./scenario-files/text-places.ts";
import { parseYamlText } from "./scenario-files/yaml-text.ts";
import { SettingEntries, type SettingEntry } from "./setting-entries.ts";
import { DEFAULT_SETTINGS, type SettingKey, type Settings } from "./settings.ts";
import { SETTING_SHAPES, settingsShape } from "./settings-shape.ts";
import { parseBudget, parseDuration, parseShare, readFailUnder, readLevels } from "./short-forms.ts";

/** Settings, and where each comes from. */
export interface ResolvedSettings {
  readonly settings: Settings;
  /** By path (`timeouts.callMs`); the origin is `flag --seed`, `profile ci in elenchus.config.yaml:9`, `default`, … */
  readonly entries: ReadonlyMap<string, SettingEntry>;
  /** The profile in use. */
  readonly profile: string | null;
}

/** Where settings come from. */
export interface SettingSources {
  readonly project: Project;
  /** The folder of the command. */
  readonly folder: string;
  /** The profile that the command names. */
  readonly profile?: string | undefined;
  readonly flags?: readonly FlagValue[];
  /** What `--set` was given; goes before other flags. */
  readonly sets?: readonly string[];
}

const SHAPE = settingsShape("a project");
const LISTS: ReadonlySet<string> = new Set(["scenarios", "only", "tags", "subjects", "judges", "onlyRows"]);

/** Settings from flags, else the profile, else the file, else defaults. Throws a `ProjectError` with everything that is wrong. */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const { project, folder, flags = [], sets = [] } = sources;
  const { file, lineOf } = project;
  const rebase = { from: project.folder, to: folder };
  const place = (path: IssuePath): string => {
    const line = lineOf(path);
    return line === null ? `${file}` : `${file}:${line}`;
  };
  let entries = new SettingEntries();
  const put = (layer: UnknownRecord, originOf: (path: IssuePath) => string, isFromFile = true): void => {
    for (const [key, value] of Object.entries(layer))
      entries.put([key], normalised(key, rebasePaths(key, value, rebase)), { originOf, isFromFile });
  };
  put({ ...DEFAULT_SETTINGS }, () => "default", false);
  put(project.settings, place);
  const profile = sources.profile ?? project.profile;
  if (profile !== null)
    put(
      profileOf(project, profile),
      (path) => `profile ${profile} in ${place(["profiles", profile, ...path])}`,
    );

  const problems: string[] = [];
  for (const flag of [...flags, ...sets.map(parseSetFlag)]) {
    const result = typeof flag === "string" ? [flag] : applyFlag(entries, flag);
    if (result instanceof SettingEntries) entries = result;
    else problems.push(...result);
  }
  if (problems.length > 0) throw new ProjectError(problems);
  return { settings: settingsOf(entries), entries: entries.all, profile };
}

function profileOf({ profiles, file }: Project, name: string): UnknownRecord {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const names = Object.keys(profiles);
  throw new ProjectError([
    file === null
      ? `There is no profile "${name}", for there is no project file; write one called elenchus.config.yaml.`
      : `There is no profile "${name}" in ${file}. ${nameHint(name, names)}`,
  ]);
}

/** The entries with the flag, or what is wrong with it. */
function applyFlag(entries: SettingEntries, given: FlagValue): SettingEntries | readonly string[] {
  const { flag, path } = given;
  const key = String(path[0]);
  const next = new SettingEntries(entries.all);
  try {
    if (path.length === 1) {
      // Validated before it is normalised, so that messages are about what the person wrote.
      const value = asNumber(key, given.value);
      const issues = issuesOf({ [key]: value });
      if (issues.length > 0) return issues.map((issue) => flagSentence(given, issue));
      next.put(path, normalised(key, value), { originOf: () => originOfFlag(flag), isFromFile: false });
      return next;
    }
    next.change(path, given.value, originOfFlag(flag));
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    return error.problems.map((problem) => `${flag}: ${problem}`);
  }
  const issues = issuesOf({ [key]: next.tree()[key] });
  return issues.length === 0 ? next : issues.map((issue) => flagSentence(given, issue));
}

function originOfFlag(flag: string): string {
  return `${flag.startsWith("--") ? "flag" : "variable"} ${flag}`;
}

function issuesOf(settings: UnknownRecord): readonly Issue[] {
  const issues: Issue[] = [];
  validateShape(SHAPE, withModelNames(settings), [], (issue) => issues.push(issue));
  return issues;
}

/** The sentence of an issue; the flag is the place, except for places inside its value. */
function flagSentence({ flag, path }: FlagValue, issue: Issue): string {
  return `${flag}: ${formatIssue({ ...issue, path: issue.path.slice(path.length) })}`;
}

/** Values on the command line are texts; numeric settings need numbers. */
function asNumber(key: string, value: unknown): unknown {
  const isNumeric = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value);
  return isNumeric && SETTING_SHAPES[key as SettingKey]?.kind === "number" ? Number(value) : value;
}

/** A validated value in the form that `Settings` has. */
function normalised(key: string, value: unknown): unknown {
  if (key === "budget" && typeof value === "string") return parseBudget(value);
  if (key === "patience" && typeof value === "string") return parseDuration(value);
  // The shape has been checked.
  if (key === "minDecided") return parseShare(value as string | number);
  if (key === "failUnder") return readFailUnder(value);
  if (key === "variant") return readLevels(value);
  return LISTS.has(key) && !Array.isArray(value) ? [value] : value;
}

function settingsOf(entries: SettingEntries): Settings {
  const tree = entries.tree();
  const { failUnder, variant } = tree;
  // Every part was checked against the shape of settings, and the defaults fill in what must be there.
  return {
    ...DEFAULT_SETTINGS,
    ...tree,
    ...(failUnder === undefined ? {} : { failUnder: normalised("failUnder", failUnder) }),
    ...(variant === undefined ? {} : { variant: normalised("variant", variant) }),
  } as Settings;
}

/** Two folders: paths relative to one are rewritten for the other. */
interface Rebase {
  /** The folder of the project. */
  readonly from: string;
  /** The folder of the command. */
  readonly to: string;
}

/** The value of a setting of a project file, with paths relative to the folder of the command. */
function rebasePaths(key: string, value: unknown, rebase: Rebase): unknown {
  const { relative, resolve } = process.getBuiltinModule("node:path");
  if (resolve(rebase.from) === resolve(rebase.to)) return value;
  const prefix = relative(rebase.to, rebase.from).replaceAll("\\", "/");
  if (key === "store" || key === "junit") return rebaseName(value, prefix);
  if (key === "dataset" && isRecord(value)) return { ...value, file: rebaseName(value.file, prefix) };
  if (key === "dataset") return rebaseName(value, prefix);
  if (key === "scenarios") return [value].flat().map((name) => rebaseName(name, prefix));
  if (key !== "tools" || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, server]) => [name, rebaseServer(server, prefix)]),
  );
}

/** The prefix is put in front, not joined: a pattern is not a path that can be normalised. */
function rebaseName(name: unknown, prefix: string): unknown {
  const { isAbsolute } = process.getBuiltinModule("node:path");
  if (typeof name !== "string" || name === "-" || /^(?:pack:|\w+:\/\/)/.test(name) || isAbsolute(name))
    return name;
  return `${prefix}/${name.replace(/^(?:\.\/)+/, "")}`;
}

/** A tool server starts in the folder of the project. */
function rebaseServer(server: unknown, prefix: string): unknown {
  if (!isRecord(server) || server.command === undefined) return server;
  return { ...server, cwd: server.cwd === undefined ? prefix : rebaseName(server.cwd, prefix) };
}

/** A setting that a flag of the command gives. */
export interface FlagValue {
  /** Its name in messages: `--replicates`, or a variable of the environment. */
  readonly flag: string;
  readonly path: IssuePath;
  readonly value: unknown;
}

const PART = /\.?([^.[\]="\s]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * Reads what follows `--set`: a path, `=`, and a value as YAML. A sentence if it cannot be read.
 *
 * @example
 * parseSetFlag("subjects[0].parameters.temperature=0")
 */
export function parseSetFlag(text: string): FlagValue | string {
  const path: (string | number)[] = [];
  PART.lastIndex = 0;
  let end = 0;
  for (let match = PART.exec(text); match !== null; match = PART.exec(text)) {
    const [, name, index, quoted] = match;
    path.push(name ?? (index === undefined ? (quoted ?? "").replace(/\\(.)/g, "$1") : Number(index)));
    end = PART.lastIndex;
  }
  const written = text.slice(0, end);
  const flag = `--set ${written}`;
  const isPath = path.length > 0 && typeof path[0] === "string" && !written.startsWith(".");
  if (!isPath || text[end] !== "=") {
    return `--set takes a key, "=" and a value, like "timeouts.callMs=60000"; got ${JSON.stringify(text)}.`;
  }
  const reserved = path.find((part) => typeof part === "string" && isReservedKey(part));
  if (reserved !== undefined) return `${flag}: "${reserved}" is a reserved name and cannot be used here.`;
  const value = text.slice(end + 1);
  try {
    return { flag, path, value: parseYamlText(value).value };
  } catch (error) {
    if (!(error instanceof TextSyntaxError)) throw error;
    return `${flag}: the value ${JSON.stringify(value)} cannot be read: ${error.message}. Put quotes around it if it is text.`;
  }
}

/** Settings as options of a run, without scenarios, store and name. */
export function runOptionsOf(settings: Settings): Omit<RunOptions, "scenarios" | "store" | "run"> {
  const {
    scenarios: _scenarios,
    only: _only,
    tags: _tags,
    store: _store,
    failUnder: _failUnder,
    minDecided: _minDecided,
    failOnErrors: _failOnErrors,
    junit: _junit,
    judges: judge,
    patience: patienceMs,
    retries,
    ...options
  } = settings;
  const all = { ...options, judge, patienceMs, retries: wholePolicies(retries) };
  // What is off or empty is left out, so that the stored options of a run do not list it.
  const isGiven = ([key, value]: [string, unknown]): boolean =>
    value !== undefined &&
    !(OFF.has(key) && value === false) &&
    !(EMPTY.has(key) && Object.keys(value as object).length === 0);
  // The names and types are those of the options; only whole entries are left out.
  return Object.fromEntries(Object.entries(all).filter(isGiven)) as ReturnType<typeof runOptionsOf>;
}

const OFF: ReadonlySet<string> = new Set(["allowUnread", "retryUnreadable", "skipBadRows"]);
const EMPTY: ReadonlySet<string> = new Set(["variant", "budget", "tools", "caps", "providers", "retries"]);

/** Completes retry policies: settings may change one number, the engine needs all of them. */
function wholePolicies(retries: Settings["retries"]): Partial<RetryPolicies> {
  return Object.fromEntries(
    Object.entries(retries).map(([category, policy]) => [
      category,
      // The shape knows no other categories.
      { ...DEFAULT_RETRIES[category as PassingCategory], ...policy },
    ]),
  );
}
