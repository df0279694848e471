import type { IssuePath } from "../core/schema/issue.ts";
import { isReservedKey } from "../core/values/reserved-key.ts";
import { TextSyntaxError } from "./scenario-files/text-places.ts";
import { parseYamlText } from "./scenario-files/yaml-text.ts";

/** A setting that a flag of the command gives. */
export interface FlagValue {
  /** As sentences call it: `--replicates`. */
  readonly flag: string;
  readonly path: IssuePath;
  readonly value: unknown;
}

const PART = /\.?([^.[\]="\s]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * Reads what follows `--set`: a path, `=`, and a value as YAML. A sentence if it cannot be read.
 *
 * @example
 * parseSetFlag("subjects[0].parameters.temperature=0")
 */
export function parseSetFlag(text: string): FlagValue | string {
  const path: (string | number)[] = [];
  PART.lastIndex = 0;
  let end = 0;
  for (let match = PART.exec(text); match !== null; match = PART.exec(text)) {
    const [, name, index, quoted] = match;
    path.push(name ?? (index === undefined ? (quoted ?? "").replace(/\\(.)/g, "$1") : Number(index)));
    end = PART.lastIndex;
  }
  const written = text.slice(0, end);
  const flag = `--set ${written}`;
  const isPath = path.length > 0 && typeof path[0] === "string" && !written.startsWith(".");
  if (!isPath || text[end] !== "=") {
    return `--set takes a key, "=" and a value, like "timeouts.callMs=60000"; got ${JSON.stringify(text)}.`;
  }
  const reserved = path.find((part) => typeof part === "string" && isReservedKey(part));
  if (reserved !== undefined) return `${flag}: "${reserved}" is a reserved name and cannot be used here.`;
  const value = text.slice(end + 1);
  try {
    return { flag, path, value: parseYamlText(value).value };
  } catch (error) {
    if (!(error instanceof TextSyntaxError)) throw error;
    return `${flag}: the value ${JSON.stringify(value)} cannot be read: ${error.message}. Put quotes around it if it is text.`;
  }
}
