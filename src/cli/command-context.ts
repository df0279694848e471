import type { Command } from "commander";
import type { Terminal } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit-code.ts";

/** What every command is declared with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Runs what a command does, and keeps how it ended. */
  readonly does: (doing: () => Promise<ExitCode>) => Promise<void>;
}

/** Declares a command: its words, its options, its help with an example, and what does it. Nothing is loaded before it is given. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** The help of a command ends with examples that can be typed as they stand. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}

/** Collects the values of an option that may be given several times. */
export function repeatable(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
