import type { ToolFilter } from "../../core/scenario/scenario-node.ts";
import type { ToolDefinition } from "../model.ts";
import type { ToolListing } from "./listed-tools.ts";
import { toolNames } from "./tool-names.ts";

/** A tool as a model sees it, and where it is from. */
export interface OfferedTool extends ToolDefinition {
  readonly server: string;
  /** Its name on the server; `name` is the one that the model sees. */
  readonly tool: string;
}

/** The tools of a turn. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  /** What the node's filter took away: `server`, or `server/tool`. */
  readonly removed: readonly string[];
  /** What a filter names in vain, and what servers list that cannot be offered. */
  readonly warnings: readonly string[];
}

/** The servers whose tools a filter leaves, at least in part: only these are needed. */
export function neededServers(servers: readonly string[], filter: ToolFilter | undefined): readonly string[] {
  const removed = new Set(
    filter?.remove.filter(({ tool }) => tool === undefined).map(({ server }) => server),
  );
  return servers.filter((server) => !removed.has(server));
}

/**
 * Makes the offer of a turn from what the needed servers list. Names are given before single tools are removed, so a
 * tool keeps its name from turn to turn.
 */
export function offerTools(
  servers: readonly string[],
  listings: ReadonlyMap<string, ToolListing>,
  filter: ToolFilter | undefined,
): ToolOffer {
  const listed = [...listings].flatMap(([server, { tools }]) => tools.map((tool) => ({ server, ...tool })));
  const names = toolNames(listed);
  const removes = new Set(filter?.remove.map(({ server, tool }) => keyOf(server, tool)));
  const tools: OfferedTool[] = [];
  const removed: string[] = servers.filter((server) => removes.has(keyOf(server)));
  listed.forEach((tool, position) => {
    if (removes.has(keyOf(tool.server, tool.tool))) removed.push(`${tool.server}/${tool.tool}`);
    else tools.push(Object.freeze({ name: names[position] ?? tool.tool, ...tool }));
  });
  const warnings = [
    ...[...listings.values()].flatMap((listing) => listing.warnings),
    ...unknownNames(servers, listings, filter),
  ];
  return Object.freeze({ tools: Object.freeze(tools), removed, warnings });
}

function keyOf(server: string, tool?: string): string {
  return JSON.stringify([server, tool ?? null]);
}

function unknownNames(
  servers: readonly string[],
  listings: ReadonlyMap<string, ToolListing>,
  filter: ToolFilter | undefined,
): readonly string[] {
  return (filter?.remove ?? []).flatMap(({ server, tool }) => {
    if (!servers.includes(server))
      return [`The tool filter names the server "${server}", which the run does not have.`];
    const listing = listings.get(server);
    // Of a server that is removed as a whole, the tools are not known.
    if (tool === undefined || listing === undefined) return [];
    if (listing.tools.some((listed) => listed.tool === tool)) return [];
    return [`The tool filter names the tool "${tool}", which the server "${server}" does not have.`];
  });
}
