import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { openStore } from "../../journal/store/open-store.ts";
import { importRun } from "../../journal/transfer/import-run.ts";
import { textLines } from "../../journal/transfer/run-file.ts";
import { ProjectError } from "../../project/project-error.ts";
import { fileProblem } from "../../project/read-text-file.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";

/** The options of `import`. */
export interface ImportCommandOptions {
  readonly settings: SettingsRequest;
  /** A run's file, or `-` for standard input. */
  readonly file: string;
  /** The name that the run gets. */
  readonly as?: string;
}

/** Takes a run from its file into the store. */
export async function importCommand(options: ImportCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { file, as } = options;
  const { settings } = await readSettings(options.settings, terminal);
  // A misspelt name should not leave a store behind.
  if (file !== "-") await access(resolve(terminal.folder, file)).catch(cannotRead(file));
  const store = await openStore(settings.store);
  try {
    const { run } = await importRun(
      store,
      textLines(piecesOf(file, terminal)),
      as === undefined ? {} : { as },
    );
    terminal.output.write(`Imported run ${run}. Look at it: elenchus show ${run}\n`);
    return 0;
  } finally {
    store.close();
  }
}

async function* piecesOf(file: string, { input, folder }: Terminal): AsyncGenerator<string> {
  const stream = file === "-" ? input : createReadStream(resolve(folder, file));
  stream.setEncoding("utf8");
  try {
    for await (const piece of stream) yield piece as string;
  } catch (error) {
    cannotRead(file)(error);
  }
}

function cannotRead(file: string): (error: unknown) => never {
  return (cause) => {
    throw new ProjectError([`${fileProblem(cause, file)} Name a file that export wrote.`], { cause });
  };
}
