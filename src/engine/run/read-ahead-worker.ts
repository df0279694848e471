import { parentPort, workerData } from "node:worker_threads";
import { errorMessage } from "../../core/error-message.ts";
import type { ExtractedField, ExtractRule, ExtractTarget } from "../../core/templates/extract-rule.ts";
import { setOwn } from "../../core/values/json.ts";
import { extractValue } from "../grading/reading/extract-value.ts";
import type { Readings } from "../grading/reading/known-readings.ts";
import { openStore } from "../journal/store/open-store.ts";
import { StoreError, type StoreErrorCode } from "../journal/store/store-error.ts";
import { readTogether, repliesIn } from "../journal/transfer/stored-run.ts";
import { type RecordedConversation, recordedConversation } from "./recorded-conversation.ts";

/** Where the thread reads. */
export interface ReadAheadData {
  readonly file: string;
  readonly run: string;
}

/** What rules read at a node. */
export interface NodeRules {
  readonly question: string;
  readonly fields: readonly {
    readonly name: string;
    readonly target: ExtractTarget;
    readonly rule: ExtractRule;
  }[];
}

/** What the thread is asked for: conversations, and the rules of scenarios that it has not seen before. */
export interface ReadAheadRequest {
  readonly scenarios: readonly Readonly<Record<string, NodeRules>>[];
  /** Each with the number of its scenario, in the order in which they came. */
  readonly conversations: readonly (readonly [conversation: string, scenario: number])[];
}

/** A conversation, and what rules read in the reply of each of its turns; null where there are no rules. */
export interface ConversationAhead {
  readonly recorded: RecordedConversation;
  readonly readings: readonly (Readings | null)[];
}

/** Conversations in the order in which they were asked for, or why there are no more. Sent as JSON, which takes half the time of a copy. */
export type ReadAheadReply =
  | { readonly conversations: readonly ConversationAhead[] }
  | {
      readonly failure: { readonly code?: StoreErrorCode; readonly message: string; readonly path?: string };
    };

/** How many conversations are answered together: they are written in one group, and each group writes the same pages of indexes. */
const AT_ONCE = 64;

// Given by `ReadAhead`.
const { file, run } = workerData as ReadAheadData;
const scenarios: Readonly<Record<string, NodeRules>>[] = [];
const opened = openStore(file, { readOnly: true });
// An error is reported to who asks.
opened.catch(() => {});

async function answer({ scenarios: more, conversations }: ReadAheadRequest): Promise<void> {
  const store = await opened;
  scenarios.push(...more);
  for (let start = 0; start < conversations.length; start += AT_ONCE) {
    const some = conversations.slice(start, start + AT_ONCE);
    const read = readTogether(store, () =>
      some.map(([conversation]) => recordedConversation(repliesIn(store, run, conversation))),
    );
    const ahead = read.map((recorded, index) => {
      const rules = scenarios[some[index]?.[1] ?? -1] ?? {};
      return { recorded, readings: recorded.turns.map((turn) => readTurn(rules[turn.node], turn)) };
    });
    send({ conversations: ahead });
  }
}

function send(reply: ReadAheadReply): void {
  parentPort?.postMessage(JSON.stringify(reply));
}

function readTurn(
  rules: NodeRules | undefined,
  { reply = "", finish = "", labels }: RecordedConversation["turns"][number],
): Readings | null {
  // What others have read is not read again.
  if (rules === undefined || labels !== undefined) return null;
  const { question } = rules;
  const readings: Record<string, ExtractedField> = {};
  for (const { name, target, rule } of rules.fields) {
    const read = extractValue(rule, target, reply, { finish, question });
    if (!isInJson(read.value)) return null;
    setOwn(readings, name, read);
  }
  return readings;
}

/** False of numbers that JSON does not have, such as -0. */
function isInJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return !Array.isArray(value) || value.every(isInJson);
}

function failureOf(error: unknown): ReadAheadReply {
  if (!(error instanceof StoreError)) return { failure: { message: errorMessage(error) } };
  const { code, message, path } = error;
  return { failure: { code, message, path } };
}

let last = Promise.resolve();
parentPort?.on("message", (request: ReadAheadRequest) => {
  last = last.then(() => answer(request)).catch((error) => send(failureOf(error)));
});
