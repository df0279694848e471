import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { cutToWidth } from "../../../system/terminal/text-layout.ts";
import { shareText } from "../text/figures.ts";
import {
  type DrawnEdge,
  type DrawnNode,
  drawnGraph,
  ROLE_WORDS,
  stopsAt,
  type Traffic,
} from "./drawn-graph.ts";

/** What `toMermaid` draws besides the scenario. */
export interface MermaidOptions {
  /** Shows how often nodes were visited and edges followed, and where conversations stopped. */
  readonly traffic?: Traffic;
}

const LABEL_WIDTH = 60;
/** Not `end`, which Mermaid reads as a keyword. */
const END_NAME = "finish";

/**
 * Draws a scenario as a Mermaid flowchart. Ids and texts are escaped, so they appear as text only.
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
export function toMermaid(definition: ScenarioDefinition, options: MermaidOptions = {}): string {
  const nodes = drawnGraph(definition, options.traffic);
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
      const link = edgeLink(edge, numbered ? `${index + 1}. ` : "", node.visits);
      lines.push(`  ${nameOf(node)} ${link} ${nameOf(edge.target)}`);
    });
  }
  return `${lines.join("\n")}\n`;
}

function nodeLabel(node: DrawnNode): string {
  const lines = [shortLabel(node.id), shortLabel(node.question), mermaidLabel(visitsText(node))];
  return lines.filter((line) => line !== "").join("<br/>");
}

function visitsText(node: DrawnNode): string {
  if (node.visits === undefined) return "";
  const stops = stopsAt(node);
  return `visited ${node.visits}×${stops === 0 ? "" : `, stopped ${stops}×`}`;
}

/** Solid for conditional and only edges, dotted for the fallback. */
function edgeLink(edge: DrawnEdge, number: string, visits: number | undefined): string {
  const lines = [edgeText(edge, number), mermaidLabel(hopsText(edge.hops, visits))];
  const label = lines.filter((line) => line !== "").join("<br/>");
  const arrow = edge.role === "only" || edge.role === "conditional" || edge.role === "fork" ? "-->" : "-.->";
  return label === "" ? arrow : `${arrow}|"${label}"|`;
}

function edgeText(edge: DrawnEdge, number: string): string {
  if (edge.role !== "conditional") return ROLE_WORDS[edge.role];
  return `${mermaidLabel(number)}${shortLabel(edge.condition)}`;
}

function hopsText(hops: number | undefined, visits = 0): string {
  if (hops === undefined) return "";
  const share = hops === 0 ? "" : shareText(hops, visits);
  return `${hops === 0 ? "–" : `${hops}×`}${share === "" ? "" : `, ${share}`}`;
}

function shortLabel(text: string): string {
  return mermaidLabel(cutToWidth(text, LABEL_WIDTH));
}

/**
 * What Mermaid would read as something else than text, even between quotes. Besides delimiters and HTML: `%%{` is a
 * directive and `%%` a comment anywhere; `$$` is mathematics; `fa:` is an icon; "style a:#…;" loses its semicolon; a line
 * with "direction TB" turns the chart; labels are Markdown (lists, "1.", emphasis, headings underlined with "=", "www.");
 * `°` and `¶` are part of how Mermaid itself encodes entities. Spared where they are harmless, for readable sources:
 * `-` and `_` inside words, ` = ` inside texts, most full stops.
 */
const SPECIAL =
  /["#$%&()*+:;<>@[\\\]^`{|}~°¶]|(?<![a-z0-9])[-_]|[-_](?![a-z0-9])|(?<!\S )=|=(?! )|(?<=\d|www)\.|(?<=directio)n(?= [tblr])/giu;

/** A text as the content of a quoted Mermaid label, with entity codes for everything that has a meaning there. */
export function mermaidLabel(text: string): string {
  return text.replace(SPECIAL, (character) => `#${character.codePointAt(0)};`);
}
