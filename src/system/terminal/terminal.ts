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

/** Colours and weights; each returns the text unchanged where there are no colours. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const plain = (text: string): string => text;

/** For pipes, files and people who set `NO_COLOR`. */
export const PLAIN_STYLE: Style = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
};

function styled(format: keyof Style): (text: string) => string {
  // Which stream gets colours is decided before, for each stream: see `showsColours`.
  return (text) => (text === "" ? "" : styleText(format, text, { validateStream: false }));
}

/** For terminals that show colours. */
export const COLOUR_STYLE: Style = {
  bold: styled("bold"),
  dim: styled("dim"),
  red: styled("red"),
  green: styled("green"),
  yellow: styled("yellow"),
  cyan: styled("cyan"),
};
