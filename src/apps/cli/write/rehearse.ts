import { DEFAULTS } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { findWitness } from "../../../insight/analysis/rehearsal/find-witness.ts";
import type { Rehearsal } from "../../../insight/analysis/rehearsal/rehearsal.ts";
import { rehearse } from "../../../insight/analysis/rehearsal/rehearse.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { rehearsalText, witnessText } from "./rehearsal-text.ts";

/** The options of `rehearse`. */
interface RehearseCommandOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly list: number;
  readonly maxStates: number | undefined;
  /** The name of one conversation. */
  readonly witness: string | undefined;
  readonly json: boolean;
}

/** Rehearses scenarios and prints what can happen. */
export async function rehearseCommand(
  options: RehearseCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { settings } = await readSettings(options.settings, terminal, {
    uses: "scenarios",
    opensStore: false,
    names: options.names,
  });
  const scenarios = await readScenarios(options.names, settings, terminal);
  const { output } = terminal;
  const layout = { style: output.style, width: output.width };
  if (options.witness !== undefined) {
    const [scenario, ...more] = scenarios;
    if (scenario === undefined || more.length > 0)
      throw new ProjectError([
        `A witness is of one scenario, and there are ${scenarios.length}. Choose one with --scenario.`,
      ]);
    const rehearsal = await rehearsalOf(scenario, settings, options);
    const witness = findWitness(rehearsal, options.witness);
    if ("problem" in witness) throw new ProjectError([witness.problem]);
    if (options.json) output.data(`${asJson(witness)}\n`);
    else output.write(witnessText(scenario, witness, layout));
    return 0;
  }
  const rehearsals: Rehearsal[] = [];
  for (const scenario of scenarios) {
    const rehearsal = await rehearsalOf(scenario, settings, options);
    if (options.json) rehearsals.push(rehearsal);
    else output.write(`${rehearsals.length === 0 ? "" : "\n"}${rehearsalText(scenario, rehearsal, layout)}`);
    if (!options.json) rehearsals.push(rehearsal);
  }
  if (options.json) output.data(`${asJson(rehearsals)}\n`);
  return 0;
}

/** A rehearsal with the settings of the project. */
export function rehearsalOf(
  scenario: ScenarioDefinition,
  { dataset, rows, skipBadRows, turnLimit }: Settings,
  { list, maxStates }: { readonly list?: number; readonly maxStates?: number | undefined } = {},
): Promise<Rehearsal> {
  return rehearse(scenario, {
    turnLimit: turnLimit ?? DEFAULTS.turnLimit,
    skipBadRows,
    ...(list === undefined ? {} : { list }),
    ...(maxStates === undefined ? {} : { maxStates }),
    ...(dataset === undefined ? {} : { dataset }),
    ...(rows === undefined ? {} : { rows }),
  });
}

/** Counts may be larger than numbers in JSON: they are written as text. */
function asJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one), 2);
}
