import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Clock } from "../../../core/environment.ts";
import { lazyPattern } from "../../../core/lazy.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import type { ToolProcess } from "./resolve-tool-servers.ts";

/** The part of a clock that time limits need. */
export type ToolClock = Pick<Clock, "after">;

/** How a process ended. */
interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** False if we ended it. */
  readonly byItself: boolean;
}

/** Gets the output of a process, and its end. */
interface ProcessListener {
  output(chunk: Buffer): void;
  ended(): void;
}

const GRACE_MS = 500;
const TERM_GRACE_MS = 1_000;
const PIPES_GRACE_MS = 300;
/** How many bytes of its input a process may leave unread. */
const UNREAD_LIMIT = 16_000_000;

/** Unix can end a process group as a whole. A server is often started by a launcher such as npx, which does not pass signals on. */
const HAS_GROUPS = process.platform !== "win32";

const running = new Set<ServerProcess>();

function killAll(): void {
  for (const server of running) server.kill();
}

/** The process of a tool server. It always ends, together with the processes that it started. */
export class ServerProcess {
  readonly errors: OutputTail = new OutputTail();
  end: ProcessEnd | undefined;
  readonly #server: ToolProcess;
  readonly #listener: ProcessListener;
  readonly #clock: ToolClock;
  #child: ChildProcessWithoutNullStreams | undefined;
  #stopping = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(server: ToolProcess, listener: ProcessListener, clock: ToolClock) {
    this.#server = server;
    this.#listener = listener;
    this.#clock = clock;
  }

  /** Resolves when the process runs; rejects if it cannot be started. */
  async start(): Promise<void> {
    const { command, args = [], env = {}, cwd } = this.#server;
    const child = process.getBuiltinModule("node:child_process").spawn(command, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["pipe", "pipe", "pipe"],
      detached: HAS_GROUPS,
      windowsHide: true,
    });
    this.#child = child;
    const started = Promise.withResolvers<void>();
    child.on("spawn", started.resolve);
    child.on("error", started.reject);
    child.on("exit", (code, signal) => this.#exited(child, { code, signal, byItself: !this.#stopping }));
    child.stdout.on("data", (chunk: Buffer) => this.#listener.output(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.errors.add(chunk.toString("utf8")));
    // A broken pipe adds nothing to the end of the process, which follows.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on("error", () => {});
    if (running.size === 0) process.on("exit", killAll);
    running.add(this);
    try {
      await started.promise;
    } catch (error) {
      this.#child = undefined;
      this.#forget();
      throw error;
    }
  }

  /** False if the process does not read what it is sent. */
  write(text: string): boolean {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin.writableLength > UNREAD_LIMIT) return false;
    // If the process has closed its input, the message is lost and the call runs out of time.
    if (stdin.writable) stdin.write(text);
    return true;
  }

  /** Ends the process: closes its input, then sends SIGTERM, then SIGKILL. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#stopping = true;
    child.stdin.end();
    const timers = [
      this.#clock.after(GRACE_MS, () => this.#signal("SIGTERM")),
      this.#clock.after(GRACE_MS + TERM_GRACE_MS, () => this.kill()),
    ];
    await this.#ended.promise;
    for (const cancel of timers) cancel();
  }

  /** Ends the process and its children at once. */
  kill(): void {
    this.#stopping = true;
    this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals): void {
    const child = this.#child;
    if (child?.pid === undefined) return;
    try {
      if (HAS_GROUPS) process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // It has ended already.
    }
  }

  /** Ends the processes that it left running and reads its last output. A process that keeps the pipes open does not delay this for long. */
  #exited(child: ChildProcessWithoutNullStreams, end: ProcessEnd): void {
    this.#signal("SIGKILL");
    const finish = (): void => {
      if (this.end !== undefined) return;
      this.end = end;
      cancelTimer();
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
      this.#forget();
      this.#listener.ended();
      this.#ended.resolve();
    };
    const cancelTimer = this.#clock.after(PIPES_GRACE_MS, finish);
    child.on("close", finish);
  }

  #forget(): void {
    running.delete(this);
    if (running.size === 0) process.off("exit", killAll);
  }
}

const KEPT_CHARACTERS = 16_384;
const SHOWN_CHARACTERS = 1_000;
const SHOWN_LINES = 8;
const LONGEST_SECRET = 4_096;

/** Control characters other than the end of a line. */
const control = lazyPattern("[^\\P{Cc}\\n\\r]", "gu");

/** Keeps the end of the output of a process, for the error when it fails. */
export class OutputTail {
  #text = "";
  #cut = false;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length <= KEPT_CHARACTERS) return;
    this.#text = this.#text.slice(-KEPT_CHARACTERS);
    this.#cut = true;
  }

  /**
   * The last lines, without secrets. Secrets are hidden before the text is cut, and if it was cut before, its start is left
   * out: no part of a secret may remain at an edge.
   */
  show(hide: (text: string) => string): string {
    const { stripVTControlCharacters } = process.getBuiltinModule("node:util");
    const whole = this.#cut ? this.#text.slice(LONGEST_SECRET) : this.#text;
    const lines = hide(stripVTControlCharacters(whole).replace(control(), ""))
      .split(/\r?\n|\r/)
      // A stack trace does not help here; the message above it does.
      .filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
    const shown = lines.slice(-SHOWN_LINES).join("\n").slice(-SHOWN_CHARACTERS);
    return redactSecrets(shown.toWellFormed()).trim();
  }
}
