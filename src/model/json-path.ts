import { isRecord, ownValue } from "../value/json.ts";
import { ModelError } from "./model-error.ts";

/** Where a value stands in JSON. */
export type JsonPath = readonly (string | number)[];

/** Reads a path such as `output.text` or `choices[0].message.content`. */
export function parseJsonPath(text: unknown, what: string): JsonPath {
  const valid =
    typeof text === "string" && /^[^.[\]]+(?:\[\d{1,6}\])*(?:\.[^.[\]]+(?:\[\d{1,6}\])*)*$/.test(text);
  const fromStart =
    typeof text === "string" && /^(?:\[\d{1,6}\])+(?:\.[^.[\]]+(?:\[\d{1,6}\])*)*$/.test(text);
  if (!valid && !fromStart) {
    throw new ModelError(
      "bad_request",
      `Expected ${what} to be a path such as "output.text" or "choices[0].message.content", got ${JSON.stringify(text)}.`,
    );
  }
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  );
}

/** The value at a path, or undefined if there is none. */
export function valueAt(json: unknown, path: JsonPath): unknown {
  let value = json;
  for (const part of path) {
    if (typeof part === "number") value = Array.isArray(value) ? value[part] : undefined;
    else value = isRecord(value) ? ownValue(value, part) : undefined;
  }
  return value;
}
