import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import { type ExitCode, STOP_SIGNALS } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { withRuns } from "../stored-runs.ts";
import { changedFiles, type FileTimes, fileTimes } from "./watched-files.ts";

/** The command that is repeated after each change. */
interface WatchOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** The command-line arguments of a round; rounds count from 1. */
  readonly argumentsOf: (round: number) => readonly string[];
  /** True to stop the current round when something changes (default false). */
  readonly stopsRounds?: boolean;
  /** Called after each round that was not stopped. */
  readonly onRound?: (round: number, settings: Settings) => Promise<void>;
}

/**
 * Repeats a command whenever a scenario, a dataset or the project file changes, until Ctrl-C. Each round is a separate process: changed
 * code is loaded again, and an error ends only the round.
 */
export async function watchCommand(options: WatchOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.names.includes("-"))
    throw new ProjectError(["Standard input cannot be watched. Name files, folders or patterns."]);
  return new Watch(options, terminal).run();
}

/** Clears the screen and what was scrolled off it. */
const CLEAR = "\u001B[2J\u001B[3J\u001B[H";

/** How often files are looked at. Watching by the file system misses changes on network drives and in containers. */
const POLL_MS = 300;

class Watch {
  readonly #options: WatchOptions;
  readonly #terminal: Terminal;
  readonly #interrupted = new AbortController();
  #child: ChildProcess | undefined;
  /** The current settings; the last ones, while the project file cannot be read. */
  #settings: Settings | undefined;

  constructor(options: WatchOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
  }

  async run(): Promise<ExitCode> {
    const { signal } = this.#interrupted;
    const stop = (name: NodeJS.Signals): void => {
      // Ctrl-C in a terminal reaches all processes of a command; a signal to this process alone is passed on.
      this.#child?.kill(name);
      this.#interrupted.abort();
    };
    for (const name of STOP_SIGNALS) process.on(name, stop);
    try {
      let changed: readonly string[] = [];
      for (let round = 1; !signal.aborted; round++) {
        const before = await this.#lookAtFiles();
        this.#printChanged(changed);
        const change = this.#nextChange(before);
        await this.#round(round, change);
        if (signal.aborted) break;
        const { messages } = this.#terminal;
        const watching = `Watching ${countedText(before.size, "file")}. Ctrl-C ends.`;
        messages.write(`${messages.style.dim(watching)}\n`);
        changed = await change;
      }
      return 130;
    } finally {
      for (const name of STOP_SIGNALS) process.off(name, stop);
    }
  }

  async #round(round: number, change: Promise<unknown>): Promise<void> {
    const [program = ""] = process.argv.slice(1);
    const words = [...process.execArgv, program, ...this.#options.argumentsOf(round)];
    const child = spawn(process.execPath, words, { stdio: "inherit", cwd: this.#terminal.folder });
    this.#child = child;
    let isStopped = false;
    if (this.#options.stopsRounds)
      void change.then(() => {
        if (this.#child !== child) return;
        isStopped = true;
        child.kill("SIGINT");
      });
    await once(child, "close");
    this.#child = undefined;
    if (!isStopped && this.#settings !== undefined) await this.#options.onRound?.(round, this.#settings);
  }

  async #lookAtFiles(): Promise<FileTimes> {
    const { settings: request } = this.#options;
    try {
      // The command that is repeated asks for consent.
      const { settings } = await readSettings(request, quiet(this.#terminal), { opensStore: false });
      this.#settings = settings;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
    }
    return this.#fileTimes();
  }

  #fileTimes(): Promise<FileTimes> {
    const { names, settings: request } = this.#options;
    const { scenarios = [], dataset } = this.#settings ?? {};
    const { folder } = this.#terminal;
    return fileTimes({
      folder,
      names: names.length > 0 ? names : scenarios,
      config: request.config,
      dataset,
    });
  }

  /** Resolves with the files that have changed; with none if the command was interrupted. */
  async #nextChange(before: FileTimes): Promise<readonly string[]> {
    const { signal } = this.#interrupted;
    for (;;) {
      await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return [];
      const changed = changedFiles(before, await this.#fileTimes(), this.#terminal.folder);
      if (changed.length > 0) return changed;
    }
  }

  #printChanged(changed: readonly string[]): void {
    const { output, messages } = this.#terminal;
    // Outputs let no text clear the screen.
    if (output.isTerminal) process.stdout.write(CLEAR);
    if (changed.length === 0) return;
    const shown = changed.slice(0, SHOWN).map(printableText).join(", ");
    const more = changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : "";
    messages.write(`${messages.style.dim(`Changed: ${shown}${more}`)}\n`);
  }
}

const SHOWN = 5;

/** A terminal without output: each round prints the same messages itself. */
function quiet(terminal: Terminal): Terminal {
  const silent = { ...terminal.messages, write: () => {}, data: () => {} };
  return { ...terminal, output: silent, messages: silent };
}

/** The arguments of this command without a flag. */
export function argumentsWithout(flag: string): readonly string[] {
  return process.argv.slice(2).filter((word) => word !== flag);
}

/** The options of `run --watch`. */
interface WatchRunsOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** The name of the first run; the others add a number. */
  readonly name?: string | undefined;
  readonly view: boolean;
  readonly record: string | undefined;
}

/**
 * Repeats a run whenever something changes. Conversations that a change does not affect use stored answers. Only the last run is kept,
 * with the answers of all.
 */
export async function watchRuns(options: WatchRunsOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, settings: request, view, record } = options;
  if (view)
    throw new ProjectError([
      "--view stays open, so that --watch cannot run again. Open it beside: elenchus view",
    ]);
  if (record !== undefined)
    throw new ProjectError(["--record writes a file once, so that it cannot be used with --watch."]);
  const base = options.name ?? `watch-${randomUUID().slice(0, 8)}`;
  const nameOf = (round: number): string => (round === 1 ? base : `${base}-${round}`);
  let kept: string | undefined;
  return watchCommand(
    {
      names,
      settings: request,
      // The last of several names counts.
      argumentsOf: (round) => [...argumentsWithout("--watch"), "--name", nameOf(round)],
      stopsRounds: true,
      async onRound(round, { store: path }) {
        const run = nameOf(round);
        await withRuns(
          path,
          (store) => {
            if (store.run(run)?.run !== run) return;
            if (kept !== undefined && store.run(kept)?.run === kept) store.delete(kept);
            kept = run;
          },
          { readOnly: false },
        ).catch((error: unknown) => {
          // A round that could not start has left no store.
          if (!(error instanceof ProjectError)) throw error;
        });
      },
    },
    terminal,
  );
}
