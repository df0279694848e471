import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { importRun } from "../../../engine/journal/transfer/import-run.ts";
import { fileProblem, specialKind } from "../../../system/files/read-text-file.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { openToWrite } from "../stored-runs.ts";

/** The options of `import`. */
interface ImportCommandOptions {
  readonly settings: SettingsRequest;
  /** A run's file, or `-` for standard input. */
  readonly file: string;
  /** The name that the run gets. */
  readonly as: string | undefined;
  /** True to use its answers in new runs, too. */
  readonly useCalls: boolean;
}

/** Imports a run from a file into the store. */
export async function importCommand(options: ImportCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { file, as, useCalls } = options;
  const { settings } = await readSettings(options.settings, terminal);
  // A misspelt name should not leave a store behind.
  if (file !== "-") await refuseSpecial(file, terminal);
  const store = await openToWrite(settings.store);
  try {
    const { run } = await importRun(store, piecesOf(file, terminal), {
      useCalls,
      ...(as === undefined ? {} : { as }),
    });
    terminal.output.write(`Imported run ${printableText(run)}. Look at it: elenchus show ${runWord(run)}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

/** Refuses devices, which may have no end. A pipe that a person names is fine. */
async function refuseSpecial(file: string, { folder }: Terminal): Promise<void> {
  const stats = await stat(resolve(folder, file)).catch(cannotRead(file));
  const kind = stats.isFIFO() ? undefined : specialKind(stats);
  if (kind !== undefined)
    throw new ProjectError([`${file} is ${kind}, not a file. Name a file that export wrote.`]);
}

const PIECE = 250_000;

async function* piecesOf(file: string, { input, folder }: Terminal): AsyncGenerator<string | Uint8Array> {
  const stream = file === "-" ? input : createReadStream(resolve(folder, file), { highWaterMark: PIECE });
  try {
    yield* stream as AsyncIterable<string | Uint8Array>;
  } catch (error) {
    cannotRead(file)(error);
  }
}

function cannotRead(file: string): (error: unknown) => never {
  return (cause) => {
    throw new ProjectError([`${fileProblem(cause, file)} Name a file that export wrote.`], { cause });
  };
}
