import type { ToolFilter } from "../../../core/scenario/definition.ts";
import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import { sha256 } from "../../../core/values/hash.ts";
import { isRecord, type JsonObject } from "../../../core/values/json.ts";
import { maskSecretsIn } from "../../../system/secrets/mask-secrets.ts";
import type { ToolDefinition } from "../model.ts";
import { plainJson } from "./tool-output.ts";

/** A tool as a model sees it, and where it is from. */
export interface OfferedTool extends ToolDefinition {
  readonly server: string;
  /** Its name on the server; `name` is the one that the model sees. */
  readonly tool: string;
}

/** The tools of a turn. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  /** The same as a model is given them. */
  readonly definitions: readonly ToolDefinition[];
  /** What the node's filter took away: `server`, or `server/tool`. */
  readonly removed: readonly string[];
  /** Names in a filter that do not exist, and listed tools that cannot be offered. */
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
  const definitions = freezeDeep(
    tools.map(({ name, description, inputSchema }) => ({
      name,
      inputSchema,
      ...(description === undefined ? {} : { description }),
    })),
  );
  return Object.freeze({ tools: Object.freeze(tools), definitions, removed, warnings });
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

/** A tool as its server lists it. */
interface ListedTool {
  readonly tool: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
}

/** What a server offers, as far as it can be offered to a model. */
export interface ToolListing {
  readonly tools: readonly ListedTool[];
  /** What was left out, and why. */
  readonly warnings: readonly string[];
}

/** One page of a listing: a function of the cursor that the page before gave. */
type ReadPage = (cursor: string | undefined) => Promise<{
  readonly tools: readonly unknown[];
  readonly nextCursor?: string | undefined;
}>;

const MOST_TOOLS = 1_000;
const LARGEST_SCHEMA = 100_000;
const LONGEST_DESCRIPTION = 20_000;

/** Reads all pages of a listing. The result is limited in size and valid for a model, whatever the server lists. */
export async function readListing(server: string, readPage: ReadPage): Promise<ToolListing> {
  const tools = new Map<string, ListedTool>();
  const reasons = new Set<string>();
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    cursors.add(cursor);
    const page = await readPage(cursor);
    for (const entry of page.tools) {
      const read = maskSecretsIn(readTool(entry));
      if (typeof read === "string") reasons.add(read);
      else if (tools.has(read.tool)) reasons.add(`"${read.tool.slice(0, 100)}" is listed twice`);
      else if (tools.size === MOST_TOOLS) reasons.add(`more than ${MOST_TOOLS} tools are too many`);
      else tools.set(read.tool, read);
    }
    cursor = page.nextCursor;
    // A cursor that repeats, or too many pages: the listing would never end.
  } while (
    cursor !== undefined &&
    !cursors.has(cursor) &&
    cursors.size < MOST_TOOLS &&
    tools.size < MOST_TOOLS
  );
  const warnings = [...reasons]
    .slice(0, MOST_REASONS)
    .map((reason) => `The tool server "${server}" lists what cannot be offered: ${reason}.`);
  return { tools: [...tools.values()], warnings };
}

const MOST_REASONS = 10;

/** The tool, or why it cannot be offered. */
function readTool(entry: unknown): ListedTool | string {
  if (!isRecord(entry) || typeof entry.name !== "string" || entry.name === "") return "a tool has no name";
  const { name, description } = entry;
  const shown = name.slice(0, 100);
  if (name.length > 1_000) return `the name "${shown}…" is too long`;
  const schema = plainJson(entry.inputSchema);
  if (!isRecord(schema)) return `the input schema of "${shown}" is not an object, or too deep`;
  if (schema.type !== undefined && schema.type !== "object")
    return `the input schema of "${shown}" does not describe an object`;
  if (JSON.stringify(schema).length > LARGEST_SCHEMA)
    return `the input schema of "${shown}" is larger than ${LARGEST_SCHEMA / 1_000} kB`;
  // `plainJson` makes only JSON, and `isRecord` is true only for objects.
  const inputSchema = { type: "object", ...schema } as JsonObject;
  const text =
    typeof description === "string" ? description.slice(0, LONGEST_DESCRIPTION).toWellFormed() : "";
  return { tool: name, ...(text === "" ? {} : { description: text }), inputSchema };
}

const LONGEST_NAME = 64;

/**
 * The names that a model sees, in the order of the tools: a tool's own name if no other tool has it, else
 * `server__tool`; made of what all providers take, different from each other, and the same whenever the tools are.
 */
export function toolNames(tools: readonly Pick<OfferedTool, "server" | "tool">[]): readonly string[] {
  const own = tools.map(({ tool }) => safeName(tool));
  const groups = Map.groupBy(own, (name) => name);
  const isOnly = (name: string): boolean => groups.get(name)?.length === 1;
  const taken = new Set(own.filter(isOnly));
  return tools.map(({ server, tool }, position) => {
    const name = own[position] as string;
    if (isOnly(name)) return name;
    let free = safeName(`${server}__${tool}`);
    for (let attempt = 0; taken.has(free); attempt++)
      free = marked(`${server}__${tool}`, JSON.stringify([server, tool, attempt]));
    taken.add(free);
    return free;
  });
}

/** Letters, digits, `_` and `-`, at most 64, not starting with a digit. */
function safeName(text: string): string {
  const name = safeCharacters(text);
  return name.length > LONGEST_NAME ? marked(text, text) : name;
}

function safeCharacters(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
}

/** A name with a piece of a hash at its end, for what the name itself cannot hold. */
function marked(text: string, whole: string): string {
  const mark = sha256(whole).slice(0, 8);
  return `${safeCharacters(text).slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}
