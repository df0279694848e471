import { contentHash } from "../content-hash.ts";

/** Where a tool is from. */
export interface ToolOrigin {
  readonly server: string;
  /** Its name on the server. */
  readonly tool: string;
}

const LONGEST_NAME = 64;

/**
 * The names that a model sees, in the order of the tools: a tool's own name if no other tool has it, else
 * `server__tool`; made of what all providers take, different from each other, and the same whenever the tools are.
 */
export function toolNames(tools: readonly ToolOrigin[]): readonly string[] {
  const own = tools.map(({ tool }) => safeName(tool));
  const timesUsed = new Map<string, number>();
  for (const name of own) timesUsed.set(name, (timesUsed.get(name) ?? 0) + 1);
  const names = own.map((name) => (timesUsed.get(name) === 1 ? name : undefined));
  const taken = new Set(names);
  return names.map((name, position) => {
    if (name !== undefined) return name;
    // The position is one of `tools`.
    const { server, tool } = tools[position] as ToolOrigin;
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
  const mark = contentHash(whole).slice(0, 8);
  return `${safeCharacters(text).slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}
