import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { RawAnswer } from "./find-answer.ts";
import {
  type JudgeInput,
  type JudgeRequest,
  type Judging,
  judgeRequests,
  repairRequest,
} from "./judge-request.ts";
import type { JudgeTaskNames } from "./judge-task.ts";
import { type JudgedField, type Judgement, type ReadableParts, readJudgement } from "./read-judgement.ts";
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
    judgeRequests({ ...input, judging }).map((request) => judgeOne(judge, { request, input, signal })),
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
  input: JudgeInput,
  { part, judging = "together", signal }: JudgeTurnOptions & { readonly part: number },
): Promise<TurnJudgement> {
  const request = judgeRequests({ ...input, judging })[part];
  if (request === undefined) throw new TypeError(`Expected a turn with more than ${part} requests`);
  return joinJudgements([await judgeOne(judge, { request, input, signal })]);
}

interface CallInput {
  readonly request: JudgeRequest;
  readonly input: JudgeInput;
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
  { request, input, signal }: CallInput,
  repaired: boolean,
): Promise<readonly [JudgeCall, Judgement]> {
  const answer = await judge(request, signal === undefined ? {} : { signal });
  const judgement = readJudgement(request, input, answer);
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
export function unansweredPart(names: JudgeTaskNames, reason: string): JudgementPart {
  return {
    status: "unreadable",
    parsed: Object.fromEntries(names.fields.map((name) => [name, null])),
    quotes: {},
    notes: Object.fromEntries(names.fields.map((name) => [name, reason])),
    rubric: Object.fromEntries(names.traits.map((name) => [name, null])),
    refused: null,
  };
}

/** A request, its judgement and its calls. */
export interface JudgedRequest {
  readonly request: JudgeRequest;
  readonly judgement: Judgement;
  readonly calls: readonly JudgeCall[];
}

/** Joins the judgements of the requests of a turn. */
export function joinJudgements(parts: readonly JudgedRequest[]): TurnJudgement {
  const calls = parts.flatMap((part) => part.calls);
  return { ...joinParts(parts.map(partOf)), calls, usage: totalUsage(calls) };
}

function partOf(part: JudgedRequest): JudgementPart {
  const { request, judgement } = part;
  const parsed: [string, unknown][] = [];
  const quotes: [string, string][] = [];
  const notes: [string, string][] = [];
  for (const [name, { value, quote, reason }] of judgedFields(part)) {
    parsed.push([name, value]);
    if (quote !== undefined) quotes.push([name, quote]);
    if (reason !== undefined) notes.push([name, reason]);
  }
  return {
    status: judgement.status,
    // Unlike assignment, this works for any name, also `__proto__`.
    parsed: Object.fromEntries(parsed),
    quotes: Object.fromEntries(quotes),
    notes: Object.fromEntries(notes),
    rubric: Object.fromEntries(judgedTraits(part)),
    refused: request.task.refusal ? (readableOf(judgement)?.refused ?? null) : null,
    ...unreadNames(part),
  };
}

/** Undefined if nothing of the answer could be read. */
function readableOf(judgement: Judgement): ReadableParts | undefined {
  return judgement.status === "read" ? judgement : judgement.readable;
}

function unreadNames({ request, judgement }: JudgedRequest): Pick<JudgementPart, "unread"> {
  if (judgement.status === "read" || judgement.readable === undefined) return {};
  const { fields, traits } = judgement.readable;
  return {
    unread: {
      fields: request.task.fields.filter((name) => !Object.hasOwn(fields, name)),
      traits: request.task.traits.filter((name) => !Object.hasOwn(traits, name)),
    },
  };
}

const UNREAD: JudgedField = Object.freeze({
  value: null,
  reason: "the answer of the judge could not be read",
});

function judgedFields({ request, judgement }: JudgedRequest): readonly (readonly [string, JudgedField])[] {
  const fields = new Map(Object.entries(readableOf(judgement)?.fields ?? {}));
  return request.task.fields.map((name) => [name, fields.get(name) ?? UNREAD] as const);
}

function judgedTraits({ request, judgement }: JudgedRequest): readonly (readonly [string, TraitAnswer])[] {
  const traits = new Map(Object.entries(readableOf(judgement)?.traits ?? {}));
  return request.task.traits.map((name) => [name, traits.get(name) ?? null] as const);
}

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
