import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import { RunError } from "../journal/failure.ts";
import { list, type RunOptions } from "./run-options.ts";

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
