import { Command, CommanderError } from "commander";
import { processTerminal } from "../../system/terminal/process-terminal.ts";
import type { Terminal } from "../../system/terminal/terminal.ts";
import { packageVersion } from "../project/package-files.ts";
import type { AddCommand, CommandContext, ExitCode } from "./command.ts";
import { LOOK_COMMANDS } from "./commands/look-commands.ts";
import { RUN_COMMANDS } from "./commands/run-commands.ts";
import { START_COMMANDS } from "./commands/start-commands.ts";
import { WORKER_COMMANDS } from "./commands/workers-commands.ts";
import { WRITE_COMMANDS } from "./commands/write-commands.ts";

/** All commands by group, in the order in which people need them. */
const GROUPS: Readonly<Record<string, readonly AddCommand[]>> = {
  "Start:": START_COMMANDS,
  "Write scenarios:": WRITE_COMMANDS,
  "Run scenarios:": RUN_COMMANDS,
  "Beyond one machine:": WORKER_COMMANDS,
  "Look at runs:": LOOK_COMMANDS,
};

/** All commands, declared with commander. */
export function makeProgram(context: CommandContext): Command {
  const { output, messages } = context.terminal;
  const program = new Command("elenchus")
    .description(
      "Multi-turn benchmarks of language models: does a model keep a right answer under pressure, correct a wrong one, and combine facts that arrive one at a time?",
    )
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => messages.write(text),
      getOutHelpWidth: () => output.width,
      getErrHelpWidth: () => messages.width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText(
      "after",
      "\nExamples:\n  $ elenchus demo\n  $ elenchus run pack:pressure --subject openai/gpt-5-mini\n  $ elenchus run --help\n",
    );
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, context);
  }
  for (const command of program.commands)
    command
      .option("--debug", "print stack traces of errors")
      .showHelpAfterError("(add --help to see the options)")
      .hook("preAction", refuseBlanks);
  return program;
}

/** A blank argument is a variable of a shell that is not set: it must not name the latest run, all scenarios or a run without a name. */
function refuseBlanks(command: Command): void {
  const isBlank = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isBlank) : typeof value === "string" && value.trim() === "";
  const argument = command.registeredArguments.find((_, index) => isBlank(command.processedArgs[index]));
  if (argument !== undefined)
    command.error(`error: The argument "${argument.name()}" is empty; write a value, or leave it out.`);
  const option = command.options.find((each) => isBlank(command.getOptionValue(each.attributeName())));
  if (option !== undefined) command.error(`error: ${option.long} is empty; write a value, or leave it out.`);
}

/** Runs one command, and exits once everything is written. */
export async function runCli(given: readonly string[]): Promise<void> {
  const terminal = processTerminal();
  // Only a command that waits for nothing any more gets there; Node would name a line of ours.
  const onStuck = (): void => {
    terminal.messages.write(
      "error: The command waits for something that never happens, such as a promise in a module that is never settled.\n",
    );
    process.exit(2);
  };
  process.once("beforeExit", onStuck);
  const code = await exitCodeOf(given, terminal);
  process.off("beforeExit", onStuck);
  await terminal.flush();
  // A model or server that timed out may still hold a connection open.
  // A hang-up closes the terminal, too: that the command was interrupted counts.
  process.exit(code === 130 ? code : (terminal.closedWith ?? code));
}

/** Runs one command in a terminal; gives how it ended. */
export async function exitCodeOf(given: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = makeProgram({
    terminal,
    execute: async (action) => {
      code = await action();
    },
  });
  try {
    await program.parseAsync(given, { from: "user" });
    return code;
  } catch (error) {
    // Commander has printed its message; help and version are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { reportError } = await import("./report-error.ts");
    reportError(error, terminal.messages, { debug: given.includes("--debug") });
    return 2;
  }
}
