import { RULES_JUDGE, SELF_JUDGE } from "../../core/defaults.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { isJudgedTrait } from "../../core/templates/rubric.ts";
import { judgedFields } from "../../core/templates/template.ts";
import { RunError } from "../journal/failure.ts";
import type { ResolvedModels } from "./resolve-models.ts";
import type { Subject } from "./run-context.ts";
import { list, type RunOptions } from "./run-options.ts";
import { looksAtRefusal } from "./step/node-plan.ts";

/** What of a scenario only a judge model can read, at nodes that have none. */
interface NeedsJudge {
  readonly scenario: string;
  /** Fields without a rule, by name. */
  readonly fields: readonly string[];
  /** Traits that a model must judge, by name. */
  readonly traits: readonly string[];
  /** True if a condition or an outcome asks whether a reply declines to answer. */
  readonly refused: boolean;
}

/** Throws `RunError` if a scenario needs a judge and a subject of the run has none: its results would be empty. */
export function requireJudge(options: RunOptions, models: ResolvedModels): void {
  if (options.allowUnread === true) return;
  const unjudged = readByRules(models);
  if (unjudged.length === 0) return;
  const hasJudge = [...models.judges.values()].some((judge) => judge.models.length > 0);
  if (options.reading === "judge" && !hasJudge && models.overrides.judges.size === 0)
    throw new RunError([`A judge is to read everything (\`reading: judge\`), and there is none. ${ADVICE}`]);
  const problems = list(options.scenarios).flatMap((definition) => {
    const needs = needsJudge(definition, options);
    return needs === null ? [] : [needsJudgeText(needs)];
  });
  if (problems.length === 0) return;
  const more = problems.length - SHOWN;
  throw new RunError([
    ...problems.slice(0, SHOWN),
    ...(more > 0 ? [`And ${more} more scenarios need one.`] : []),
    `${wantsSelf(options) ? `${cannotJudge(unjudged)}. ` : ""}${ADVICE} To run without one, and leave this unread: --allow-unread (in code: \`allowUnread\`).`,
  ]);
}

const ADVICE = "Name a judge model, such as --judge openai/gpt-5-mini (in code: `judge`).";
const SHOWN = 5;

/** The subjects whose replies only rules read, for some judge of the run. */
export function readByRules({ subjects, judges }: ResolvedModels): readonly Subject[] {
  return [...subjects.values()].filter(({ judge }) =>
    [...judges.values()].some(
      ({ name, models }) => models.length === 0 || (name === SELF_JUDGE && judge === undefined),
    ),
  );
}

/** True unless the run names judges, or `rules`. */
function wantsSelf({ judge = SELF_JUDGE }: RunOptions): boolean {
  return list(judge).includes(SELF_JUDGE);
}

/** That subjects cannot be their own judges, as the beginning of a sentence. */
export function cannotJudge(subjects: readonly Subject[]): string {
  const names = listed(subjects.map(({ name }) => name));
  return subjects.length === 1 ? `${names} cannot be its own judge` : `${names} cannot be their own judges`;
}

/**
 * What may stay unread, in a sentence, because subjects cannot be their own judges and the run names no other; null if nothing.
 * Simulated subjects write replies that rules can read.
 */
export function unreadText(options: RunOptions, models: ResolvedModels): string | null {
  const unjudged = readByRules(models).filter(({ model }) => !("simulate" in model));
  if (unjudged.length === 0 || !wantsSelf(options) || options.allowUnread === true) return null;
  const fields = new Set<string>();
  const nodes = new Set<string>();
  for (const [id, { question, modelOverride }] of list(options.scenarios).flatMap((definition) =>
    Object.entries(definition.nodes),
  )) {
    if (question.template === undefined || modelOverride?.judge !== undefined) continue;
    nodes.add(id);
    for (const name of Object.keys(question.template.fields)) fields.add(name);
  }
  if (nodes.size === 0) return null;
  return `${cannotJudge(unjudged)}: what rules cannot read of ${listed([...fields])} (at ${listed([...nodes])}) stays unread. ${ADVICE} To accept it: --judge rules`;
}

/** What stays unread if the run has no judge model; null if rules can read everything, or the nodes name judges. */
export function needsJudge(
  definition: ScenarioDefinition,
  { rubric, detectRefusal = looksAtRefusal(definition) }: Pick<RunOptions, "rubric" | "detectRefusal"> = {},
): NeedsJudge | null {
  const fields = new Set<string>();
  const traits = new Set<string>();
  let refused = false;
  for (const { question, rubric: ofNode, modelOverride } of Object.values(definition.nodes)) {
    if (modelOverride?.judge !== undefined && modelOverride.judge !== RULES_JUDGE) continue;
    refused = detectRefusal;
    for (const name of Object.keys(question.template === undefined ? {} : judgedFields(question.template)))
      fields.add(name);
    for (const { traits: found = [] } of [question.rubric ?? {}, ofNode ?? {}, rubric ?? {}])
      for (const trait of found) if (isJudgedTrait(trait)) traits.add(trait.name);
  }
  if (fields.size + traits.size === 0 && !refused) return null;
  return { scenario: definition.name, fields: [...fields], traits: [...traits], refused };
}

