import { type Command, InvalidArgumentError } from "commander";
import type { Terminal } from "../../system/terminal/terminal.ts";

/** How a command ends: success, a threshold was missed, the user must fix something, interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

/** The signals that stop a process: Ctrl-C, `kill`, and a closed terminal. */
export const STOP_SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** What every command is declared with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Runs the action of a command; its result becomes the exit code. */
  readonly execute: (action: () => Promise<ExitCode>) => Promise<void>;
}

/** Declares a command: arguments, options, help with examples, and an action that loads its code when the command is given. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** Examples for the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}

/** Collects the values of an option that may be given several times. */
export function repeatable(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** The names in a list with commas. */
export function commaList(value: string): readonly string[] {
  return value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Parses an option that is a whole number from `least` up to `most`. */
export function wholeNumber(
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} and up` : `${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number from ${range}.`);
  };
}
