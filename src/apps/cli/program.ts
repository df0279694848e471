import { Command, CommanderError } from "commander";
import { processTerminal } from "../../system/terminal/process-terminal.ts";
import type { Terminal } from "../../system/terminal/terminal.ts";
import { packageVersion } from "../project/package-files.ts";
import { type AddCommand, type CommandContext, command, type ExitCode } from "./command.ts";
import * as look from "./commands/look-commands.ts";
import * as run from "./commands/run-commands.ts";
import * as start from "./commands/start-commands.ts";
import * as workers from "./commands/workers-commands.ts";
import * as write from "./commands/write-commands.ts";

/** All commands by group, in the order in which people need them. What a command does is loaded when it runs. */
const GROUPS: Readonly<Record<string, readonly AddCommand[]>> = {
  "Start:": [
    command(start.DEMO, async (_, terminal) => (await import("./start/demo.ts")).demo(terminal)),
    command(start.INIT, async (...given) => (await import("./start/init.ts")).init(...given)),
    command(start.DOCTOR, async (...given) => (await import("./start/doctor.ts")).doctor(...given)),
  ],
  "Write scenarios:": [
    command(write.DRAFT, async (...given) => (await import("./write/draft.ts")).draft(...given)),
    command(write.CHECK, async (...given) => (await import("./write/check.ts")).check(...given)),
    command(write.DIFF, async (...given) => (await import("./write/diff.ts")).diff(...given)),
    command(write.PLAN, async (...given) => (await import("./write/plan.ts")).plan(...given)),
    command(write.REHEARSE, async (...given) => (await import("./write/rehearse.ts")).rehearse(...given)),
    command(write.PLAY, async (...given) => (await import("./play/play.ts")).playCommand(...given)),
  ],
  "Run scenarios:": [
    command(run.RUN, async (...given) => (await import("./run/run.ts")).run(...given)),
    command(run.RESUME, async (...given) => (await import("./run/resume.ts")).resume(...given)),
    command(run.GRADE, async (...given) => (await import("./run/grade.ts")).grade(...given)),
    command(run.REGRADE, async (...given) => (await import("./run/regrade.ts")).regrade(...given)),
    command(run.MERGE, async (...given) => (await import("./run/merge.ts")).merge(...given)),
    command(run.WHY_MISS, async (...given) => (await import("./run/why-miss.ts")).whyMiss(...given)),
  ],
  "Beyond one machine:": [
    command(workers.WORKER, async (...given) => (await import("./workers/worker.ts")).worker(...given)),
    command(workers.WORKERS, async (...given) => (await import("./workers/workers.ts")).workers(...given)),
    command(workers.STOP, async (...given) => (await import("./workers/workers.ts")).stop(...given)),
  ],
  "Look at runs:": [
    command(look.LIST, async (...given) => (await import("./look/list.ts")).list(...given)),
    command(look.SHOW, async (...given) => (await import("./look/show.ts")).show(...given)),
    command(look.VIEW, async (...given) => (await import("./look/view.ts")).view(...given)),
    command(look.COMPARE, async (...given) => (await import("./look/compare.ts")).compare(...given)),
    command(look.EXPORT, async (...given) => (await import("./look/export.ts")).exportRun(...given)),
    command(look.IMPORT, async (...given) => (await import("./look/import.ts")).importFile(...given)),
    command(look.TAG, async (...given) => (await import("./look/change-runs.ts")).tag(...given)),
    command(look.DELETE, async (...given) => (await import("./look/change-runs.ts")).deleteRuns(...given)),
  ],
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
