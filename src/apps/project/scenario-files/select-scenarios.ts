import { nameHint } from "../../../core/schema/nearest-name.ts";
import { ProjectError } from "../project-error.ts";
import type { LoadedScenario } from "./load-scenarios.ts";

/** Which scenarios to take; an empty or missing list takes all. */
export interface Selection {
  /** Names, or patterns in which `*` matches anything, also slashes. */
  readonly only?: readonly string[];
  /** Tags, as in `metadata.tags`; one is enough. */
  readonly tags?: readonly string[];
}

/**
 * The scenarios that have one of the names and one of the tags. Throws a `ProjectError` if a name or a tag matches nothing,
 * because it is probably misspelt, or if nothing is left.
 */
export function selectScenarios(
  scenarios: readonly LoadedScenario[],
  { only = [], tags = [] }: Selection,
): readonly LoadedScenario[] {
  const allNames = scenarios.map(({ definition }) => definition.name);
  const allTags = [...new Set(scenarios.flatMap(tagsOf))];
  const patterns = only.map((name) => ({ name, fits: nameTest(name) }));
  const problems = [
    ...patterns
      .filter(({ fits }) => !allNames.some(fits))
      .map(({ name }) => `No scenario is called ${JSON.stringify(name)}. ${nameHint(name, allNames)}`),
    ...tags
      .filter((tag) => !allTags.includes(tag))
      .map((tag) => `No scenario has the tag ${JSON.stringify(tag)}. ${nameHint(tag, allTags)}`),
  ];
  if (problems.length > 0) throw new ProjectError(problems);
  const selected = scenarios.filter(
    (scenario) =>
      (patterns.length === 0 || patterns.some(({ fits }) => fits(scenario.definition.name))) &&
      (tags.length === 0 || tagsOf(scenario).some((tag) => tags.includes(tag))),
  );
  if (selected.length === 0 && scenarios.length > 0) {
    throw new ProjectError([
      `No scenario is left: none that is called ${only.join(" or ")} has the tag ${tags.join(" or ")}.`,
    ]);
  }
  return selected;
}

/** The tags of a scenario. */
function tagsOf({ definition }: LoadedScenario): readonly string[] {
  const { tags } = definition.metadata;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/** An exact name goes first, even if it contains `*`. */
function nameTest(name: string): (candidate: string) => boolean {
  if (!name.includes("*")) return (candidate) => candidate === name;
  const parts = name.split(/\*+/);
  return (candidate) => candidate === name || fitsParts(candidate, parts);
}

/** The first and the last part at the ends, the others one after the other between them, each as early as possible. */
function fitsParts(text: string, parts: readonly string[]): boolean {
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  let position = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, position);
    if (at < 0) return false;
    position = at + part.length;
  }
  return text.startsWith(first) && text.length - last.length >= position && text.endsWith(last);
}
