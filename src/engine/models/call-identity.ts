import { sha256 } from "../../core/values/hash.ts";
import { canonicalJson } from "../../core/values/json.ts";
import { identityOfMessages } from "./message-list.ts";
import type { ModelCard, ModelRequest } from "./model.ts";

/** What separates a call from a repetition of the same request. */
export interface CallRepetition {
  readonly replicate: number;
  readonly seed: number;
}

/** The hash of everything that shapes a call's answer: two calls with the same identity may share one answer. */
export function callIdentity(
  model: ModelCard,
  request: ModelRequest,
  { replicate, seed }: CallRepetition,
): string {
  const { instructions = "", messages, tools, schema } = request;
  const parts = [
    // A model's identity never changes: that is what it is for.
    hashOfData(model.identity, true),
    hashOfText(instructions),
    hashOfData(tools),
    hashOfData(schema),
    replicate,
    seed,
    identityOfMessages(messages),
  ];
  return sha256(parts.join(" "));
}

const hashesOfData = new WeakMap<object, string>();

/** Identities, tools and schemas are the same from call to call; what cannot change is hashed once. */
function hashOfData(data: object | undefined, isStable = Object.isFrozen(data)): string {
  if (data === undefined) return "";
  const known = hashesOfData.get(data);
  if (known !== undefined) return known;
  const hash = sha256(canonicalJson(data));
  if (isStable) hashesOfData.set(data, hash);
  return hash;
}

const hashesOfTexts = new Map<string, string>();
const REMEMBERED_TEXTS = 1000;

/** System prompts are long, and few. */
function hashOfText(text: string): string {
  const known = hashesOfTexts.get(text);
  if (known !== undefined) return known;
  const hash = sha256(text);
  if (hashesOfTexts.size >= REMEMBERED_TEXTS) hashesOfTexts.clear();
  hashesOfTexts.set(text, hash);
  return hash;
}
