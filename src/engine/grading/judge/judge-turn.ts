import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import { ownValue } from "../../../core/values/json.ts";
import type { RawAnswer } from "./find-answer.ts";
import { type JudgeRequest, repairRequest } from "./judge-request.ts";
import type { JudgeTask } from "./judge-task.ts";
import { type JudgedField, type ReadAnswer, readJudgement } from "./read-judgement.ts";
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

/** One call of the judge: what was sent, and what came back. */
export interface JudgeCall {
  readonly request: JudgeRequest;
  readonly answer: JudgeAnswer;
  /** Why the answer could not be read. */
  readonly error?: string;
}

/** What a judge answered to a request about a turn. */
export interface JudgementPart {
  /** Unreadable if a part of the answer was, also after its repair; what could be read is kept. */
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
}

/**
 * Sends one request of a turn to a judge, with one attempt to repair an answer that cannot be read. An error that the model throws
 * is no judgement and is passed on.
 */
export async function judgePart(
  judge: JudgeModel,
  request: JudgeRequest,
  { reply, signal }: { readonly reply: string; readonly signal?: AbortSignal },
): Promise<{ readonly judgement: JudgementPart; readonly calls: readonly JudgeCall[] }> {
  const call = async (request: JudgeRequest): Promise<JudgeCall & { readonly read: ReadAnswer }> => {
    const { instructions, messages, schema } = request;
    const answer = await judge({ instructions, messages, schema }, signal === undefined ? {} : { signal });
    const read = readJudgement(request, { reply }, answer);
    return { request, answer, ...(read.error === undefined ? {} : { error: read.error }), read };
  };
  const { read, ...first } = await call(request);
  if (read.error === undefined) return { judgement: partOf(request.task, read), calls: [first] };
  const { read: repaired, ...second } = await call(repairRequest(request, first.answer, read.error));
  // What could be read of two bad answers counts; of what both have, the later.
  const joined: ReadAnswer = {
    ...repaired,
    fields: { ...read.fields, ...repaired.fields },
    traits: { ...read.traits, ...repaired.traits },
    refused: repaired.refused ?? read.refused,
  };
  const judgement = partOf(request.task, repaired.error === undefined ? repaired : joined);
  return { judgement, calls: [first, second] };
}

function partOf(task: JudgeTask, { fields, traits, refused, error }: ReadAnswer): JudgementPart {
  const read = task.fields.map(({ name }) => [name, ownValue(fields, name)] as const);
  const answers = task.traits.map(({ name }) => [name, ownValue(traits, name)] as const);
  const judged = read.map(([name, field = UNREAD]) => [name, field as JudgedField] as const);
  const missing = (parts: readonly (readonly [string, unknown])[]): readonly string[] =>
    parts.flatMap(([name, part]) => (part === undefined ? [name] : []));
  const unread = { fields: missing(read), traits: missing(answers) };
  const isReadInPart =
    unread.fields.length + unread.traits.length < read.length + answers.length || refused !== null;
  return {
    status: error === undefined ? "read" : "unreadable",
    parsed: Object.fromEntries(judged.map(([name, { value }]) => [name, value])),
    quotes: Object.fromEntries(
      judged.flatMap(([name, { quote }]) => (quote === undefined ? [] : [[name, quote]])),
    ),
    notes: Object.fromEntries(
      judged.flatMap(([name, { reason }]) => (reason === undefined ? [] : [[name, reason]])),
    ),
    // Answers to traits, as they were read.
    rubric: Object.fromEntries(answers.map(([name, answer = null]) => [name, answer as TraitAnswer])),
    refused: task.refusal ? refused : null,
    ...(error !== undefined && isReadInPart ? { unread } : {}),
  };
}

const UNREAD: JudgedField = Object.freeze({
  value: null,
  reason: "the answer of the judge could not be read",
});

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
