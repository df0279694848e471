import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
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
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { selectScenarios } from "../../project/scenario-files/select-scenarios.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import type { SettingsRequest } from "../flags.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { findRun, withStoreIfAny } from "../stored-runs.ts";

/** The options of `diff`. */
interface DiffOptions {
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

/** The scenarios of a name: files and packs go before stored runs of the same name. */
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

/** Throws for a name that is neither a file nor a run, with a suggestion. */
function noSuchRun(store: Store, name: string): ComparedSide {
  const several = store.runs().filter(({ run }) => run.startsWith(name));
  if (several.length > 1) findRun(store, name);
  const { nearest } = nearestOf(
    name,
    store.runs().map(({ run }) => run),
  );
  const hint = nearest === undefined ? " List the runs: elenchus list" : ` Did you mean "${nearest}"?`;
  throw new ProjectError([`There is no file "${name}", and no run of this name in the store.${hint}`]);
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
  const { style, width } = layout;
  if (found.isSame) return `${countedText(found.unchanged, "scenario")}, no difference\n`;
  const lines = [
    ...found.removed.map((name) => style.red(`- scenario ${printableText(name)} removed`)),
    ...found.added.map((name) => style.green(`+ scenario ${printableText(name)} added`)),
  ];
  const blocks = [
    ...(lines.length === 0 ? [] : [lines]),
    ...found.scenarios.map((scenario) => scenarioLines(scenario, layout)),
    ...(found.unchanged === 0
      ? []
      : [wrapText(`${countedText(found.unchanged, "scenario")} without a difference`, width)]),
  ];
  return `${blocks.map((block) => block.join("\n")).join("\n\n")}\n`;
}

function scenarioLines(scenario: ScenarioDiff, layout: TextOptions): readonly string[] {
  const { style } = layout;
  const { renamedFrom, changes, rows } = scenario;
  const before = renamedFrom === undefined ? "" : ` (was ${printableText(renamedFrom)})`;
  const head = `${style.bold(printableText(scenario.scenario))}${before}: ${changes.length === 0 && renamedFrom === undefined ? "other rows" : countedText(changes.length, "change")}`;
  const groups = Map.groupBy(changes, ({ part, name }) => `${part} ${name}`.trim());
  return [
    head,
    ...[...groups].flatMap(([name, group]) => groupLines(printableText(name), group, layout)),
    ...section("Rows", rowLines(rows), layout),
    ...section("Outcomes that now mean something else", meaningLines(scenario), layout),
    ...(changes.length === 0 ? [] : section("Stored answers", answerLines(scenario), layout)),
    ...storedLines(scenario, layout),
  ];
}

function rowLines(rows: RowsDiff): readonly string[] {
  return (["changed", "removed", "added"] as const).flatMap((change) => {
    const ids = rows[change];
    const shown = `${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}`;
    return ids.length === 0 ? [] : [`${countText(ids.length)} ${change}: ${shown}`];
  });
}

function groupLines(name: string, changes: readonly Change[], layout: TextOptions): readonly string[] {
  return [
    `  ${name}`,
    ...changes.flatMap(({ what, change, before, after }) => [
      `    ${what === undefined ? change : `${printableText(what)} ${change}`}`,
      ...valueLines("-", before, layout),
      ...valueLines("+", after, layout),
    ]),
  ];
}

/** A longer value is cut: only that it changed matters. */
const LONGEST = 400;

function valueLines(
  sign: "-" | "+",
  value: JsonValue | undefined,
  { style, width }: TextOptions,
): readonly string[] {
  if (value === undefined) return [];
  const whole = typeof value === "string" ? value.trim() : JSON.stringify(value);
  const text = printableLines(whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole);
  const paint = sign === "-" ? style.red : style.green;
  return wrapText(text, width - 8).map((line) => paint(`      ${sign} ${line}`));
}

function section(
  title: string,
  sentences: readonly string[],
  { style, width }: TextOptions,
): readonly string[] {
  if (sentences.length === 0) return [];
  return [
    `  ${style.bold(title)}`,
    ...sentences.flatMap((sentence) =>
      wrapText(printableText(sentence), width - 4).map(
        (line, index) => `${index === 0 ? "    " : "      "}${line}`,
      ),
    ),
  ];
}

function meaningLines({ meanings }: ScenarioDiff): readonly string[] {
  return meanings.map(
    ({ part, name, because }) => `${part === "rate" ? "rate " : ""}${name}: ${because.join("; ")}`,
  );
}

function answerLines({ nodes, changes }: ScenarioDiff): readonly string[] {
  const named = (replies: string): readonly string[] =>
    nodes.filter((one) => one.replies === replies).map(({ node }) => node);
  const [changed, after, kept] = [named("changed"), named("after"), named("kept")];
  const read = nodes.filter(({ readings }) => readings === "changed").map(({ node }) => node);
  const touches = (affected: Change["affects"][number]): boolean =>
    changes.some(({ affects }) => affects.includes(affected));
  return [
    ...(changed.length + after.length === 0 ? ["replies can be used again at every node"] : []),
    ...(changed.length === 0 ? [] : [`asked again: ${changed.join(", ")}`]),
    ...(after.length === 0
      ? []
      : [`asked again where the conversation came through what changed: ${after.join(", ")}`]),
    ...(changed.length + after.length === 0 || kept.length === 0 ? [] : [`used again: ${kept.join(", ")}`]),
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
  const title = `In the store: ${countedText(conversations, "conversation")} of ${countedText(runs.length, "run")}`;
  const lines = FATES.flatMap(([fate, words]) => {
    if (fates[fate] === 0) return [];
    const where = places
      .filter((place) => place.fate === fate)
      .map(({ node, conversations: count }) => `${node} (${countText(count)})`);
    return [
      `${countText(fates[fate])} ${words}${where.length === 0 ? "" : `, from ${where.slice(0, 5).join(", ")}${where.length > 5 ? ", …" : ""}`}`,
    ];
  });
  const roles = (["subject", "judge", "simulator"] as const).filter((role) => calls[role].stored > 0);
  const kept = roles.map(
    (role) => `${countText(calls[role].kept)} of ${countText(calls[role].stored)} of the ${role}`,
  );
  const perhaps = roles.reduce((sum, role) => sum + calls[role].keptIfSame, 0);
  const values = Object.entries(outcomes).map(
    ([name, count]) => `${name}: another value in ${countedText(count, "conversation")}`,
  );
  return section(
    title,
    [
      ...lines,
      ...(kept.length === 0
        ? []
        : [
            `cached calls that stay valid: ${kept.join(", ")}${perhaps === 0 ? "" : `, and ${countText(perhaps)} more if the judge says the same as before`}`,
          ]),
      ...values,
    ],
    layout,
  );
}
