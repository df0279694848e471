import { nameHint } from "../../../core/schema/nearest-name.ts";
import { hasRow, rowTags, withTaggedRows } from "../../../engine/run/open-rows.ts";
import { ProjectError } from "../project-error.ts";
import type { LoadedScenario } from "./load-scenarios.ts";

/** Which scenarios to take; an empty or missing list takes all. */
export interface Selection {
  /** Names, or patterns in which `*` matches anything, also slashes. */
  readonly only?: readonly string[];
  /** Tags, as in `metadata.tags` or the column `tags` of rows; one is enough. */
  readonly tags?: readonly string[];
  /** Ids of rows: of several scenarios, those that have one of them. */
  readonly onlyRows?: readonly string[];
}

/**
 * The scenarios that have one of the names and one of the tags; of a scenario without the tag, those of its rows that have it in their
 * column `tags`. Throws a `ProjectError` if a name or a tag matches nothing, because it is probably misspelt, or if nothing is left.
 */
export async function selectScenarios(
  scenarios: readonly LoadedScenario[],
  { only = [], tags = [], onlyRows = [] }: Selection,
): Promise<readonly LoadedScenario[]> {
  const allNames = scenarios.map(({ definition }) => definition.name);
  const tagged: TaggedScenario[] = [];
  // Rows are read only if a tag is wanted.
  for (const scenario of scenarios) {
    const ofRows = tags.length === 0 ? new Set<string>() : await rowTags(scenario.definition);
    tagged.push({ scenario, own: tagsOf(scenario), ofRows });
  }
  const allTags = [...new Set(tagged.flatMap(({ own, ofRows }) => [...own, ...ofRows]))];
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
  const selected = tagged
    .filter(
      ({ scenario: { definition } }) =>
        patterns.length === 0 || patterns.some(({ fits }) => fits(definition.name)),
    )
    .flatMap((one) => withTags(one, tags));
  if (selected.length === 0 && scenarios.length > 0) {
    throw new ProjectError([
      `No scenario is left: none that is called ${only.join(" or ")} has the tag ${tags.join(" or ")}.`,
    ]);
  }
  if (onlyRows.length === 0 || selected.length < 2) return selected;
  const having: LoadedScenario[] = [];
  for (const scenario of selected) if (await hasRow(scenario.definition, onlyRows)) having.push(scenario);
  // Where no scenario has it, the first one says which rows there are.
  return having.length === 0 ? selected : having;
}

interface TaggedScenario {
  readonly scenario: LoadedScenario;
  readonly own: readonly string[];
  readonly ofRows: ReadonlySet<string>;
}

/** The scenario, or the part of it that has one of the tags. */
function withTags(
  { scenario, own, ofRows }: TaggedScenario,
  tags: readonly string[],
): readonly LoadedScenario[] {
  if (tags.length === 0 || own.some((tag) => tags.includes(tag))) return [scenario];
  if (!tags.some((tag) => ofRows.has(tag))) return [];
  return [{ ...scenario, definition: withTaggedRows(scenario.definition, tags) }];
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
