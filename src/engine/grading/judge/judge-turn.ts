import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import { ownValue } from "../../../core/values/json.ts";
import type { RawAnswer } from "./find-answer.ts";
import {
  type JudgeInput,
  type JudgeRequest,
  type Judging,
  judgeRequests,
  repairRequest,
} from "./judge-request.ts";
import type { JudgeTask } from "./judge-task.ts";
import { type JudgedField, type Judgement, readJudgement } from "./read-judgement.ts";
import type { TraitAnswer } from "./read-value.ts";

/** Tokens that calls of a model took. */
export interface JudgeUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a judge model answered. */
export interface JudgeAnswer extends RawAnswer {
  /** Missing if the provider did not report it. */
  readonly usage?: JudgeUsage;
}

/**
 * A model that answers the requests of a judge; providers implement it. It returns any answer, readable or not, and throws
 * only if there is none.
 */
export type JudgeModel = (
  request: Pick<JudgeRequest, "instructions" | "messages" | "schema">,
  options: { readonly signal?: AbortSignal },
) => Promise<JudgeAnswer>;

/** How a turn is judged. */
export interface JudgeTurnOptions {
  readonly judging?: Judging;
  readonly signal?: AbortSignal;
}

/**
 * Lets a judge read a turn: in as few calls as possible, all at the same time, each with one attempt to repair an answer
 * that cannot be read. An error that the model throws is no judgement and is passed on, once all calls are finished.
 */
export async function judgeTurn(
  judge: JudgeModel,
  input: JudgeInput,
  options: JudgeTurnOptions = {},
): Promise<TurnJudgement> {
  const { judging = "together", signal } = options;
  const results = await Promise.allSettled(
    judgeRequests({ ...input, judging }).map((request) =>
      judgeOne(judge, { request, reply: input.reply, signal }),
    ),
  );
  const parts = results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  return joinJudgements(parts);
}

/** Sends one request of a turn to a judge, with one attempt to repair the answer. */
export async function judgePart(
  judge: JudgeModel,
  request: JudgeRequest,
  { reply, signal }: Pick<JudgeInput, "reply"> & Pick<JudgeTurnOptions, "signal">,
): Promise<TurnJudgement> {
  return joinJudgements([await judgeOne(judge, { request, reply, signal })]);
}

interface CallInput {
  readonly request: JudgeRequest;
  readonly reply: string;
  readonly signal: AbortSignal | undefined;
}

async function judgeOne(judge: JudgeModel, task: CallInput): Promise<JudgedRequest> {
  const { request } = task;
  const [call, judgement] = await callJudge(judge, task, false);
  if (judgement.status === "read") return { request, judgement, calls: [call] };
  const repair = repairRequest(request, call.answer, judgement.error);
  const [secondCall, repaired] = await callJudge(judge, { ...task, request: repair }, true);
  return { request, judgement: withReadable(repaired, judgement), calls: [call, secondCall] };
}

/** What could be read of two bad answers; of what both have, the later counts. */
function withReadable(repaired: Judgement, first: Judgement): Judgement {
  if (repaired.status === "read" || first.status === "read") return repaired;
  const [late, early] = [repaired.readable, first.readable];
  if (late === undefined || early === undefined)
    return { ...repaired, ...(early === undefined ? {} : { readable: early }) };
  return {
    ...repaired,
    readable: {
      fields: { ...early.fields, ...late.fields },
      traits: { ...early.traits, ...late.traits },
      refused: late.refused ?? early.refused,
    },
  };
}

async function callJudge(
  judge: JudgeModel,
  { request, reply, signal }: CallInput,
  repaired: boolean,
): Promise<readonly [JudgeCall, Judgement]> {
  const { instructions, messages, schema } = request;
  const answer = await judge({ instructions, messages, schema }, signal === undefined ? {} : { signal });
  const judgement = readJudgement(request, { reply }, answer);
  const error = judgement.status === "unreadable" ? { error: judgement.error } : {};
  return [{ request, answer, ...error, repaired }, judgement];
}

/** One call of the judge: what was sent, and what came back. */
export interface JudgeCall {
  readonly request: JudgeRequest;
  readonly answer: JudgeAnswer;
  /** Why the answer could not be read. */
  readonly error?: string;
  /** True if the call asked to repair the answer of the one before. */
  readonly repaired: boolean;
}

/** What a judge said about a turn, from all calls that it took. */
export interface TurnJudgement {
  /** Unreadable if a part of the answer to any request was, also after its repair; what could be read is kept. */
  readonly status: "read" | "unreadable";
  /** The names that could not be read of an answer that could be read in part. */
  readonly unread?: { readonly fields: readonly string[]; readonly traits: readonly string[] };
  /** A value per judged field; null if the reply does not state it or the answer could not be read. */
  readonly parsed: Readonly<Record<string, unknown>>;
  /** The passages of the reply that state fields with `evidence`. */
  readonly quotes: Readonly<Record<string, string>>;
  /** Why fields are null for another reason than that the reply does not state them. */
  readonly notes: Readonly<Record<string, string>>;
  /** What the judge answered to each trait; `traitValue` turns it into the value for routing and outcomes. */
  readonly rubric: Readonly<Record<string, TraitAnswer>>;
  /** Null if the judge could not tell, or was not asked. */
  readonly refused: boolean | null;
  /** How alike the meanings of fields and their truths are, as an embedding model says. */
  readonly similarities?: Readonly<Record<string, number>>;
  readonly calls: readonly JudgeCall[];
  /** Over all calls, repairs included; null if a provider did not report it. */
  readonly usage: JudgeUsage | null;
}

