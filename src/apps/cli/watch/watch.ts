import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isRecord } from "../../../core/values/json.ts";
import { mayHoldStore } from "../../../engine/journal/store/postgres/postgres-address.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { ProjectError } from "../../project/project-error.ts";
import { findProjectFile } from "../../project/project-file.ts";
import { findFiles } from "../../project/scenario-files/find-files.ts";
import type { Settings } from "../../project/settings.ts";
import { type ExitCode, type OptionsOf, STOP_SIGNALS } from "../command.ts";
import type { RUN } from "../commands/run-commands.ts";
import type { SettingsRequest } from "../flags.ts";
import { readSettings } from "../read-settings.ts";
import { withRuns } from "../stored-runs.ts";

/** The command that is repeated after each change. */
interface WatchOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** Words that are added to the command line. */
  readonly moreWords?: readonly string[];
  /** True to stop the current round when something changes (default false). */
  readonly stopsRounds?: boolean;
  /** Called before each round but the first. */
  readonly beforeNext?: (settings: Settings) => Promise<void>;
}

/** Clears the screen and what was scrolled off it. */
const CLEAR = "\u001B[2J\u001B[3J\u001B[H";

/** How often files are looked at. Watching by the file system misses changes on network drives and in containers. */
const POLL_MS = 300;
const SHOWN = 5;

/**
 * Repeats this command whenever a scenario, a dataset or the project file changes, until Ctrl-C. Each round is a separate process: changed
 * code is loaded again, and an error ends only the round.
 */
export async function watchCommand(options: WatchOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, settings: request, moreWords = [], stopsRounds = false, beforeNext } = options;
  const { folder, messages, output } = terminal;
  if (names.includes("-"))
    throw new ProjectError(["Standard input cannot be watched. Name files, folders or patterns."]);
  const interrupted = new AbortController();
  const { signal } = interrupted;
  let child: ChildProcess | undefined;
  /** The last settings that could be read. */
  let settings: Settings | undefined;
  const stop = (name: NodeJS.Signals): void => {
    // Ctrl-C in a terminal reaches all processes of a command; a signal to this process alone is passed on.
    child?.kill(name);
    interrupted.abort();
  };
  const timesNow = (): Promise<FileTimes> => {
    const { scenarios = [], dataset } = settings ?? {};
    const watched = names.length > 0 ? names : scenarios;
    return fileTimes({ folder, names: watched, config: request.config, dataset });
  };
  /** Resolves with the files that have changed; with none if the command was interrupted. */
  const nextChange = async (before: FileTimes): Promise<readonly string[]> => {
    for (;;) {
      await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return [];
      const changed = changedFiles(before, await timesNow(), folder);
      if (changed.length > 0) return changed;
    }
  };
  const runRound = async (change: Promise<unknown>): Promise<void> => {
    const [program = "", ...words] = process.argv.slice(1).filter((word) => word !== "--watch");
    const given = [...process.execArgv, program, ...words, ...moreWords];
    const started = spawn(process.execPath, given, { stdio: "inherit", cwd: folder });
    child = started;
    if (stopsRounds) void change.then(() => child === started && started.kill("SIGINT"));
    await once(started, "close");
    child = undefined;
  };
  for (const name of STOP_SIGNALS) process.on(name, stop);
  try {
    let changed: readonly string[] = [];
    while (!signal.aborted) {
      // The command that is repeated prints what is wrong with settings, and asks for consent.
      settings = await readSettings(request, quiet(terminal), { opensStore: false }).then(
        (read) => read.settings,
        () => settings,
      );
      const before = await timesNow();
      // Outputs let no text clear the screen.
      if (output.isTerminal) process.stdout.write(CLEAR);
      const shown = changed.slice(0, SHOWN).map(printableText).join(", ");
      const more = changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : "";
      if (changed.length > 0) messages.write(`${messages.style.dim(`Changed: ${shown}${more}`)}\n`);
      const change = nextChange(before);
      await runRound(change);
      if (signal.aborted) break;
      messages.write(`${messages.style.dim(`Watching ${countedText(before.size, "file")}. Ctrl-C ends.`)}\n`);
      changed = await change;
      if (changed.length > 0 && settings !== undefined) await beforeNext?.(settings);
    }
    return 130;
  } finally {
    for (const name of STOP_SIGNALS) process.off(name, stop);
  }
}

