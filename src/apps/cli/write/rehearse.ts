import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import { findWitness } from "../../../insight/analysis/rehearsal/find-witness.ts";
import type { Rehearsal } from "../../../insight/analysis/rehearsal/rehearsal.ts";
import { rehearse as rehearseScenario } from "../../../insight/analysis/rehearsal/rehearse.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { REHEARSE } from "../commands/write-commands.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { rehearsalText, witnessText } from "./rehearsal-text.ts";

/** Rehearses scenarios and prints what can happen. */
export async function rehearse(options: OptionsOf<typeof REHEARSE>, terminal: Terminal): Promise<ExitCode> {
  const { files: names, witness: wanted, json } = options;
  const { settings } = await readSettings(options.settings, terminal, {
    uses: "scenarios",
    opensStore: false,
    names,
  });
  const scenarios = await readScenarios(names, settings, terminal);
  const { output } = terminal;
  if (wanted !== undefined) {
    const [scenario, ...more] = scenarios;
    if (scenario === undefined || more.length > 0)
      throw new ProjectError([
        `A witness is of one scenario, and there are ${scenarios.length}. Choose one with --scenario.`,
      ]);
    const witness = findWitness(await rehearsalOf(scenario, settings, options), wanted);
    if ("problem" in witness) throw new ProjectError([witness.problem]);
    if (json) output.data(`${asJson(witness)}\n`);
    else output.write(witnessText(scenario, witness, output));
    return 0;
  }
  const rehearsals: Rehearsal[] = [];
  for (const scenario of scenarios) {
    const rehearsal = await rehearsalOf(scenario, settings, options);
    if (!json)
      output.write(`${rehearsals.length === 0 ? "" : "\n"}${rehearsalText(scenario, rehearsal, output)}`);
    rehearsals.push(rehearsal);
  }
  if (json) output.data(`${asJson(rehearsals)}\n`);
  return 0;
}

/** A rehearsal with the settings of the project. */
export function rehearsalOf(
  scenario: ScenarioDefinition,
  { dataset, rows, skipBadRows, onlyRows, rowLimit, turnLimit }: Settings,
  { list, maxStates }: { readonly list?: number; readonly maxStates?: number | undefined } = {},
): Promise<Rehearsal> {
  return rehearseScenario(scenario, {
    turnLimit,
    skipBadRows,
    ...withoutUndefined({ list, maxStates, dataset, rows, onlyRows, rowLimit }),
  });
}

/** Counts may be larger than numbers in JSON: they are written as text. */
function asJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one), 2);
}
