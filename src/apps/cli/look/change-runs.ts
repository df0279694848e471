import { nameHint } from "../../../core/schema/nearest-name.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { DELETE, TAG } from "../commands/look-commands.ts";
import { readSettings } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";
import { confirm } from "../trust/consent.ts";

/** Adds tags to a run and removes others, and prints those that it has then, one on each line. */
export async function tag(
  { run: name, tags: add, remove = [], settings }: OptionsOf<typeof TAG>,
  terminal: Terminal,
): Promise<ExitCode> {
  const { settings: now } = await readSettings(settings, terminal);
  const changes = add.length + remove.length > 0;
  await withRuns(
    now.store,
    (store) => {
      const { run, tags } = findRun(store, name);
      if (add.some((one) => one.trim() === "")) throw new ProjectError(["A tag must not be empty."]);
      for (const one of remove) {
        if (tags.includes(one)) continue;
        throw new ProjectError([`The run "${run}" has no tag "${one}". ${nameHint(one, tags)}`]);
      }
      const after = [...new Set([...tags, ...add])].filter((one) => !remove.includes(one));
      if (changes) store.tag(run, after);
      for (const one of after) terminal.output.write(`${printableText(one)}\n`);
    },
    { readOnly: !changes },
  );
  return 0;
}

/** Deletes runs from the store, all of them or none; asks first. */
export async function deleteRuns(options: OptionsOf<typeof DELETE>, terminal: Terminal): Promise<ExitCode> {
  const { output, messages } = terminal;
  const { settings } = await readSettings(options.settings, terminal);
  return withRuns(
    settings.store,
    async (store): Promise<ExitCode> => {
      const runs = new Map(options.runs.map((name) => [findRun(store, name).run, findRun(store, name)]));
      const lines = [...runs.values()].map(
        ({ run, start }) => `  - ${printableText(run)}, ${countedText(start.conversations, "conversation")}`,
      );
      const question = `Delete permanently:\n${lines.join("\n")}\nContinue? [y/N] `;
      if (!options.yes) {
        const isYes = await confirm(question, terminal);
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
