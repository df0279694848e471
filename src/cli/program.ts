import { Command } from "commander";
import { packageVersion } from "../project/package-files.ts";
import { addCheckCommand } from "./check/check-command.ts";
import { type AddCommand, type CommandContext, examples } from "./command-context.ts";
import { addDemoCommand } from "./demo/demo-command.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addExportCommand } from "./export/export-command.ts";
import { addImportCommand } from "./import/import-command.ts";
import { addInitCommand } from "./init/init-command.ts";
import { addListCommand } from "./list/list-command.ts";
import { addPlayCommand } from "./play/play-command.ts";
import { addRegradeCommand } from "./regrade/regrade-command.ts";
import { addResumeCommand } from "./resume/resume-command.ts";
import { addRunCommand } from "./run/run-command.ts";
import { addShowCommand } from "./show/show-command.ts";
import { addWhyMissCommand } from "./why-miss/why-miss-command.ts";

/** All commands, by what they are for, in the order in which one needs them. */
const GROUPS: Readonly<Record<string, readonly AddCommand[]>> = {
  "Begin:": [addDemoCommand, addInitCommand, addDoctorCommand],
  "Write scenarios:": [addCheckCommand, addPlayCommand],
  "Run them:": [addRunCommand, addResumeCommand, addRegradeCommand, addWhyMissCommand],
  "Look at runs:": [addListCommand, addShowCommand, addExportCommand, addImportCommand],
};

/** The command line as commander sees it. */
export function makeProgram(context: CommandContext): Command {
  const { output, messages } = context.terminal;
  const program = new Command("elenchus")
    .description(
      "Multi-turn benchmarks of language models: does a model keep a right answer under pressure, repair a wrong one, put together facts that come one at a time?",
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
      examples(
        "elenchus demo",
        "elenchus run pack:pressure --subject openai/gpt-5-mini",
        "elenchus run --help",
      ),
    );
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, context);
  }
  for (const command of program.commands)
    command.option("--debug", "print stacks of errors").showHelpAfterError("(--help says what there is)");
  return program;
}
