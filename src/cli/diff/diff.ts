import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ComparedSide, diffScenarios } from "../../analysis/diff/diff-scenarios.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import type { RunSummary, Store } from "../../journal/store/store.ts";
import { storedDefinitions } from "../../journal/transfer/stored-run.ts";
import { ProjectError } from "../../project/project-error.ts";
import { selectScenarios } from "../../project/scenario-files/select-scenarios.ts";
import type { Settings } from "../../project/settings.ts";
import { safeJson } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withStoreIfAny } from "../stored-runs.ts";
import { diffText } from "./diff-text.ts";

/** The options of `diff`. */
export interface DiffOptions {
  /** Each a file, a folder, a pattern, a pack, a stored run, or `run:scenario`. */
  readonly before: string;
  readonly after: string;
  readonly settings: SettingsRequest;
  /** True to exit with 1 if there is a difference. */
  readonly exitCode: boolean;
  readonly json: boolean;
}

/** Compares two versions of scenarios. */
export async function diff(options: DiffOptions, terminal: Terminal): Promise<ExitCode> {
  const { settings } = await readSettings(options.settings, terminal);
  return withStoreIfAny(settings.store, async (store) => {
    const find = (name: string): Promise<ComparedSide> => findSide(name, { store, settings, terminal });
    const [before, after] = [await find(options.before), await find(options.after)];
    const found = await diffScenarios(before, after, store);
    const { output } = terminal;
    if (options.json) output.data(`${safeJson(found, 2)}\n`);
    else output.write(diffText(found, { style: output.style, width: output.width }));
    return found.isSame || !options.exitCode ? 0 : 1;
  });
}

interface Sources {
  readonly store: Store | undefined;
  readonly settings: Settings;
  readonly terminal: Terminal;
}

/** The scenarios that a name stands for: files and packs go before stored runs of the same name. */
async function findSide(name: string, { store, settings, terminal }: Sources): Promise<ComparedSide> {
  const isFile = name === "-" || name.startsWith("pack:") || /[*?[{]/.test(name);
  if (isFile || existsSync(resolve(terminal.folder, name)))
    return { scenarios: await readScenarios([name], settings, terminal) };
  const stored = store === undefined ? undefined : storedSide(store, name);
  if (stored === undefined)
    throw new ProjectError([`There is no file "${name}", and no run of this name in the store.`]);
  if (stored.isOne) return stored;
  const loaded = stored.scenarios.map((definition) => ({ definition, file: name, isCode: false }));
  return { ...stored, scenarios: selectScenarios(loaded, settings).map(({ definition }) => definition) };
}

function storedSide(store: Store, name: string): ComparedSide | undefined {
  const whole = store.run(name);
  if (whole !== undefined) return { scenarios: scenariosOf(store, whole), run: whole.run };
  const colon = name.indexOf(":");
  if (colon === -1) return store.runs().length === 0 ? undefined : noSuchRun(store, name);
  const summary = findRun(store, name.slice(0, colon));
  const wanted = name.slice(colon + 1);
  const scenarios = scenariosOf(store, summary);
  const chosen = scenarios.find((one) => one.name === wanted);
  if (chosen !== undefined) return { scenarios: [chosen], run: summary.run, isOne: true };
  const names = scenarios.map((one) => one.name);
  const { nearest } = nearestOf(wanted, names);
  const hint = nearest === undefined ? `It has ${names.join(", ") || "none"}.` : `Did you mean "${nearest}"?`;
  throw new ProjectError([`The run "${summary.run}" has no scenario "${wanted}". ${hint}`]);
}

/** A name that is neither a file nor a run: says which run may have been meant. */
function noSuchRun(store: Store, name: string): ComparedSide {
  const several = store.runs().filter(({ run }) => run.startsWith(name));
  if (several.length > 1) findRun(store, name);
  const { nearest } = nearestOf(
    name,
    store.runs().map(({ run }) => run),
  );
  const hint =
    nearest === undefined ? " See the runs that there are: elenchus list" : ` Did you mean "${nearest}"?`;
  throw new ProjectError([`There is no file "${name}", and no run of this name in the store.${hint}`]);
}

/** Throws if a scenario cannot be read, because it has functions that only the code of its author has. */
function scenariosOf(store: Store, { run, start }: RunSummary): readonly ScenarioDefinition[] {
  const found = storedDefinitions(store, run);
  const missing = Object.keys(start.scenarios).filter((name) => !found.has(name));
  if (missing.length === 0) return [...found.values()];
  throw new ProjectError(
    missing.map(
      (name) =>
        `The run "${run}" keeps the scenario "${name}" only for reading, because it has functions that need other code. Name the file of the earlier version.`,
    ),
  );
}
