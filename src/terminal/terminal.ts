import type { Environment } from "../core/values/environment.ts";
import type { Style } from "./style.ts";

/** One of the two streams that a command writes to. */
export interface Output {
  write(text: string): void;
  /** Resolves when there is room for more: who writes much waits for it, so that a slow reader does not fill the memory. */
  drained(): Promise<void>;
  readonly style: Style;
  /** True if a person looks at it, and lines can be drawn again. */
  readonly isTerminal: boolean;
  /** Columns, as of now; 80 where nobody knows. */
  readonly width: number;
  /** Rows, as of now; 24 where nobody knows. */
  readonly height: number;
}

/** Where a command is given and answered. */
export interface Terminal {
  /** What was asked for: standard output. */
  readonly output: Output;
  /** What is said meanwhile: standard error. */
  readonly messages: Output;
  readonly input: NodeJS.ReadStream;
  readonly environment: Environment;
  /** The folder in which the command was given. */
  readonly folder: string;
}
