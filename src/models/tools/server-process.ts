import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { lazyPattern } from "../../core/lazy.ts";
import type { ToolProcess } from "./resolve-tool-servers.ts";

/** How a process came to its end. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** False if we ended it. */
  readonly byItself: boolean;
}

/** What a process does with its output and at its end. */
export interface ProcessListener {
  output(chunk: Buffer): void;
  ended(): void;
}

const GRACE_MS = 500;
const TERM_GRACE_MS = 1_000;
const PIPES_GRACE_MS = 300;
/** What a process may leave unread of its input. */
const UNREAD_LIMIT = 16_000_000;

/** Groups of processes are what Unix can end as a whole; a server is often started by a launcher such as npx. */
const HAS_GROUPS = process.platform !== "win32";

const running = new Set<ServerProcess>();

function killAll(): void {
  for (const server of running) server.kill();
}

/** A tool server's process: started, written to, and ended for certain, with all that it started itself. */
export class ServerProcess {
  readonly errors: OutputTail = new OutputTail();
  end: ProcessEnd | undefined;
  readonly #server: ToolProcess;
  readonly #listener: ProcessListener;
  #child: ChildProcessWithoutNullStreams | undefined;
  #stopping = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(server: ToolProcess, listener: ProcessListener) {
    this.#server = server;
    this.#listener = listener;
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
    // A pipe that breaks says no more than the end of the process, which follows.
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
    // After the other side has closed its end, this is lost; whoever waits for an answer runs out of time.
    if (stdin.writable) stdin.write(text);
    return true;
  }

  /** Asks the process to end by closing its input, then by SIGTERM, then does not ask any more. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#stopping = true;
    child.stdin.end();
    const terminate = setTimeout(() => this.#signal("SIGTERM"), GRACE_MS);
    const kill = setTimeout(() => this.kill(), GRACE_MS + TERM_GRACE_MS);
    await this.#ended.promise;
    clearTimeout(terminate);
    clearTimeout(kill);
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
      // It is gone already.
    }
  }

  /** What the process left running is ended too; then its last output is read, unless somebody keeps the pipes open. */
  #exited(child: ChildProcessWithoutNullStreams, end: ProcessEnd): void {
    this.#signal("SIGKILL");
    const finish = (): void => {
      if (this.end !== undefined) return;
      this.end = end;
      clearTimeout(timer);
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
      this.#forget();
      this.#listener.ended();
      this.#ended.resolve();
    };
    const timer = setTimeout(finish, PIPES_GRACE_MS);
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

/** Remembers the end of what a process wrote, to be quoted when it fails. */
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
   * The last lines, without secrets. These are hidden before the text is cut to what is shown, and where it has been cut
   * before, its start is left out: no piece of a secret may be left at an edge.
   */
  show(hide: (text: string) => string): string {
    const { stripVTControlCharacters } = process.getBuiltinModule("node:util");
    const whole = this.#cut ? this.#text.slice(LONGEST_SECRET) : this.#text;
    const lines = hide(stripVTControlCharacters(whole).replace(control(), ""))
      .split(/\r?\n|\r/)
      // Where in its code a server failed is of no use here; the sentence before is.
      .filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
    return lines.slice(-SHOWN_LINES).join("\n").slice(-SHOWN_CHARACTERS).toWellFormed().trim();
  }
}
