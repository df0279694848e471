import { ProjectError } from "../../project/project-error.ts";
import { countedText } from "../../report/text/figures.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";
import { saysYes } from "../trust/consent.ts";

/** The options of `delete`. */
export interface DeleteOptions {
  readonly runs: readonly string[];
  readonly settings: SettingsRequest;
  /** True to delete without asking. */
  readonly isSure: boolean;
}

/** Deletes runs from the store, all of them or none; asks first. */
export async function deleteRuns(options: DeleteOptions, terminal: Terminal): Promise<ExitCode> {
  const { output, messages } = terminal;
  const { settings } = await readSettings(options.settings, terminal);
  return withRuns(
    settings.store,
    async (store): Promise<ExitCode> => {
      const runs = new Map(options.runs.map((name) => [findRun(store, name).run, findRun(store, name)]));
      const lines = [...runs.values()].map(
        ({ run, start }) => `  - ${printableText(run)}, ${countedText(start.conversations, "conversation")}`,
      );
      const question = `Delete for ever:\n${lines.join("\n")}\nGo on? [y/N] `;
      if (!options.isSure) {
        const isYes = await saysYes(question, terminal);
        if (isYes === undefined)
          throw new ProjectError([
            `This deletes permanently:\n${lines.join("\n")}\nTo delete without a question, add --yes.`,
          ]);
        if (!isYes) {
          messages.write("Nothing was deleted.\n");
          return 0;
        }
      }
      for (const run of runs.keys()) {
        store.delete(run);
        output.write(`Deleted ${printableText(run)}\n`);
      }
      store.compact();
      return 0;
    },
    { readOnly: false },
  );
}
