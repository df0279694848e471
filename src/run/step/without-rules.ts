import type { ScenarioNode } from "../../core/scenario/definition.ts";

/** A node whose fields are all left to the judge. */
export function withoutRules(node: ScenarioNode): ScenarioNode {
  const { template } = node.question;
  if (template === undefined) return node;
  const fields = Object.entries(template.fields).map(([name, { extract: _, ...field }]) => [
    name,
    Object.freeze(field),
  ]);
  const unruled = Object.freeze({ ...template, fields: Object.freeze(Object.fromEntries(fields)) });
  return Object.freeze({ ...node, question: Object.freeze({ ...node.question, template: unruled }) });
}
