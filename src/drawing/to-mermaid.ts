import type { ScenarioDefinition } from "../scenario/definition.ts";
import { type DrawnEdge, type DrawnNode, drawnGraph } from "./drawn-graph.ts";
import { mermaidLabel } from "./mermaid-label.ts";
import { cutToWidth } from "./text-width.ts";

const LABEL_WIDTH = 60;
/** Not `end`, which Mermaid reads as a keyword. */
const END_NAME = "finish";

/**
 * Draws a scenario as a Mermaid flowchart. Whatever its ids and texts contain, they appear as text only.
 *
 * @example
 * toMermaid(definition)
 * // flowchart TD
 * //   n0(["ask<br/>What is the capital of Australia?"])
 * //   n1["push<br/>Are you sure?"]
 * //   finish((("END")))
 * //   n0 -->|"verify_result = true"| n1
 * //   n0 -.->|"otherwise"| finish
 * //   n1 --> finish
 */
export function toMermaid(definition: ScenarioDefinition): string {
  const nodes = drawnGraph(definition);
  const names = new Map(nodes.map((node, index) => [node, `n${index}`]));
  const nameOf = (node: DrawnNode | null): string => (node && names.get(node)) ?? END_NAME;

  const lines = ["flowchart TD"];
  nodes.forEach((node, index) => {
    const label = nodeLabel(node);
    // The entry comes first and is the one with round ends.
    lines.push(index === 0 ? `  ${nameOf(node)}(["${label}"])` : `  ${nameOf(node)}["${label}"]`);
  });
  if (nodes.some((node) => node.edges.some((edge) => edge.target === null))) {
    lines.push(`  ${END_NAME}((("END")))`);
  }
  for (const node of nodes) {
    const numbered = node.edges.filter((edge) => edge.role === "conditional").length > 1;
    node.edges.forEach((edge, index) => {
      const link = edgeLink(edge, numbered ? `${index + 1}. ` : "");
      lines.push(`  ${nameOf(node)} ${link} ${nameOf(edge.target)}`);
    });
  }
  return `${lines.join("\n")}\n`;
}

function nodeLabel(node: DrawnNode): string {
  const id = shortLabel(node.id);
  return node.question === "" ? id : `${id}<br/>${shortLabel(node.question)}`;
}

/** Solid for what is tested or the only way on, dotted for what is left over. */
function edgeLink(edge: DrawnEdge, number: string): string {
  switch (edge.role) {
    case "only":
      return "-->";
    case "conditional":
      return `-->|"${mermaidLabel(number)}${shortLabel(edge.condition)}"|`;
    case "otherwise":
      return '-.->|"otherwise"|';
    case "never":
      return '-.->|"never taken"|';
  }
}

function shortLabel(text: string): string {
  return mermaidLabel(cutToWidth(text, LABEL_WIDTH));
}
