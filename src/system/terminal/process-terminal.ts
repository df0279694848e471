import { DEFAULTS } from "../../core/defaults.ts";
import type { Environment } from "../../core/environment.ts";
import { shownData, TextGuard } from "./printable-text.ts";
import { COLOUR_STYLE, type Output, PLAIN_STYLE, type Style, type Terminal } from "./terminal.ts";

/** The part of `process` that a terminal needs. */
interface TerminalProcess {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadStream;
  readonly env: Environment;
  cwd(): string;
  exit(code: number): void;
  /** The exit code that is set already, such as 130 after a hang-up, which also closes the streams. */
  readonly exitCode?: number | string | null | undefined;
}

/** The terminal of a process. Standard output may be closed by its reader at any time. */
export interface ProcessTerminal extends Terminal {
  /** The exit code of a process whose standard output cannot be written any more; undefined as long as it can. */
  readonly closedWith: 0 | 2 | undefined;
  /**
   * Registers an action for when standard output is closed, as by `| head`; returns a function that removes it. Without any
   * action the process exits at once; with one, it continues until its work is done.
   */
  onClosed(action: () => void): () => void;
  /** Resolves when everything is written; await it before the process exits. */
  flush(): Promise<void>;
}

/** Errors of a stream whose reader is gone, which is no failure. */
const READER_GONE: readonly (string | undefined)[] = ["EPIPE", "EIO", "ECONNRESET", "ERR_STREAM_DESTROYED"];

/** The terminal of this process. */
export function processTerminal(owner: TerminalProcess = process): ProcessTerminal {
  const { stdout, stderr, stdin, env: environment } = owner;
  const actions = new Set<() => void>();
  let closedWith: 0 | 2 | undefined;

  const messages = new StreamOutput(stderr, { environment });
  const output = new StreamOutput(stdout, { environment, onError: (error) => close(error) });
  const close = (error: NodeJS.ErrnoException): void => {
    const isReaderGone = READER_GONE.includes(error.code);
    closedWith = isReaderGone ? 0 : 2;
    if (!isReaderGone) messages.write(`Standard output cannot be written: ${error.message}\n`);
    const exit = (): unknown => owner.exit(Number(owner.exitCode ?? closedWith ?? 0));
    if (actions.size === 0) messages.flush().then(exit, exit);
    for (const action of [...actions]) action();
  };

  return {
    output,
    messages,
    input: stdin,
    environment,
    folder: owner.cwd(),
    get closedWith() {
      return closedWith;
    },
    onClosed(action) {
      actions.add(action);
      return () => actions.delete(action);
    },
    async flush() {
      await Promise.all([output.flush(), messages.flush()]);
    },
  };
}

/** A stream of the process: a terminal, a pipe or a file. */
type OutputStream = NodeJS.WritableStream &
  ColourStream & {
    readonly columns?: number;
    readonly rows?: number;
    readonly writableNeedDrain?: boolean;
  };

/** What an output needs besides its stream. */
interface StreamOutputOptions {
  readonly environment: Environment;
  /** The stream cannot be written any more. */
  readonly onError?: (error: NodeJS.ErrnoException) => void;
}

/** An output on a stream. After its reader is gone, writes are dropped. */
export class StreamOutput implements Output {
  readonly style: Style;
  readonly isTerminal: boolean;
  readonly #stream: OutputStream;
  readonly #guard: TextGuard;
  readonly #environment: Environment;
  readonly #broken = Promise.withResolvers<void>();
  #isBroken = false;

  constructor(stream: OutputStream, { environment, onError }: StreamOutputOptions) {
    this.#stream = stream;
    this.#environment = environment;
    const { GITHUB_ACTIONS, TF_BUILD, TEAMCITY_VERSION } = environment;
    const hasMarks = TF_BUILD !== undefined || TEAMCITY_VERSION !== undefined;
    this.#guard = new TextGuard({ isGitHub: GITHUB_ACTIONS === "true", hasMarks });
    this.style = showsColours(stream, environment) ? COLOUR_STYLE : PLAIN_STYLE;
    this.isTerminal = stream.isTTY === true && environment.TERM !== "dumb";
    // Never removed: every write to a broken pipe emits the error again, and an unhandled one ends the process.
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (this.#isBroken) return;
      this.#isBroken = true;
      this.#broken.resolve();
      onError?.(error);
    });
  }

  get width(): number {
    return size(this.#stream.columns) ?? size(Number(this.#environment.COLUMNS)) ?? DEFAULTS.terminalWidth;
  }

  get height(): number {
    return size(this.#stream.rows) ?? size(Number(this.#environment.LINES)) ?? DEFAULTS.terminalHeight;
  }

  write(text: string): void {
    this.#put(this.#guard.safe(text));
  }

  data(text: string): void {
    // On a screen, nothing reads the data but a person.
    this.#put(this.#stream.isTTY === true ? shownData(text) : text);
  }

  #put(text: string): void {
    if (!this.#isBroken && text !== "") this.#stream.write(text);
  }

  async drained(): Promise<void> {
    if (this.#isBroken || this.#stream.writableNeedDrain !== true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stream.once("drain", resolve);
    await Promise.race([promise, this.#broken.promise]);
    this.#stream.off("drain", resolve);
  }

  /** Resolves when everything is written, or the reader is gone. */
  async flush(): Promise<void> {
    if (this.#isBroken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    // A write that fails calls back before the stream emits its error: wait for the error, so that it is reported.
    this.#stream.write("", (error) => {
      if (!error) resolve();
    });
    await Promise.race([promise, this.#broken.promise]);
  }
}

/** Undefined if unknown: a terminal that is not ready reports 0 columns. */
function size(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** The part of a stream that reports its colours. */
interface ColourStream {
  readonly isTTY?: boolean;
  hasColors?(environment: object): boolean;
}

/** Whether a stream gets colours: never with `NO_COLOR`, then as `FORCE_COLOR` demands, else if it is a terminal with colours. */
export function showsColours(stream: ColourStream, environment: Environment): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (stream.isTTY !== true || TERM === "dumb") return false;
  return stream.hasColors === undefined || stream.hasColors(environment);
}
