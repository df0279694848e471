import type { JudgeAsks } from "./asked.ts";
import type { JudgeAnswer, JudgeUsage } from "./judge-model.ts";
import type { JudgeRequest } from "./judge-request.ts";
import type { JudgedField, Judgement } from "./read-judgement.ts";
import type { TraitAnswer } from "./read-trait.ts";

/** One call of the judge, as it was. */
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
  /** Unreadable if the answer to any request was, also after its repair; what the others gave is kept. */
  readonly status: "read" | "unreadable";
  /** A value per judged field; null if the reply does not state it or the answer could not be read. */
  readonly parsed: Readonly<Record<string, unknown>>;
  /** The passages of the reply that state fields with `evidence`. */
  readonly quotes: Readonly<Record<string, string>>;
  /** Why fields are null, where it is not the reply that leaves them open. */
  readonly notes: Readonly<Record<string, string>>;
  /** What the judge answered to each trait; `traitValue` makes of it what routing and outcomes see. */
  readonly rubric: Readonly<Record<string, TraitAnswer>>;
  /** Null if it could not be told, or was not asked. */
  readonly refused: boolean | null;
  readonly calls: readonly JudgeCall[];
  /** Over all calls, repairs included; null if a provider did not say. */
  readonly usage: JudgeUsage | null;
}

/** What one request of a turn gave, as far as code looks at it. */
export type JudgementPart = Omit<TurnJudgement, "calls" | "usage">;

/** Joins what the requests of a turn gave. */
export function joinParts(parts: readonly JudgementPart[]): JudgementPart {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  return {
    status: parts.every(({ status }) => status === "read") ? "read" : "unreadable",
    parsed: Object.assign({}, ...parts.map(({ parsed }) => parsed)),
    quotes: Object.assign({}, ...parts.map(({ quotes }) => quotes)),
    notes: Object.assign({}, ...parts.map(({ notes }) => notes)),
    rubric: Object.assign({}, ...parts.map(({ rubric }) => rubric)),
    // Only one request asks for it.
    refused: parts.find(({ refused }) => refused !== null)?.refused ?? null,
  };
}

/** Stands for the answers to a request that no judge could be asked. */
export function unansweredPart(asks: JudgeAsks, reason: string): JudgementPart {
  return {
    status: "unreadable",
    parsed: Object.fromEntries(asks.fields.map((name) => [name, null])),
    quotes: {},
    notes: Object.fromEntries(asks.fields.map((name) => [name, reason])),
    rubric: Object.fromEntries(asks.traits.map((name) => [name, null])),
    refused: null,
  };
}

/** What came of one request. */
export interface JudgedRequest {
  readonly request: JudgeRequest;
  readonly judgement: Judgement;
  readonly calls: readonly JudgeCall[];
}

/** Joins what came of the requests of a turn. */
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
    // Unlike assignment, this makes a key of any name.
    parsed: Object.fromEntries(parsed),
    quotes: Object.fromEntries(quotes),
    notes: Object.fromEntries(notes),
    rubric: Object.fromEntries(judgedTraits(part)),
    refused: request.asks.refusal && judgement.status === "read" ? judgement.refused : null,
  };
}

const UNREAD: JudgedField = Object.freeze({
  value: null,
  reason: "the answer of the judge could not be read",
});

function judgedFields({ request, judgement }: JudgedRequest): readonly (readonly [string, JudgedField])[] {
  if (judgement.status === "read") return Object.entries(judgement.fields);
  return request.asks.fields.map((name) => [name, UNREAD]);
}

function judgedTraits({ request, judgement }: JudgedRequest): readonly (readonly [string, TraitAnswer])[] {
  if (judgement.status === "read") return Object.entries(judgement.traits);
  return request.asks.traits.map((name) => [name, null]);
}

/** The tokens of all calls; what one of them did not tell cannot be part of a sum. */
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
