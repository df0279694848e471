import type { Change } from "../../analysis/diff/change.ts";
import type { ScenarioDiff, ScenariosDiff } from "../../analysis/diff/diff-scenarios.ts";
import type { KeptConversations } from "../../analysis/diff/kept-conversations.ts";
import type { JsonValue } from "../../core/values/json.ts";
import { countedText, countText } from "../../report/text/figures.ts";
import type { TextOptions } from "../../report/text/text-blocks.ts";
import { printableLines, printableText } from "../../terminal/printable-text.ts";
import { wrapText } from "../../terminal/text-layout.ts";

/** The differences in words, for people. */
export function diffText(found: ScenariosDiff, layout: TextOptions): string {
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
  const { renamedFrom, changes } = scenario;
  const before = renamedFrom === undefined ? "" : ` (was ${printableText(renamedFrom)})`;
  const head = `${style.bold(printableText(scenario.scenario))}${before}: ${countedText(changes.length, "change")}`;
  const groups = Map.groupBy(changes, ({ part, name }) => `${part} ${name}`.trim());
  return [
    head,
    ...[...groups].flatMap(([name, group]) => groupLines(printableText(name), group, layout)),
    ...section("Outcomes that now mean something else", meaningLines(scenario), layout),
    ...section("Stored answers", answerLines(scenario), layout),
    ...storedLines(scenario, layout),
  ];
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

/** A longer value is cut: what matters is that it changed. */
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
  ["gone", "have no row or variant any more"],
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
