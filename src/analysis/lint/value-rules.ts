import { isComposition } from "../../core/logic/composition.ts";
import { isMeasure } from "../../core/outcomes/measure.ts";
import type { OutcomeCheck } from "../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { IssuePath } from "../../core/schema/issue.ts";
import type { Trait } from "../../core/templates/rubric.ts";
import { leavesIn } from "./condition-logic.ts";
import type { LintRules, LintSubject } from "./lint-subject.ts";

/** Rules about the values that conditions and outcomes compare with. What validation knows the type of is an issue already. */
export const VALUE_RULES: LintRules = {
  *wrong_value_type(subject) {
    const { definition } = subject;
    const written = stateUpdates(definition);
    for (const { field, expected, path } of comparisons(subject)) {
      if (typeof expected !== "string") continue;
      const [root, ...keys] = field.split(".");
      if (root === "accumulated" && SWITCHES.has(expected.toLowerCase()) && !isWritten(expected, written)) {
        const message = `${JSON.stringify(field)} is compared with the text ${JSON.stringify(expected)}, which no stateUpdate writes. For a truth value, write true or false.`;
        yield { path, message };
        continue;
      }
      const name =
        root === "rubric"
          ? keys.join(".")
          : root === "node_results" && keys[1] === "rubric"
            ? keys.slice(2).join(".")
            : undefined;
      const kind = name === undefined ? undefined : traitKind(definition, name);
      if (kind === undefined) continue;
      const message = `The trait ${JSON.stringify(name)} is ${kind}, but it is compared with the text ${JSON.stringify(expected)}.`;
      yield { path, message };
    }
  },
};

/** Words that people write for true and false. */
const SWITCHES: ReadonlySet<string> = new Set(["yes", "no", "true", "false", "on", "off"]);

interface Compared {
  readonly field: string;
  readonly expected: unknown;
  readonly path: IssuePath;
}

/** What edges and outcomes compare with one value. */
function* comparisons({ outEdges, definition }: LintSubject): Generator<Compared> {
  for (const edges of outEdges.values())
    for (const { condition, path } of edges)
      for (const leaf of condition === null ? [] : leavesIn(condition))
        if (leaf.type === "state_check")
          yield { field: leaf.field, expected: leaf.expected, path: [...path, "when"] };
  for (const [index, { check }] of definition.outcomes.entries())
    for (const { field, expected } of outcomeLeaves(check))
      yield { field, expected, path: ["outcomes", index] };
}

function outcomeLeaves(check: OutcomeCheck): readonly Omit<Compared, "path">[] {
  if (typeof check === "function" || typeof check === "string" || isMeasure(check)) return [];
  if (isComposition(check))
    return check.type === "not" ? outcomeLeaves(check.condition) : check.conditions.flatMap(outcomeLeaves);
  return check.type === "turn_check" || check.type === "result_check"
    ? [{ field: check.field, expected: check.expected }]
    : [];
}

/** The sources of what computes the accumulated state. */
function stateUpdates({ nodes }: ScenarioDefinition): readonly string[] {
  return Object.values(nodes).flatMap(({ stateUpdate }) =>
    stateUpdate === undefined ? [] : [String(stateUpdate)],
  );
}

/** True if a text stands in quotation marks in some source, or is passed on from elsewhere. */
function isWritten(text: string, sources: readonly string[]): boolean {
  return sources.some(
    (source) =>
      ['"', "'", "`"].some((mark) => source.includes(`${mark}${text}${mark}`)) || source.includes("parsed"),
  );
}

/** What the values of a trait are, where no text can be one. */
function traitKind({ nodes }: ScenarioDefinition, name: string): string | undefined {
  const all = Object.values(nodes).flatMap(({ rubric, question }) => [
    ...(rubric?.traits ?? []),
    ...(question.rubric?.traits ?? []),
  ]);
  const kinds = new Set(all.filter((trait) => trait.name === name).map(kindOf));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

function kindOf(trait: Trait): string | undefined {
  switch (trait.type) {
    case "regex":
      return "true or false";
    case "metric":
      return "a number";
    case "function":
      return undefined;
    case "llm":
      return trait.kind === "literal" ? undefined : trait.kind === "boolean" ? "true or false" : "a number";
  }
}
