import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { nameHint } from "../../../core/schema/nearest-name.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions } from "../../../engine/journal/transfer/stored-run.ts";
import type { Change } from "../../../insight/analysis/diff/change.ts";
import {
  type ComparedSide,
  diffScenarios,
  type RowsDiff,
  type ScenarioDiff,
  type ScenariosDiff,
} from "../../../insight/analysis/diff/diff-scenarios.ts";
import type { KeptConversations } from "../../../insight/analysis/diff/kept-conversations.ts";
import { countedText, countText } from "../../../insight/report/text/figures.ts";
import type { TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { printableLines, printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { selectScenarios } from "../../project/scenario-files/select-scenarios.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { DIFF } from "../commands/write-commands.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { findRun, withStoreIfAny } from "../stored-runs.ts";

/** Compares two versions of scenarios. */
export async function diff(options: OptionsOf<typeof DIFF>, terminal: Terminal): Promise<ExitCode> {
  const { settings } = await readSettings(options.settings, terminal);
  return withStoreIfAny(settings.store, async (store) => {
    const find = (name: string): Promise<ComparedSide> => findSide(name, { store, settings, terminal });
    const [before, after] = [await find(options.before), await find(options.after)];
    const found = await diffScenarios(before, after, store);
    const { output } = terminal;
    if (options.json) output.data(`${safeJson(found, 2)}\n`);
    else output.write(diffText(found, output));
    return found.isSame || !options.exitCode ? 0 : 1;
  });
}

interface Sources {
  readonly store: Store | undefined;
  readonly settings: Settings;
  readonly terminal: Terminal;
}

/** The scenarios of a name: files and packs go before stored runs of the same name. */
async function findSide(name: string, { store, settings, terminal }: Sources): Promise<ComparedSide> {
  const isFile = name === "-" || name.startsWith("pack:") || /[*?[{]/.test(name);
  if (isFile || existsSync(resolve(terminal.folder, name)))
    return { scenarios: await readScenarios([name], settings, terminal) };
  const whole = store?.run(name);
  const [, prefix, wanted] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  if (store !== undefined && whole === undefined && wanted !== undefined) {
    const summary = findRun(store, prefix);
    const { run } = summary;
    const scenarios = scenariosOf(store, summary);
    const chosen = scenarios.find((one) => one.name === wanted);
    if (chosen !== undefined) return { scenarios: [chosen], run, isOne: true };
    const hint = nameHint(
      wanted,
      scenarios.map((one) => one.name),
    );
    throw new ProjectError([`The run "${run}" has no scenario "${wanted}". ${hint}`]);
  }
  if (store === undefined || whole === undefined) {
    const runs = store?.runs().map(({ run }) => run) ?? [];
    const hint = runs.length === 0 ? "" : ` ${nameHint(name, runs)}`;
    throw new ProjectError([`There is no file "${name}", and no run of this name in the store.${hint}`]);
  }
  const loaded = scenariosOf(store, whole).map((definition) => ({ definition, file: name, isCode: false }));
  return {
    scenarios: (await selectScenarios(loaded, settings)).map(({ definition }) => definition),
    run: whole.run,
  };
}

/** Throws if a stored scenario cannot be parsed, because it has functions that need the author's code. */
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

/** The differences as text. */
function diffText(found: ScenariosDiff, layout: TextOptions): string {
  const { style } = layout;
  const { removed, added, scenarios, unchanged } = found;
  if (found.isSame) return `${countedText(unchanged, "scenario")}, no difference\n`;
  const blocks = [
    [
      ...removed.map((name) => style.red(`- scenario ${printableText(name)} removed`)),
      ...added.map((name) => style.green(`+ scenario ${printableText(name)} added`)),
    ],
    ...scenarios.map((scenario) => scenarioLines(scenario, layout)),
    unchanged === 0 ? [] : [`${countedText(unchanged, "scenario")} without a difference`],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map(linesText)
    .join("\n");
}

function scenarioLines(scenario: ScenarioDiff, layout: TextOptions): readonly string[] {
  const { style } = layout;
  const { renamedFrom, changes, rows, meanings } = scenario;
  const before = renamedFrom === undefined ? "" : ` (was ${printableText(renamedFrom)})`;
  const isOfRows = changes.length === 0 && renamedFrom === undefined;
  const what = isOfRows ? "other rows" : countedText(changes.length, "change");
  const groups = Map.groupBy(changes, ({ part, name }) => `${part} ${name}`.trim());
  const meaningLines = meanings.map(
    ({ part, name, because }) => `${part === "rate" ? "rate " : ""}${name}: ${because.join("; ")}`,
  );
  return [
    `${style.bold(printableText(scenario.scenario))}${before}: ${what}`,
    ...[...groups].flatMap(([name, group]) => [
      `  ${printableText(name)}`,
      ...group.flatMap((change) => changeLines(change, layout)),
    ]),
    ...section("Rows", rowLines(rows), layout),
    ...section("Outcomes that now mean something else", meaningLines, layout),
    ...section("Stored answers", changes.length === 0 ? [] : answerLines(scenario), layout),
    ...storedLines(scenario, layout),
  ];
}

function rowLines(rows: RowsDiff): readonly string[] {
  return (["changed", "removed", "added"] as const)
    .filter((change) => rows[change].length > 0)
    .map((change) => `${countText(rows[change].length)} ${change}: ${firstOf(rows[change])}`);
}

/** The first five of a list. */
function firstOf(items: readonly string[]): string {
  return `${items.slice(0, 5).join(", ")}${items.length > 5 ? ", …" : ""}`;
}

/** A longer value is cut: only that it changed matters. */
const LONGEST = 400;

function changeLines(
  { what, change, before, after }: Change,
  { style, width }: TextOptions,
): readonly string[] {
  const valueLines = (sign: "-" | "+", value: JsonValue | undefined): readonly string[] => {
    if (value === undefined) return [];
    const whole = typeof value === "string" ? value.trim() : JSON.stringify(value);
    const text = printableLines(whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole);
    const paint = sign === "-" ? style.red : style.green;
    return wrapText(text, width - 8).map((line) => paint(`      ${sign} ${line}`));
  };
  return [
    `    ${what === undefined ? change : `${printableText(what)} ${change}`}`,
    ...valueLines("-", before),
    ...valueLines("+", after),
  ];
}

function section(
  title: string,
  sentences: readonly string[],
  { style, width }: TextOptions,
): readonly string[] {
  if (sentences.length === 0) return [];
  const wrapped = sentences.flatMap((sentence) => wrapText(printableText(sentence), width - 4).map(hung));
  return [`  ${style.bold(title)}`, ...wrapped];
}

/** A line of a sentence; all but the first are indented further. */
function hung(line: string, index: number): string {
  return `${index === 0 ? "    " : "      "}${line}`;
}

function answerLines({ nodes, changes }: ScenarioDiff): readonly string[] {
  const named = (replies: string): string =>
    nodes
      .filter((one) => one.replies === replies)
      .map(({ node }) => node)
      .join(", ");
  const [changed, after, kept] = [named("changed"), named("after"), named("kept")];
  const read = nodes.filter(({ readings }) => readings === "changed").map(({ node }) => node);
  const isAll = changed === "" && after === "";
  const touches = (affected: Change["affects"][number]): boolean =>
    changes.some(({ affects }) => affects.includes(affected));
  return [
    ...(isAll ? ["replies can be used again at every node"] : []),
    ...(changed === "" ? [] : [`asked again: ${changed}`]),
    ...(after === "" ? [] : [`asked again where the conversation came through what changed: ${after}`]),
    ...(isAll || kept === "" ? [] : [`used again: ${kept}`]),
    ...(read.length === 0 ? [] : [`judged again, where a judge reads: ${read.join(", ")}`]),
    ...(touches("verdicts") ? ["verdicts are computed again, without a call: elenchus regrade"] : []),
    ...(touches("edges") ? ["conversations may take other edges"] : []),
  ];
}

const FATES: readonly (readonly [keyof KeptConversations["fates"], string])[] = [
  ["same", "stay the same"],
  ["regraded", "can be graded again without a question: elenchus regrade"],
  ["rerouted", "take another edge"],
  ["asked_again", "must be asked again"],
  ["judged_again", "must be judged again"],
  ["gone", "have no row or variant any more, or another row with the same id"],
];

function storedLines({ stored, problem }: ScenarioDiff, layout: TextOptions): readonly string[] {
  if (problem !== undefined) return section("In the store", [`not looked at: ${problem}`], layout);
  if (stored === null) return [];
  const { runs, conversations, fates, places, calls, outcomes } = stored;
  const lines = FATES.filter(([fate]) => fates[fate] > 0).map(([fate, words]) => {
    const where = places
      .filter((place) => place.fate === fate)
      .map(({ node, conversations: count }) => `${node} (${countText(count)})`);
    return `${countText(fates[fate])} ${words}${where.length === 0 ? "" : `, from ${firstOf(where)}`}`;
  });
  const roles = (["subject", "judge", "simulator"] as const).filter((role) => calls[role].stored > 0);
  const kept = roles.map(
    (role) => `${countText(calls[role].kept)} of ${countText(calls[role].stored)} of the ${role}`,
  );
  const perhaps = roles.reduce((sum, role) => sum + calls[role].keptIfSame, 0);
  const more = perhaps === 0 ? "" : `, and ${countText(perhaps)} more if the judge says the same as before`;
  const values = Object.entries(outcomes).map(
    ([name, count]) => `${name}: another value in ${countedText(count, "conversation")}`,
  );
  return section(
    `In the store: ${countedText(conversations, "conversation")} of ${countedText(runs.length, "run")}`,
    [
      ...lines,
      ...(kept.length === 0 ? [] : [`cached calls that stay valid: ${kept.join(", ")}${more}`]),
      ...values,
    ],
    layout,
  );
}
