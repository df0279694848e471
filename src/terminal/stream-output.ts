import type { Environment } from "../core/values/environment.ts";
import { COLOUR_STYLE, PLAIN_STYLE, type Style } from "./style.ts";
import type { Output } from "./terminal.ts";

/** A stream of the process: a terminal, a pipe or a file. */
export type OutputStream = NodeJS.WritableStream &
  ColourStream & {
    readonly columns?: number;
    readonly rows?: number;
    readonly writableNeedDrain?: boolean;
  };

/** What an output needs to know besides its stream. */
export interface StreamOutputOptions {
  readonly environment: Environment;
  /** The stream cannot be written any more. */
  readonly onError?: (error: NodeJS.ErrnoException) => void;
}

const DEFAULT_WIDTH = 80;
const DEFAULT_HEIGHT = 24;

/** An output on a stream. When nobody reads it any more, what is written is dropped. */
export class StreamOutput implements Output {
  readonly style: Style;
  readonly isTerminal: boolean;
  readonly #stream: OutputStream;
  readonly #environment: Environment;
  readonly #broken = Promise.withResolvers<void>();
  #isBroken = false;

  constructor(stream: OutputStream, { environment, onError }: StreamOutputOptions) {
    this.#stream = stream;
    this.#environment = environment;
    this.style = showsColours(stream, environment) ? COLOUR_STYLE : PLAIN_STYLE;
    this.isTerminal = stream.isTTY === true && environment.TERM !== "dumb";
    // Stays for good: every write to a broken pipe tells of it again, and an error that nobody hears ends the process.
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (this.#isBroken) return;
      this.#isBroken = true;
      this.#broken.resolve();
      onError?.(error);
    });
  }

  get width(): number {
    return size(this.#stream.columns) ?? size(Number(this.#environment.COLUMNS)) ?? DEFAULT_WIDTH;
  }

  get height(): number {
    return size(this.#stream.rows) ?? size(Number(this.#environment.LINES)) ?? DEFAULT_HEIGHT;
  }

  write(text: string): void {
    if (!this.#isBroken && text !== "") this.#stream.write(text);
  }

  async drained(): Promise<void> {
    if (this.#isBroken || this.#stream.writableNeedDrain !== true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stream.once("drain", resolve);
    await Promise.race([promise, this.#broken.promise]);
    this.#stream.off("drain", resolve);
  }

  /** Resolves when all that was written is on its way, or nobody reads it any more. */
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

/** Undefined if nobody knows: terminals that are not quite there have 0 columns. */
function size(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** What a stream tells about the colours it can show. */
export interface ColourStream {
  readonly isTTY?: boolean;
  hasColors?(environment: object): boolean;
}

/**
 * Whether a stream gets colours: never where `NO_COLOR` is set; else as `FORCE_COLOR` says, and without it if a terminal shows
 * them.
 */
export function showsColours(stream: ColourStream, environment: Environment): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (stream.isTTY !== true || TERM === "dumb") return false;
  return stream.hasColors === undefined || stream.hasColors(environment);
}
