import { CommanderError } from "commander";
import { type ProcessTerminal, processTerminal } from "../terminal/process-terminal.ts";
import type { ExitCode } from "./exit-code.ts";
import { makeProgram } from "./program.ts";

/** Runs one command to its end, and ends the process once everything that was printed is out. */
export async function runCli(given: readonly string[]): Promise<void> {
  const terminal = processTerminal();
  const code = await exitCodeOf(given, terminal);
  await terminal.flush();
  // A model or a server that was given up may still hold on to a connection.
  process.exit(terminal.closedWith ?? code);
}

async function exitCodeOf(given: readonly string[], terminal: ProcessTerminal): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = makeProgram({
    terminal,
    does: async (doing) => {
      code = await doing();
    },
  });
  try {
    await program.parseAsync(given, { from: "user" });
    return code;
  } catch (error) {
    // What is wrong with the words of the command has been said; help and version are not wrong at all.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { complain } = await import("./complain.ts");
    complain(error, terminal.messages, { debug: given.includes("--debug") });
    return 2;
  }
}
