import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { RunError } from "../journal/failure.ts";
import { list, type RunOptions } from "./run-options.ts";

/** In bytes: stores find conversations by several names at once, and PostgreSQL takes 2,700 for all of them. */
const LONGEST_NAME = 500;

/** Throws `RunError` for scenarios with the same name, and for names that not every store can keep. */
export function refuseNames(scenarios: readonly ScenarioDefinition[], models: readonly string[]): void {
  refuseSameNames(scenarios.map(({ name }) => name));
  const problems = [
    ...models.flatMap((name) => problemOf("model", name)),
    ...scenarios.flatMap(({ name, nodeIds, outcomes }) => [
      ...problemOf("scenario", name),
      ...nodeIds.flatMap((id) => problemOf("node", id)),
      ...outcomes.flatMap((outcome) => problemOf("outcome", outcome.name)),
    ]),
  ];
  if (problems.length > 0) throw new RunError(problems);
}

function problemOf(what: string, name: string): readonly string[] {
  if (name.includes("\0"))
    return [`The name of ${what} ${JSON.stringify(name.slice(0, 60))} has a zero byte. Leave it out.`];
  // No sign has more than three bytes for each of its units.
  const bytes = 3 * name.length > LONGEST_NAME ? Buffer.byteLength(name) : 0;
  if (bytes <= LONGEST_NAME) return [];
  return [
    `The name of ${what} "${name.slice(0, 60)}…" has ${bytes.toLocaleString("en")} bytes. A name has at most ${LONGEST_NAME}.`,
  ];
}

function refuseSameNames(names: readonly string[]): void {
  const seen = new Set<string>();
  const twice = new Set(names.filter((name) => seen.has(name) || !seen.add(name)));
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

const SHOWN = 5;

/** True for a scenario that is marked as a draft: `metadata: { draft: true }`. */
export function isDraft({ metadata }: ScenarioDefinition): boolean {
  return metadata?.draft === true;
}

/** What a draft is, and what to do about it. */
export function draftText({ name }: ScenarioDefinition): string {
  return `Scenario "${name}" is a draft by a model. Verify it, then remove \`draft: true\` from its metadata.`;
}
