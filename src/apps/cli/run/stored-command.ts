import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions } from "../../../engine/journal/transfer/stored-run.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import type { SettingsRequest } from "../flags.ts";
import { readScenarios, requireAddressConsent } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import {
  lacksSecrets,
  originOf,
  type RunOrigin,
  requireOriginConsent,
  terminalOfOrigin,
  withOverrides,
} from "../trust/run-origin.ts";

/** A command that goes on with a stored run. */
interface StoredCommandRequest {
  readonly store: Store;
  /** The path of the store, as the command has it. */
  readonly storePath: string;
  readonly run: RunSummary;
  /** The files that the command names; those of the run if there are none. */
  readonly names: readonly string[];
  /** What the command sets; the settings that the run was started with count for the rest. */
  readonly settings: SettingsRequest;
  /** What counts for the rest if the run was imported or started from code; without it, files must be named. */
  readonly imported?: () => SettingsRequest;
}

/** The command line that started a run, with what the command at hand changes of it. */
export interface StoredCommand {
  /** Undefined if the run was imported or started from code. */
  readonly origin: RunOrigin | undefined;
  readonly request: SettingsRequest;
  readonly settings: Settings;
  readonly names: readonly string[];
  readonly scenarios: readonly ScenarioDefinition[];
  /** The same without the filters of the settings. */
  readonly all: () => Promise<readonly ScenarioDefinition[]>;
  /** The folder where the run was started. */
  readonly terminal: Terminal;
  /** The folder that `names` are relative to. */
  readonly base: Terminal;
}

/** Reads settings and scenarios of a stored run again. What a stranger's store would do needs consent. */
export async function storedCommand(
  { store, storePath, run, names: named, settings: own, imported }: StoredCommandRequest,
  terminal: Terminal,
): Promise<StoredCommand> {
  const origin = originOf(run.start);
  const name = runWord(run.run);
  if (origin === undefined && named.length === 0 && imported === undefined)
    throw new ProjectError([
      `Run ${printableText(run.run)} was not started on this command line: it was imported, merged, or started from code. Name its scenarios and models: elenchus resume ${name} FILES --subject MODEL`,
    ]);
  if (origin !== undefined) {
    if (lacksSecrets(origin))
      throw new ProjectError([
        `Run ${printableText(run.run)} was started with a secret on the command line, which is never stored. Start a new run: answers come from the store.`,
      ]);
    await requireOriginConsent(origin, storePath, { trusts: own.trusts, terminal });
  }
  const there = origin === undefined ? terminal : terminalOfOrigin(origin, storePath, terminal);
  const request = origin === undefined ? (imported?.() ?? own) : withOverrides(origin, own);
  const names = named.length > 0 ? named : (origin?.names ?? ["-"]);
  const base = named.length > 0 ? terminal : there;
  const { settings } = await readSettings(request, there, { runsCode: true, uses: "everything", names });
  const found = { origin, request, settings, names, terminal: there, base };
  if (named.length === 0 && names.includes("-")) {
    const scenarios = definitionsAtStart(store, run);
    // As if standard input had been read again, where consent may have been given.
    const stored = { file: resolve(base.folder, "-"), settings, request: own };
    await requireAddressConsent(scenarios, stored, terminal);
    return { ...found, scenarios, all: async () => scenarios };
  }
  const everything = { ...settings, only: [], tags: [] };
  return {
    ...found,
    scenarios: await readScenarios(names, settings, base, own),
    all: () => readScenarios(names, everything, base),
  };
}

/** The scenarios stored in a run, such as those from standard input, as they were at its start. */
function definitionsAtStart(store: Store, { run, start }: RunSummary): readonly ScenarioDefinition[] {
  const kept = [...storedDefinitions(store, run).values()].filter(
    ({ name, hash }) => Object.hasOwn(start.scenarios, name) && start.scenarios[name] === hash,
  );
  if (kept.length === Object.keys(start.scenarios).length) return kept;
  throw new ProjectError([
    `Run ${printableText(run)} does not keep all of its scenarios as they were. Name the files.`,
  ]);
}
