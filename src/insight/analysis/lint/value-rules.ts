import type { Check } from "../../../core/checks/check.ts";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { defaultCheck } from "../../../core/checks/shorthand.ts";
import { isTemplate } from "../../../core/liquid/text-template.ts";
import { leavesOf } from "../../../core/logic/composition.ts";
import {
  isMeasure,
  nodeFilter,
  type OutcomeCheck,
  type ResultCheck,
  type TurnCheck,
} from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { IssuePath } from "../../../core/schema/issue.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import type { Trait } from "../../../core/templates/rubric.ts";
import type { TemplateField } from "../../../core/templates/template.ts";
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

  *unlisted_value(subject) {
    for (const { field, expected, verifyWith, nodes, path } of comparisons(subject)) {
      const [root, ...keys] = field.split(".");
      const isPast = root === "node_results" && keys[1] === "parsed";
      if (typeof expected !== "string" || (root !== "parsed" && !isPast)) continue;
      if (verifyWith.type !== "exact_match" || verifyWith.normalize !== undefined || isTemplate(expected))
        continue;
      const name = (isPast ? keys.slice(2) : keys).join(".");
      const lists = (isPast ? keys.slice(0, 1) : nodes).flatMap((id) => {
        const read = subject.definition.nodes[id]?.question.template?.fields[name];
        return read === undefined ? [] : [read];
      });
      const known = lists.map(readValues);
      const values = [...new Set(known.flatMap((list) => list ?? []))];
      if (
        known.length === 0 ||
        known.includes(null) ||
        values.some((value) => evaluateCheck(verifyWith, value, expected).passes)
      )
        continue;
      const { nearest } = nearestOf(expected, values);
      const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
      const message = `The rules of field ${JSON.stringify(name)} never read ${JSON.stringify(expected)}: they read ${values.map((value) => JSON.stringify(value)).join(", ")}.${meant}`;
      yield { path, message };
    }
  },
};

/** The values that the aliases of a text field stand for; null if other values can be read. */
function readValues({ type, extract }: TemplateField): readonly string[] | null {
  if (type !== "string" || extract?.type !== "aliases") return null;
  const values = [
    ...Object.keys(extract.values),
    ...(extract.otherwise === undefined ? [] : [extract.otherwise]),
  ];
  return values.some(isTemplate) ? null : values;
}

/** Words that people write for true and false. */
const SWITCHES: ReadonlySet<string> = new Set(["yes", "no", "true", "false", "on", "off"]);

interface Compared {
  readonly field: string;
  readonly expected: unknown;
  readonly verifyWith: Check;
  /** The nodes whose turns are looked at. */
  readonly nodes: readonly string[];
  readonly path: IssuePath;
}

/** What edges and outcomes compare with one value. */
function* comparisons({ outEdges, definition }: LintSubject): Generator<Compared> {
  for (const [source, edges] of outEdges)
    for (const { condition, path } of edges)
      for (const leaf of condition === null ? [] : leavesOf(condition))
        if (leaf.type === "state_check")
          yield { expected: null, ...leaf, nodes: [source], path: [...path, "when"] };
  for (const [index, { check }] of definition.outcomes.entries())
    for (const leaf of outcomeLeaves(check)) {
      const { field, expected = null, verifyWith = defaultCheck(expected) } = leaf;
      const filter = leaf.type === "turn_check" ? nodeFilter(leaf.scope) : undefined;
      const nodes = filter === undefined || filter === null ? definition.nodeIds : [filter].flat();
      yield { field, expected, verifyWith, nodes, path: ["outcomes", index] };
    }
}

function outcomeLeaves(check: OutcomeCheck): readonly (TurnCheck | ResultCheck)[] {
  if (typeof check === "function" || typeof check === "string" || isMeasure(check)) return [];
  return leavesOf(check).filter((leaf) => leaf.type === "turn_check" || leaf.type === "result_check");
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
