import { described, nonEmptyText, object, reference } from "../schema/shape.ts";

/** How much a finding matters: an error fails `check`, a warning fails it with `--strict`, a note never does. */
export type LintSeverity = "error" | "warning" | "note";

/** What a rule of the lint is about, as a reader sees it. */
export interface LintRuleText {
  readonly severity: LintSeverity;
  /** What it finds, as a clause: "an edge that …". */
  readonly finds: string;
}

const warning = (finds: string): LintRuleText => ({ severity: "warning", finds });
const note = (finds: string): LintRuleText => ({ severity: "note", finds });

/** Every rule of the lint by its code, in the order of the reference. What each of them does is in `src/insight/analysis/lint`. */
export const LINT_RULES = {
  shadowed_edge: warning("an edge that earlier edges of its node always take before it"),
  contradicting_condition: warning("a condition whose parts cannot hold together"),
  edge_never_taken: warning("an edge whose condition contradicts what is known on every path to it"),
  unreached_node: warning("a node that no path of verdicts reaches, though edges lead to it"),
  endless_loop: warning("a loop that only the turn limit ends"),
  unreadable_not_routed: note(
    "a node that routes on its verdict and does not say where unreadable replies go",
  ),
  wrong_value_type: warning("a comparison with a value of a type that the path never has"),
  unlisted_value: warning("a comparison with a value that the aliases of the field do not have"),
  handover_without_effect: warning("a handover on an edge that leads to no question"),

  outcome_never_true: warning("an outcome that no conversation can make true"),
  outcome_never_false: warning("an outcome that no conversation can make false"),
  outcome_never_decided: warning("an outcome that is inconclusive or not applicable in every conversation"),
  unused_verdict: warning("a verdict that no edge, outcome or text looks at"),

  truth_in_question: warning("a question that contains its right answer"),
  truth_in_earlier_question: warning("a question that contains the right answer of a later one"),
  truth_in_example: warning("a few-shot example that contains the right answer"),
  truth_in_description: warning("a description for the judge that contains the right answer"),
  oracle_edge: note(
    "a wrong answer leads to the same question again, which tells the subject that it was wrong",
  ),
  challenge_denies_truth: warning("a challenge that names the right answer and calls it wrong"),

  truth_fails_check: warning("a truth that does not pass the check of its own field"),
  reference_misread: { severity: "error", finds: "a reference answer that its own template finds wrong" },
  reference_unread: warning("a reference answer that the rules of its own template cannot read"),
  same_alias: warning("an alias that stands for two values"),
  alias_in_alias: note("an alias that contains an alias of another value"),
  alias_in_question: warning("an alias of a wrong value that stands in the question itself"),

  needs_judge: warning("a node that needs a judge model, where the run has none"),
  idle_variant: warning("a factor, or two levels of it, that change nothing"),
  same_conversations: warning("rows that give identical conversations"),
  unbounded_cost: note("a loop up to the turn limit, for many conversations, without a budget"),
} satisfies Readonly<Record<string, LintRuleText>>;

/** The code of a rule of the lint. */
export type LintCode = keyof typeof LINT_RULES;

/** What a scenario says to the lint. No part of the hash: conversations do not depend on it. */
export interface LintSettings {
  /** Rules that are switched off for this scenario, each with the reason. */
  readonly off?: Readonly<Partial<Record<LintCode, string>>>;
}

const REASONS = Object.fromEntries(
  Object.entries(LINT_RULES).map(([code, { finds }]) => [
    code,
    described(nonEmptyText, `Why this is meant: ${finds}.`),
  ]),
);

const OFF = described(
  reference("lintOff", () => object("lint.off", {}, { optional: REASONS })),
  "Rules that are switched off for this scenario, each with the reason.",
);

/** What a scenario says to the lint, as it stands in files. */
export const LINT_SHAPE = described(
  object("lint", {}, { optional: { off: OFF } }),
  "What `elenchus check` does not report about this scenario.",
);
