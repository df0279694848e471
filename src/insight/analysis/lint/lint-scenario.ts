import { DEFAULTS } from "../../../core/defaults.ts";
import { locatorOf } from "../../../core/scenario/define-scenario.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { LINT_RULES, type LintCode } from "../../../core/scenario/lint-rule.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { Rehearsal } from "../rehearsal/rehearsal.ts";
import { rehearse } from "../rehearsal/rehearse.ts";
import { LEAK_RULES } from "./leak-rules.ts";
import { type Found, type LintFinding, type LintRules, LintSubject, type RunFacts } from "./lint-subject.ts";
import { READING_RULES } from "./reading-rules.ts";
import { REHEARSAL_RULES } from "./rehearsal-rules.ts";
import { ROUTING_RULES } from "./routing-rules.ts";
import { RUN_RULES } from "./run-rules.ts";
import { VALUE_RULES } from "./value-rules.ts";

export type { LintFinding, RunFacts } from "./lint-subject.ts";

const RULES: LintRules = {
  ...ROUTING_RULES,
  ...VALUE_RULES,
  ...REHEARSAL_RULES,
  ...LEAK_RULES,
  ...READING_RULES,
  ...RUN_RULES,
};

/** What is known of a run where nothing is said about it. */
const UNKNOWN_RUN: RunFacts = Object.freeze({
  hasJudge: true,
  hasBudget: false,
  turnLimit: DEFAULTS.turnLimit,
  replicates: DEFAULTS.replicates,
  subjects: 1,
  rows: [],
  rowCount: 0,
});

/** What is known of the run, and what was found out before. */
export interface LintOptions extends Partial<RunFacts> {
  /** A rehearsal of the scenario; without it, one is made. Null to do without. */
  readonly rehearsal?: Rehearsal | null;
}

/** What a careful reviewer would ask about a scenario, in the order of its file. Rules that it switches off are silent. */
export async function lintScenario(
  definition: ScenarioDefinition,
  { rehearsal, ...given }: LintOptions = {},
): Promise<readonly LintFinding[]> {
  const facts = { ...UNKNOWN_RUN, ...given };
  const known = rehearsal === undefined ? await rehearsed(definition, facts) : rehearsal;
  const subject = new LintSubject(definition, facts, known);
  const off = definition.lint?.off ?? {};
  // The codes of the list are those of the type.
  const codes = (Object.keys(LINT_RULES) as LintCode[]).filter((code) => off[code] === undefined);
  const findings = codes.flatMap((code) =>
    [...(RULES[code]?.(subject) ?? [])].map((found) => finding(definition, code, found)),
  );
  return findings.sort((one, other) => (one.position?.line ?? 0) - (other.position?.line ?? 0));
}

/** How many rows a rehearsal chooses from. */
const REHEARSED_ROWS = 200;
/** A check should be quick: what a larger exploration would find is not claimed. */
const MOST_STATES = 5_000;
/** Each state of a scenario with code takes calls into the sandbox. */
const MOST_STATES_WITH_CODE = 400;

async function rehearsed(
  definition: ScenarioDefinition,
  { turnLimit, rows }: RunFacts,
): Promise<Rehearsal | null> {
  try {
    const some = rows.length === 0 ? {} : { rows: rows.slice(0, REHEARSED_ROWS) };
    const maxStates = hasCode(definition) ? MOST_STATES_WITH_CODE : MOST_STATES;
    return await rehearse(definition, { turnLimit, list: 0, maxStates, ...some });
  } catch (error) {
    // A scenario whose rows are not known cannot be rehearsed, and still be looked at.
    if (error instanceof RunError) return null;
    throw error;
  }
}

function hasCode({ nodes, edges }: ScenarioDefinition): boolean {
  return (
    Object.values(nodes).some(({ stateUpdate }) => stateUpdate !== undefined) ||
    edges.some(({ when }) => typeof when === "string" || typeof when === "function")
  );
}

function finding(
  definition: ScenarioDefinition,
  code: LintCode,
  { path, message, within }: Found,
): LintFinding {
  const { position, path: written } = locatorOf(definition)({
    code: "invalid_parameter",
    path,
    message,
    ...(within === undefined ? {} : { within }),
  });
  return Object.freeze({
    code,
    severity: LINT_RULES[code].severity,
    scenario: definition.name,
    message,
    path: written,
    ...(position === undefined ? {} : { position }),
  });
}
