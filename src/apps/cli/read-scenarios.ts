import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { formatIssue } from "../../core/schema/format-issue.ts";
import { largestFileMb } from "../../system/files/read-text-file.ts";
import { printableLines, printableText } from "../../system/terminal/printable-text.ts";
import type { Terminal } from "../../system/terminal/terminal.ts";
import { bundledPacks } from "../project/package-files.ts";
import { ProjectError } from "../project/project-error.ts";
import { loadScenarios } from "../project/scenario-files/load-scenarios.ts";
import { selectScenarios } from "../project/scenario-files/select-scenarios.ts";
import type { Settings } from "../project/settings.ts";
import type { SettingsRequest } from "./flags.ts";
import { requireConsent } from "./trust/consent.ts";
import { addressEffects, addressesIn } from "./trust/project-effects.ts";

/** How many problems are printed. */
const SHOWN = 20;

/**
 * The scenarios that a command names, otherwise those of the project. Throws a `ProjectError` with all problems. A command that calls
 * models gives its `request`: addresses that only a scenario file names need consent.
 */
export async function readScenarios(
  names: readonly string[],
  settings: Settings,
  terminal: Terminal,
  request?: SettingsRequest,
): Promise<readonly ScenarioDefinition[]> {
  const wanted = names.length > 0 ? names : settings.scenarios;
  if (wanted.length === 0) throw new ProjectError([`No scenarios to run. ${await namingAdvice()}`]);
  const { scenarios, problems, skipped } = await loadScenarios(wanted, {
    folder: terminal.folder,
    stdin: () => readInput(terminal),
  });
  for (const message of skipped) terminal.messages.write(`${printableLines(message)}\n`);
  if (problems.length > 0) {
    const cause = problems.find((problem) => problem.cause !== undefined)?.cause;
    throw new ProjectError(
      [
        ...problems.slice(0, SHOWN).map(({ message }) => message),
        ...(problems.length > SHOWN ? [`… and ${problems.length - SHOWN} more; see: elenchus check`] : []),
      ],
      cause === undefined ? {} : { cause },
    );
  }
  const selected = await selectScenarios(scenarios, settings);
  if (request !== undefined)
    for (const [file, found] of Map.groupBy(selected, ({ file }) => file))
      if (found[0]?.isCode === false)
        await requireAddressConsent(
          found.map(({ definition }) => definition),
          { file: resolve(terminal.folder, file), settings, request },
          terminal,
        );
  return selected.map(({ definition }) => definition);
}

/** Throws a `ProjectError` if scenarios name an address that is no model of the run and has no consent. */
export async function requireAddressConsent(
  definitions: readonly ScenarioDefinition[],
  {
    file,
    settings: { subjects, judges, simulator },
    request: { trusts = false },
  }: { readonly file: string; readonly settings: Settings; readonly request: SettingsRequest },
  terminal: Terminal,
): Promise<void> {
  const known = new Set(addressesIn([subjects, judges, simulator]));
  const effects = definitions.flatMap(addressEffects).filter(({ address }) => !known.has(address));
  await requireConsent(effects, { projectFile: file, trusts }, terminal);
}

/** Prints the warnings of `validate()`. A scenario from a module has no position in a file, so it is named. */
export function printWarnings(scenarios: readonly ScenarioDefinition[], { messages }: Terminal): void {
  for (const { name, warnings } of scenarios)
    for (const warning of warnings) {
      const place = warning.position === undefined ? `In scenario ${JSON.stringify(name)}, ` : "";
      messages.write(`warning: ${printableText(place + formatIssue(warning))}\n`);
    }
}

async function namingAdvice(): Promise<string> {
  const packs = (await bundledPacks()).map((name) => `pack:${name}`);
  return `Name files, folders or patterns, or one of the bundled packs: ${packs.join(", ")}.`;
}

/** All of standard input as text, up to a limit: it may never end. */
export async function readInput({ input }: Terminal): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of input) {
    pieces.push(Buffer.from(piece as Buffer | string));
    size += pieces.at(-1)?.length ?? 0;
    if (size > largestFileMb() * 1_000_000)
      throw new ProjectError([`Standard input has more than ${largestFileMb()} MB, and no more are read.`]);
  }
  return Buffer.concat(pieces).toString("utf8");
}