/** The result of one request of a turn, without its calls. */
export type JudgementPart = Omit<TurnJudgement, "calls" | "usage">;

/** Joins the results of the requests of a turn. */
export function joinParts(parts: readonly JudgementPart[]): JudgementPart {
  const [first] = parts;
  if (first === undefined) return NOTHING_JUDGED;
  if (parts.length === 1) return first;
  return {
    status: parts.every(({ status }) => status === "read") ? "read" : "unreadable",
    parsed: Object.assign({}, ...parts.map(({ parsed }) => parsed)),
    quotes: Object.assign({}, ...parts.map(({ quotes }) => quotes)),
    notes: Object.assign({}, ...parts.map(({ notes }) => notes)),
    rubric: Object.assign({}, ...parts.map(({ rubric }) => rubric)),
    // Only one request asks for it.
    refused: parts.find(({ refused }) => refused !== null)?.refused ?? null,
    ...(parts.some(({ similarities }) => similarities !== undefined)
      ? { similarities: Object.assign({}, ...parts.map(({ similarities }) => similarities)) }
      : {}),
  };
}

/** The result where nothing was asked of a judge. */
export const NOTHING_JUDGED: JudgementPart = freezeDeep({
  status: "read",
  parsed: {},
  quotes: {},
  notes: {},
  rubric: {},
  refused: null,
});

/** The result of a request for which no judge could be called. */
export function unansweredPart({ fields, traits }: JudgeTask, reason: string): JudgementPart {
  return {
    status: "unreadable",
    parsed: Object.fromEntries(fields.map(({ name }) => [name, null])),
    quotes: {},
    notes: Object.fromEntries(fields.map(({ name }) => [name, reason])),
    rubric: Object.fromEntries(traits.map(({ name }) => [name, null])),
    refused: null,
  };
}

/** A request, its judgement and its calls. */
interface JudgedRequest {
  readonly request: JudgeRequest;
  readonly judgement: Judgement;
  readonly calls: readonly JudgeCall[];
}

/** Joins the judgements of the requests of a turn. */
export function joinJudgements(parts: readonly JudgedRequest[]): TurnJudgement {
  const calls = parts.flatMap((part) => part.calls);
  return { ...joinParts(parts.map(partOf)), calls, usage: totalUsage(calls) };
}

function partOf({ request, judgement }: JudgedRequest): JudgementPart {
  const { task } = request;
  // Undefined if nothing of the answer could be read.
  const read = judgement.status === "read" ? judgement : judgement.readable;
  const fields = task.fields.map(({ name }) => [name, ownValue(read?.fields ?? {}, name)] as const);
  const traits = task.traits.map(({ name }) => [name, ownValue(read?.traits ?? {}, name)] as const);
  const judged = fields.map(([name, field = UNREAD]) => [name, field as JudgedField] as const);
  const missing = (parts: readonly (readonly [string, unknown])[]): readonly string[] =>
    parts.flatMap(([name, part]) => (part === undefined ? [name] : []));
  const isPart = judgement.status === "unreadable" && read !== undefined;
  return {
    status: judgement.status,
    parsed: Object.fromEntries(judged.map(([name, { value }]) => [name, value])),
    quotes: Object.fromEntries(
      judged.flatMap(([name, { quote }]) => (quote === undefined ? [] : [[name, quote]])),
    ),
    notes: Object.fromEntries(
      judged.flatMap(([name, { reason }]) => (reason === undefined ? [] : [[name, reason]])),
    ),
    // Answers to traits, as they were read.
    rubric: Object.fromEntries(traits.map(([name, answer = null]) => [name, answer as TraitAnswer])),
    refused: task.refusal ? (read?.refused ?? null) : null,
    ...(isPart ? { unread: { fields: missing(fields), traits: missing(traits) } } : {}),
  };
}

const UNREAD: JudgedField = Object.freeze({
  value: null,
  reason: "the answer of the judge could not be read",
});

/** The tokens of all calls; null if one of the calls did not report them. */
export function totalUsage(calls: readonly JudgeCall[]): JudgeUsage | null {
  let inputTokens = 0;
  let outputTokens = 0;
  for (const { answer } of calls) {
    if (answer.usage === undefined) return null;
    inputTokens += answer.usage.inputTokens;
    outputTokens += answer.usage.outputTokens;
  }
  return { inputTokens, outputTokens };
}
