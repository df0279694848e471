import { isRecord, type JsonObject } from "../../core/values/json.ts";
import { plainJson } from "./plain-json.ts";

/** A tool as its server lists it. */
export interface ListedTool {
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
export type ReadPage = (cursor: string | undefined) => Promise<{
  readonly tools: readonly unknown[];
  readonly nextCursor?: string | undefined;
}>;

const MOST_TOOLS = 1_000;
const LARGEST_SCHEMA = 100_000;
const LONGEST_DESCRIPTION = 20_000;
const LARGEST_LISTING = 4_000_000;
const MOST_REASONS = 10;

/** Reads all pages of a listing; whatever a server lists, what comes out is small enough and fit for a model. */
export async function readListing(server: string, readPage: ReadPage): Promise<ToolListing> {
  const tools = new Map<string, ListedTool>();
  const reasons = new Set<string>();
  const cursors = new Set<string>();
  let size = 0;
  const take = (entry: unknown): void => {
    let read = readTool(entry);
    if (typeof read !== "string") {
      size += JSON.stringify(read).length;
      if (tools.size >= MOST_TOOLS) read = `more than ${MOST_TOOLS} tools are too many`;
      else if (size > LARGEST_LISTING) read = "all tools together are too large";
      else if (tools.has(read.tool)) read = `"${read.tool.slice(0, 100)}" is listed twice`;
      else tools.set(read.tool, read);
    }
    if (typeof read === "string" && reasons.size < MOST_REASONS) reasons.add(read);
  };
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    for (const entry of page.tools) take(entry);
    cursor = page.nextCursor;
    // A server that goes round in circles, or lists nothing for ever, has no more to say.
    if (cursor === undefined || cursors.has(cursor) || cursors.size > MOST_TOOLS) break;
    cursors.add(cursor);
  } while (reasons.size < MOST_REASONS && tools.size <= MOST_TOOLS && size <= LARGEST_LISTING);
  const warnings = [...reasons].map(
    (reason) => `The tool server "${server}" lists what cannot be offered: ${reason}.`,
  );
  return { tools: [...tools.values()], warnings };
}

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
  // `plainJson` makes only JSON, and `isRecord` has told an object from a list.
  const inputSchema = { type: "object", ...schema } as JsonObject;
  const text =
    typeof description === "string" ? description.slice(0, LONGEST_DESCRIPTION).toWellFormed() : "";
  return { tool: name, ...(text === "" ? {} : { description: text }), inputSchema };
}
