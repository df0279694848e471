import { freezeDeep, frozenCopy } from "../../core/values/frozen-copy.ts";
import { sha256 } from "../../core/values/hash.ts";
import { canonicalJson } from "../../core/values/json.ts";
import type { Message } from "./message.ts";
import type { ModelCard, ModelRequest } from "./model.ts";

const hashes = new WeakMap<readonly Message[], string>();

const EMPTY: readonly Message[] = Object.freeze([]);

/** The list before the first message. */
export function noMessages(): readonly Message[] {
  return EMPTY;
}

/** A list with more messages at its end, frozen throughout, whose hash costs no more than the new messages. */
export function extendMessages(list: readonly Message[], added: readonly Message[]): readonly Message[] {
  if (added.length === 0) return list;
  const extended = Object.freeze([...list, ...freezeDeep(added)]);
  const known = hashes.get(list) ?? (list.length === 0 ? "" : undefined);
  if (known !== undefined) hashes.set(extended, appended(known, added));
  return extended;
}

/** True for a list that was made here, and so is frozen. */
function isMessageList(list: readonly Message[]): boolean {
  return list === EMPTY || hashes.has(list);
}

/** A text that is different for different lists: their hash, or the message itself if there is just one. */
function identityOfMessages(list: readonly Message[]): string {
  const [only] = list;
  return only !== undefined && list.length === 1 ? written(only) : hashOfMessages(list);
}

/** A hash of all messages: each message is hashed with the hash of those before it. */
export function hashOfMessages(list: readonly Message[]): string {
  let hash = hashes.get(list);
  if (hash === undefined) {
    hash = appended("", list);
    if (Object.isFrozen(list)) hashes.set(list, hash);
  }
  return hash;
}

function appended(hash: string, added: readonly Message[]): string {
  for (const message of added) hash = sha256(`${hash}${written(message)}`);
  return hash;
}

/** A message as text, such that no two different messages are the same text; most have nothing but their content. */
function written(message: Message): string {
  const { role } = message;
  const isPlain = role === "user" || (role === "assistant" && !message.toolCalls && !message.native);
  return isPlain ? `${role} ${message.content}` : `json ${canonicalJson(message)}`;
}

const copies = new WeakMap<Message, Message>();

/** Frozen messages; each is copied once, however many turns it is part of. */
export function frozenMessages(messages: readonly Message[]): readonly Message[] {
  return isMessageList(messages) ? messages : Object.freeze(messages.map(frozenMessage));
}

function frozenMessage(message: Message): Message {
  let copy = copies.get(message);
  if (copy === undefined) {
    // Messages are JSON, which is copied as it is.
    copy = frozenCopy(message, () => {}) as Message;
    // A message that can still change must be copied again.
    if (Object.isFrozen(message)) copies.set(message, copy);
  }
  return copy;
}

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
    sha256(instructions),
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
