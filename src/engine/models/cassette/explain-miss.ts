import { canonicalJson, deepEqual } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import type { CallRequest } from "./recorded-call.ts";

/** The parts of a call in the order in which they are compared, and what each is called. */
const PARTS: readonly (readonly [part: keyof CallRequest, name: string])[] = [
  ["model", "the model"],
  ["instructions", "the system prompt"],
  ["messages", "the messages"],
  ["tools", "the tools"],
  ["schema", "the schema of the reply"],
  ["replicate", "the replicate"],
  ["seed", "the seed"],
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
  const found =
    first === undefined
      ? "only in the random marker around quoted texts, which depends on the seed of the run"
      : `in ${difference(first, call, nearest)}${more}`;
  return `The nearest recorded call is one of ${nearest.name}, replicate ${nearest.replicate}; it differs ${found}.`;
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

/** A part that differs, and what it is in both calls; of messages the first that differs. */
function difference([part, name]: (typeof PARTS)[number], call: CallRequest, other: CallRequest): string {
  if (typeof call[part] === "number") return `${name}: ${call[part]} here, ${other[part]} there`;
  if (part !== "messages") return `${name}: ${bothTexts(written(call[part]), written(other[part]))}`;
  const [here, there] = [call.messages, other.messages];
  const same = sharedMessages(here, there);
  const [one, two] = [here[same], there[same]];
  if (one === undefined || two === undefined)
    return `the number of messages: ${here.length} here, ${there.length} there, and the first ${same} are the same`;
  const bothSay =
    one.role === two.role && "content" in one && "content" in two && one.content !== two.content;
  const [left, right] = bothSay ? [one.content, two.content] : [written(one), written(two)];
  return `message ${same + 1} of ${here.length} (${one.role}): ${bothTexts(left, right)}`;
}

function written(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

function bothTexts(here: string, there: string): string {
  const texts = textDifference(here, there);
  return `${texts.here} here, ${texts.there} there`;
}

const CONTEXT = 20;
const SHOWN = 60;

/** The first and the last place where two texts differ, with some text around them. */
export function textDifference(
  here: string,
  there: string,
): { readonly here: string; readonly there: string } {
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