/** In a sentence that names the fields and traits. */
export function needsJudgeText({ scenario, fields, traits, refused }: NeedsJudge): string {
  const parts = [
    ...(fields.length === 0
      ? []
      : [`no rule can read the ${fields.length > 1 ? "fields" : "field"} ${listed(fields)}`]),
    ...(traits.length === 0
      ? []
      : [`only a model can judge the ${traits.length > 1 ? "traits" : "trait"} ${listed(traits)}`]),
    ...(refused ? ["only a model can tell whether a reply declines to answer (`refused`)"] : []),
  ];
  return `Scenario "${scenario}" needs a judge: ${parts.join(", and ")}.`;
}

const NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return more <= 0 ? names.join(", ") : `${names.slice(0, NAMED).join(", ")} and ${more} more`;
}

/** Throws `RunError` if a scenario compares meanings where that cannot be done, or the run has no embedding model. */
export function requireEmbedder({ scenarios, embedder }: RunOptions): void {
  const problems = list(scenarios).flatMap((definition) =>
    embedderProblems(definition, embedder !== undefined),
  );
  if (problems.length > 0) throw new RunError(problems);
}

/** Why the meanings that a scenario compares cannot be compared, in sentences. */
export function embedderProblems(
  { name, nodes, edges, outcomes }: ScenarioDefinition,
  hasEmbedder: boolean,
): readonly string[] {
  const fields = Object.entries(nodes).flatMap(([id, { question }]) =>
    Object.entries(question.template?.fields ?? {}).flatMap(([field, part]) =>
      hasSemanticMatch(part) ? [`field "${field}" of node "${id}"`] : [],
    ),
  );
  const elsewhere = [
    ...Object.entries(nodes).map(
      ([id, { question }]) => [`the verification of node "${id}"`, question.template?.verify] as const,
    ),
    ...edges.map(({ source, when }) => [`an edge from "${source}"`, when] as const),
    ...outcomes.map((outcome) => [`the outcome "${outcome.name}"`, outcome.check] as const),
  ].flatMap(([place, part]) => (hasSemanticMatch(part) ? [place] : []));
  const inScenario = `In scenario "${name}", `;
  return [
    ...(hasEmbedder ? [] : fields).map(
      (place) =>
        `${inScenario}${place} uses semantic_match, which needs an embedding model. Name one, such as --embedder openai/text-embedding-3-small (in code: \`embedder\`).`,
    ),
    ...elsewhere.map(
      (place) =>
        `${inScenario}${place} uses semantic_match, which works only in fields of templates. Put the check in a field, and use its verdict here.`,
    ),
  ];
}

function hasSemanticMatch(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return ("type" in part && part.type === "semantic_match") || Object.values(part).some(hasSemanticMatch);
}

/** Throws `RunError` if a scenario has a simulated user, and the run has no model that plays it. */
export function requireSimulator({ scenarios, simulator }: RunOptions): void {
  const problems = list(scenarios).flatMap((definition) =>
    simulatorProblems(definition, simulator !== undefined),
  );
  if (problems.length > 0) throw new RunError(problems);
}

/** Which users of a scenario have no simulator, in a sentence. */
export function simulatorProblems(
  { name, nodes }: ScenarioDefinition,
  hasSimulator: boolean,
): readonly string[] {
  if (hasSimulator) return [];
  const ids = Object.entries(nodes).flatMap(([id, { user }]) =>
    user !== undefined && user.simulator === undefined ? [id] : [],
  );
  if (ids.length === 0) return [];
  return [
    `Scenario "${name}" has a simulated user at ${ids.map((id) => JSON.stringify(id)).join(", ")}. Name a model that plays it, such as --simulator openai/gpt-5-mini (in code: \`simulator\`); sim/user plays it without a model.`,
  ];
}

/** Throws `RunError` for scenarios with the same name. */
export function refuseSameNames(scenarios: readonly ScenarioDefinition[]): void {
  const names = scenarios.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  if (twice.size > 0)
    throw new RunError(
      [...twice].map((name) => `Two scenarios are called "${name}". Give them different names.`),
    );
}

/** Throws `RunError` if a scenario is a draft of a model that no person has read yet. */
export function refuseDrafts({
  scenarios,
  allowDrafts = false,
}: Pick<RunOptions, "scenarios" | "allowDrafts">): void {
  const drafts = allowDrafts ? [] : list(scenarios).filter(isDraft);
  if (drafts.length === 0) return;
  const more = drafts.length - SHOWN;
  throw new RunError([
    ...drafts.slice(0, SHOWN).map(draftText),
    ...(more > 0 ? [`And ${more} more scenarios are drafts.`] : []),
    "To run drafts anyway: --allow-drafts (in code: `allowDrafts`).",
  ]);
}

/** True for a scenario that is marked as a draft: `metadata: { draft: true }`. */
export function isDraft({ metadata }: ScenarioDefinition): boolean {
  return metadata?.draft === true;
}

/** What a draft is, and what to do about it. */
export function draftText({ name }: ScenarioDefinition): string {
  return `Scenario "${name}" is a draft by a model. Verify it, then remove \`draft: true\` from its metadata.`;
}
