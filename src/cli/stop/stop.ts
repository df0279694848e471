import { openStore } from "../../journal/store/open-store.ts";
import { ProjectError } from "../../project/project-error.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun } from "../stored-runs.ts";
import { quoted } from "../trust/project-effects.ts";
import { withWork } from "../workers/workers.ts";

/** The options of `stop`. */
export interface StopCommandOptions {
  readonly run: string;
  /** True to cut calls off that are under way. */
  readonly isAtOnce: boolean;
  readonly settings: SettingsRequest;
}

/** Stops a run on all its workers. */
export async function stop(
  { run: given, isAtOnce, settings: request }: StopCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { settings } = await readSettings(request, terminal);
  return withWork(settings.store, async (tables): Promise<ExitCode> => {
    const store = await openStore(settings.store, { readOnly: true });
    const { run } = findRun(store, given);
    store.close();
    if (!(await tables.setState(run, isAtOnce ? "aborting" : "stopping")))
      throw new ProjectError([
        `Run ${printableText(run)} does not run on workers now, so there is nothing to stop.`,
      ]);
    const { claimed } = await tables.progress(run);
    if (claimed === 0) await tables.dropUnclaimed(run);
    terminal.output.write(
      `Run ${printableText(run)} is stopping${isAtOnce ? "" : "; workers finish calls under way"}. Continue it with: elenchus resume ${quoted(run)}\n`,
    );
    return 0;
  });
}