/** A terminal without output: each round prints the same messages itself. */
function quiet(terminal: Terminal): Terminal {
  const silent = { ...terminal.messages, write: () => {}, data: () => {} };
  return { ...terminal, output: silent, messages: silent };
}

/**
 * Repeats a run whenever something changes. Conversations that a change does not affect use stored answers. Only the last run is kept,
 * with the answers of all.
 */
export async function watchRuns(options: OptionsOf<typeof RUN>, terminal: Terminal): Promise<ExitCode> {
  const { files: names, settings, view, record } = options;
  if (view || record !== undefined)
    throw new ProjectError([
      `${view ? "--view stays open" : "--record writes a file once"}, so that it cannot be used with --watch.${view ? " Open it beside: elenchus view" : ""}`,
    ]);
  const name = options.name ?? `watch-${randomUUID().slice(0, 8)}`;
  const forget = async ({ store: path }: Settings): Promise<void> => {
    const remove = (store: Store): void => {
      if (store.run(name)?.run === name) store.delete(name);
    };
    // A round that could not start has left no store.
    if (mayHoldStore(path)) await withRuns(path, remove, { readOnly: false });
  };
  // The last of several names counts.
  const moreWords = ["--name", name];
  return watchCommand({ names, settings, moreWords, stopsRounds: true, beforeNext: forget }, terminal);
}

/** What is watched. */
interface WatchedNames {
  /** The folder of the command. */
  readonly folder: string;
  /** Files, folders, patterns and packs with scenarios. */
  readonly names: readonly string[];
  /** A project file that the command names. */
  readonly config?: string | undefined;
  readonly dataset: Settings["dataset"];
}

/** When each watched file was changed, by path; null for a file that does not exist. */
type FileTimes = ReadonlyMap<string, string | null>;

/** Looks at all watched files: scenarios, the project file, datasets, and the modules that code imports. */
export async function fileTimes({ folder, names, config, dataset }: WatchedNames): Promise<FileTimes> {
  const paths = new Set<string>();
  const project =
    config === undefined ? await findProjectFile(folder).catch(() => null) : resolve(folder, config);
  if (project !== null) for (const path of [project, ...loadedBy(project)]) paths.add(path);
  const rows = isRecord(dataset) ? dataset.file : dataset;
  if (typeof rows === "string") paths.add(resolve(rows));
  const { files } = await findFiles(names, { folder });
  // A file that does not exist yet may be created later.
  for (const name of names) if (/\.[a-z]+$/i.test(name)) paths.add(resolve(folder, name));
  for (const { path, isCode } of files) {
    if (path === null) continue;
    paths.add(path);
    for (const other of isCode ? loadedBy(path) : datasetsIn(path)) paths.add(other);
  }
  return new Map([...paths].sort().map((path) => [path, timeOf(path)]));
}

function timeOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.mtimeMs} ${stats.size}` : null;
}

/** Relative paths in a module: other modules and files. */
const NAMED_BY_MODULE = /(?:\bfrom|\bimport|\brequire|\bnew URL)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n$]+)\1/g;

/** Everything that a module loads by a relative path. Packages do not change while the author works. */
function loadedBy(path: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (isCodeFile(path))
    for (const [, , name = ""] of textOf(path).matchAll(NAMED_BY_MODULE)) {
      const other = join(dirname(path), name);
      if (found.has(other)) continue;
      found.add(other);
      loadedBy(other, found);
    }
  return found;
}

/** How a file of scenarios names a file with rows. */
const DATASET = /\b(?:dataset|file)["']?:\s*(["']?)([^"'\s{}[\],#][^"'\n{}[\],#]*)\1/g;

/** The files with rows that a file of scenarios names. */
function datasetsIn(path: string): readonly string[] {
  return [...textOf(path).matchAll(DATASET)]
    .map(([, , name = ""]) => resolve(dirname(path), name.trim()))
    .filter((file) => existsSync(file));
}

/** Only of files: a pipe without a writer would be waited for without end. */
function textOf(path: string): string {
  return readTextFile(path, path, { pipes: false }).text ?? "";
}

/** The files that differ, relative to a folder. */
export function changedFiles(before: FileTimes, now: FileTimes, folder: string): readonly string[] {
  const paths = new Set([...before.keys(), ...now.keys()]);
  return [...paths]
    .filter((path) => (before.get(path) ?? null) !== (now.get(path) ?? null))
    .map((path) => relative(folder, path).replaceAll("\\", "/") || path);
}
