import { canonicalJson, deepEqual, isRecord, ownValue } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import type { ToolDefinition } from "../model.ts";
import type { CallRequest } from "./recorded-call.ts";

/** The parts of a call in the order in which they are compared, and what is said where one differs. */
const PARTS: readonly (readonly [
  part: keyof CallRequest,
  explain: (call: CallRequest, other: CallRequest) => string,
])[] = [
  ["model", (call, other) => `the model: ${valueDifference(call.model, other.model)}`],
  [
    "instructions",
    (call, other) => `the system prompt: ${bothTexts(call.instructions ?? "", other.instructions ?? "")}`,
  ],
  ["messages", (call, other) => messageDifference(call.messages, other.messages)],
  ["tools", (call, other) => toolDifference(call.tools ?? [], other.tools ?? [])],
  ["schema", (call, other) => `the schema of the reply: ${valueDifference(call.schema, other.schema)}`],
  ["replicate", (call, other) => `the replicate: ${call.replicate} here, ${other.replicate} there`],
  ["seed", (call, other) => `the seed: ${call.seed} here, ${other.seed} there`],
];

function differingParts(call: CallRequest, other: CallRequest): typeof PARTS {
  return PARTS.filter(([part]) => !deepEqual(call[part], other[part]));
}

/** Why a call has no recorded answer: the nearest recorded call, and the first part in which it differs. */
export function explainMiss(asked: CallRequest, candidates: Iterable<CallRequest>): string {
  const call = withoutMarker(asked);
  const nearest = nearestCall(call, [...candidates].map(withoutMarker));
  if (nearest === undefined) return "No call is recorded.";
  const [first, ...others] = differingParts(call, nearest);
  const isQuoting = call.messages.some((message, index) => message !== asked.messages[index]);
  if (first === undefined && !isQuoting) return "The same call is recorded.";
  const more = others.length === 0 ? "" : ` (and in ${others.length} more)`;
  const difference =
    first === undefined
      ? "only in the random marker around quoted texts, which depends on the seed of the run"
      : `in ${first[1](call, nearest)}${more}`;
  return `The nearest recorded call is one of ${nearest.name}, replicate ${nearest.replicate}; it differs ${difference}.`;
}

/** The line that begins a quoted text in a call of a judge, with its random marker. */
const QUOTE = /^<[a-z][a-z0-9-]*-([a-z0-9]{16,})>$/im;

/** The call without the random marker, which would hide what really differs. */
function withoutMarker(call: CallRequest): CallRequest {
  const messages = call.messages.map((message) => {
    const marker = message.role === "user" ? QUOTE.exec(message.content)?.[1] : undefined;
    if (marker === undefined || message.role !== "user") return message;
    return { ...message, content: message.content.replaceAll(`-${marker}>`, ">") };
  });
  return { ...call, messages };
}

/** The call that differs in the fewest parts; of several, the one that agrees longest. */
function nearestCall(call: CallRequest, candidates: readonly CallRequest[]): CallRequest | undefined {
  const ranked = candidates.map((other) => ({
    other,
    differing: differingParts(call, other).length,
    shared: sharedMessages(call.messages, other.messages),
    longer: Math.abs(call.messages.length - other.messages.length),
  }));
  const [nearest] = ranked.sort(
    (one, two) => one.differing - two.differing || two.shared - one.shared || one.longer - two.longer,
  );
  return nearest?.other;
}

/** How many messages two lists have in common at their beginning. */
export function sharedMessages(one: readonly Message[], other: readonly Message[]): number {
  let shared = 0;
  while (shared < one.length && shared < other.length && isSame(one[shared], other[shared])) shared++;
  return shared;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || deepEqual(one, other);
}

function messageDifference(here: readonly Message[], there: readonly Message[]): string {
  const same = sharedMessages(here, there);
  const [one, other] = [here[same], there[same]];
  if (one === undefined || other === undefined) {
    return `the number of messages: ${here.length} here, ${there.length} there, and the first ${same} are the same`;
  }
  const place = `message ${same + 1} of ${here.length}`;
  if (one.role !== other.role) return `${place}: it is of the ${one.role} here, of the ${other.role} there`;
  const bothSay = one.role !== "tool" && other.role !== "tool";
  if (bothSay && one.content !== other.content) {
    return `${place} (${one.role}): ${bothTexts(one.content, other.content)}`;
  }
  return `${place} (${one.role}): ${valueDifference(one, other)}`;
}

function toolDifference(here: readonly ToolDefinition[], there: readonly ToolDefinition[]): string {
  for (const { name } of [...here, ...there]) {
    const [one, other] = [here, there].map((tools) => tools.find((tool) => tool.name === name));
    if (one === undefined) return `the tool ${name}, which is there, but not here`;
    if (other === undefined) return `the tool ${name}, which is here, but not there`;
    if (!deepEqual(one, other)) return `the tool ${name}: ${valueDifference(one, other)}`;
  }
  return "the order of the tools";
}

/** The path to the first value that differs, and both values. */
function valueDifference(here: unknown, there: unknown, path = ""): string {
  if (isRecord(here) && isRecord(there)) {
    for (const key of new Set([...Object.keys(here), ...Object.keys(there)])) {
      const [one, other] = [ownValue(here, key), ownValue(there, key)];
      if (!deepEqual(one, other)) return valueDifference(one, other, path === "" ? key : `${path}.${key}`);
    }
  }
  const place = path === "" ? "" : `\`${path}\` is `;
  return `${place}${bothTexts(written(here), written(there), false)}`;
}

function written(value: unknown): string {
  return value === undefined ? "missing" : canonicalJson(value);
}

function bothTexts(here: string, there: string, quoted = true): string {
  // A short value says more as a whole.
  if (!quoted && here.length <= 60 && there.length <= 60) return `${here} here, ${there} there`;
  const difference = textDifference(here, there);
  return `${difference.here} here, ${difference.there} there`;
}

/** Where two texts differ, each shortened to that place. */
interface TextDifference {
  readonly here: string;
  readonly there: string;
}

const CONTEXT = 20;
const SHOWN = 60;

/** The first and the last place where two texts differ, with some text around them. */
export function textDifference(here: string, there: string): TextDifference {
  const most = Math.min(here.length, there.length);
  let start = 0;
  while (start < most && here[start] === there[start]) start++;
  let same = 0;
  while (same < most - start && here[here.length - 1 - same] === there[there.length - 1 - same]) same++;
  return {
    here: excerpt(here, start, here.length - same),
    there: excerpt(there, start, there.length - same),
  };
}

function excerpt(text: string, start: number, end: number): string {
  const from = Math.max(0, start - CONTEXT);
  const to = Math.min(text.length, Math.min(end, start + SHOWN) + CONTEXT);
  return JSON.stringify(`${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`);
}
