import { styleText } from "node:util";
import type { Environment } from "../../core/environment.ts";

/** One of the two streams that a command writes to. */
export interface Output {
  /** Writes text for people. Control sequences and workflow commands are neutralised, except our own colours. */
  write(text: string): void;
  /** Writes data as it is: JSON, exports, commands for CI. */
  data(text: string): void;
  /** Resolves when there is room for more: await it between large writes, so that a slow reader does not fill the memory. */
  drained(): Promise<void>;
  readonly style: Style;
  /** True for a terminal, on which lines can be redrawn. */
  readonly isTerminal: boolean;
  /** Columns, as of now; 80 if unknown. */
  readonly width: number;
  /** Rows, as of now; 24 if unknown. */
  readonly height: number;
}

/** The streams, variables and folder of a command. */
export interface Terminal {
  /** Results: standard output. */
  readonly output: Output;
  /** Progress, warnings and errors: standard error. */
  readonly messages: Output;
  readonly input: NodeJS.ReadStream;
  readonly environment: Environment;
  /** The folder in which the command was given. */
  readonly folder: string;
}

const FORMATS = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

/** Colours and weights; each returns the text unchanged where there are no colours. */
export type Style = Readonly<Record<(typeof FORMATS)[number], (text: string) => string>>;

function styleOf(painter: (format: keyof Style) => (text: string) => string): Style {
  // A painter for each format.
  return Object.fromEntries(FORMATS.map((format) => [format, painter(format)])) as unknown as Style;
}

/** For pipes, files and people who set `NO_COLOR`. */
export const PLAIN_STYLE: Style = styleOf(() => (text) => text);

/** For terminals that show colours; which stream gets them is decided before, for each stream: see `showsColours`. */
export const COLOUR_STYLE: Style = styleOf(
  (format) => (text) => (text === "" ? "" : styleText(format, text, { validateStream: false })),
);
