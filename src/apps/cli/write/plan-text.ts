import type { Spread } from "../../../insight/analysis/plan/amounts.ts";
import type { PlannedModel, PlannedTotal, RunPlan } from "../../../insight/analysis/plan/plan-run.ts";
import { costText, countedText, countText, durationText } from "../../../insight/report/text/figures.ts";
import { type NamedLine, namedTable } from "../../../insight/report/text/text-blocks.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Output } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";

/** What a run will take, as a table and sentences. */
export function planText(plan: RunPlan, { style, width }: Pick<Output, "style" | "width">): string {
  const { calls, tokens, cost, unpriced, models, milliseconds } = plan;
  const line = (name: string, spread: Spread, shown: (amount: number) => string, indent = 0): NamedLine => ({
    name: { text: name },
    indent,
    cells: [spread.least, spread.expected, spread.most].map((amount) => ({ text: shown(amount) })),
  });
  const isAnyPriced = models.some((model) => model.cost !== null);
  const lines: readonly NamedLine[] = [
    {
      name: "",
      cells: ["least", "expected", "most"].map((text) => ({ text, paint: style.dim })),
    },
    line("conversations", plan.conversations, count),
    line("turns", plan.turns, count),
    line("calls", calls, count),
    ...models.map((model) => line(nameOf(model), model.calls, count, 2)),
    line("tokens", tokens, count),
    ...models.map((model) => line(nameOf(model), tokensOf(model), count, 2)),
    ...(isAnyPriced ? [line("USD", cost, costText)] : []),
    line("time", milliseconds, (amount) => durationText(amount)),
  ];
  const table = namedTable(lines, [">", ">", ">"], width);
  const sentences = [
    ...storeSentences(plan),
    ...priceSentences(unpriced),
    ...(plan.judgesItself ? [JUDGES_ITSELF] : []),
    assumedSentence(plan),
    ...extremeSentences(plan),
    ...plan.notes,
  ];
  return `${table.join("\n")}\n\n${sentences.map((text) => wrapText(printableText(text), width).join("\n")).join("\n")}\n`;
}

/** One line before a run. */
export function forecastLine(plan: RunPlan): string {
  const { calls, tokens, cost, cached, unpriced, milliseconds, from } = plan;
  const range = calls.least === calls.most ? "" : ` (${count(calls.least)} to ${count(calls.most)})`;
  const isPriced = plan.models.some((model) => model.cost !== null && model.calls.most > 0);
  const parts = [
    `about ${countedText(Math.round(calls.expected), "call")}${range}`,
    `${rounded(tokens.expected)} tokens`,
    ...(isPriced ? [`${costText(roughly(cost.expected))} USD`] : []),
    durationText(milliseconds.expected),
  ];
  const known = cached.calls === 0 ? "" : `; ${countedText(cached.calls, "answer")} in the store`;
  const missing = unpriced.length === 0 ? "" : `; no price known for ${unpriced.join(", ")}`;
  const like = from === null ? "" : `, from ${runsText(from.runs)}`;
  const judge = plan.judgesItself ? `. ${JUDGES_ITSELF}` : "";
  return printableText(`Forecast${like}: ${parts.join(", ")}${known}${missing}${judge}`);
}

const JUDGES_ITSELF =
  "Judge: each subject's own model reads what rules leave; --judge rules switches it off.";

function count(amount: number): string {
  return countText(Math.round(amount));
}

/** A forecast has two significant figures. */
function roughly(amount: number): number {
  return Number(amount.toPrecision(2));
}

function rounded(amount: number): string {
  return countText(Math.round(roughly(amount)));
}

function nameOf({ role, model }: PlannedModel): string {
  return `${role} ${printableText(model)}`;
}

function tokensOf({ inputTokens, outputTokens }: PlannedModel): Spread {
  const sum = (key: keyof Spread): number => inputTokens[key] + outputTokens[key];
  return { least: sum("least"), expected: sum("expected"), most: sum("most") };
}

function storeSentences({ cached, models }: RunPlan): readonly string[] {
  if (cached.calls === 0) return [];
  const each = models
    .filter((model) => model.cached > 0)
    .map((model) => `${countText(model.cached)} of ${nameOf(model)}`)
    .join(", ");
  const whole =
    cached.conversations === 0
      ? ""
      : ` ${countedText(cached.conversations, "conversation")} need${cached.conversations === 1 ? "s" : ""} no call at all.`;
  return [`In the store: ${countedText(cached.calls, "answer")} that need not be paid (${each}).${whole}`];
}

function priceSentences(unpriced: readonly string[]): readonly string[] {
  return unpriced.length === 0 ? [] : [`No price is known for ${unpriced.join(", ")}: tokens only.`];
}

function runsText(runs: readonly string[]): string {
  return `${runs.length === 1 ? "run" : "runs"} ${runs.join(", ")}`;
}

function assumedSentence({ assumptions, from, models, extremes }: RunPlan): string {
  const { right, rightAt, unreadable, unread, reply } = assumptions;
  const at = Object.entries(rightAt).map(([node, share]) => `, at ${node} ${percent(share)}`);
  const chances =
    right === 0.5 && at.length === 0
      ? "right and wrong are equally likely"
      : `${percent(right)} are right${at.join("")}`;
  const unreadText = unreadable === 0 ? "" : `, ${percent(unreadable)} cannot be read`;
  const left = models.some(({ role }) => role === "judge")
    ? `rules leave ${percent(unread)} of replies to the judge, `
    : "";
  const rest = `${left}a reply has ${count(reply)} tokens`;
  if (from !== null)
    return `From ${runsText(from.runs)} (${countedText(from.conversations, "conversation")}): chances, lengths and times. What is not known from there is assumed: ${chances}, ${rest}.`;
  const hint =
    extremes === null
      ? "To change that: --assume, --from <run>."
      : "To change that: --assume right=0.9; or run it once with --replicates 1 and plan again: its answers are not paid twice.";
  return `Assumed: ${chances}${unreadText}, ${rest}. ${hint}`;
}

/** The forecast if every reply is right, and if every reply is wrong, as long as the share of right replies is not known. */
function extremeSentences({ extremes, models }: RunPlan): readonly string[] {
  if (extremes === null) return [];
  const isPriced = models.some(({ cost }) => cost !== null);
  const text = ({ calls, tokens, cost }: PlannedTotal): string =>
    [
      countedText(Math.round(calls), "call"),
      `${rounded(tokens)} tokens`,
      ...(isPriced ? [`${costText(roughly(cost))} USD`] : []),
    ].join(", ");
  return [
    `If every reply is right: ${text(extremes.right)}. If every reply is wrong: ${text(extremes.wrong)}.`,
  ];
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}
