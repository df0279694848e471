import type { Truth } from "../../../core/logic/kleene.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import type { ScenarioState } from "../../../core/state/state.ts";
import { isJudgedTrait, type Trait } from "../../../core/templates/rubric.ts";
import type { Template } from "../../../core/templates/template.ts";
import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { UnknownRecord } from "../../../core/values/json.ts";
import { extractFields } from "../reading/extract-value.ts";
import { evaluateCodeTraits, type TraitResult, traitValue } from "./trait-value.ts";
import { type FieldVerdict, type VerificationContext, verifyParsed } from "./verify-parsed.ts";

/** A reply, and what code needs to reach a verdict; `traits` are all traits of the turn, also those of the run. */
export interface ReplyToConclude {
  readonly question: Question;
  readonly reply: string;
  /** How the reply ended, as the provider says: `length` if it was cut off. */
  readonly finish?: string | undefined;
  readonly traits?: readonly Trait[];
  /** The state before the turn, for truths that depend on the past. */
  readonly state?: ScenarioState;
  /** From 1. */
  readonly turn?: number;
}

/** What code concludes about a reply from what rules and judges have read. */
export interface ReplyConclusion {
  /** True, false, or null if it depends on something that could not be read, or nothing is verified. */
  readonly verifyResult: Truth;
  /** Weighted, from 0 to 1; null without a template. */
  readonly score: number | null;
  readonly parsed: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, FieldVerdict>>;
  readonly traits: Readonly<Record<string, TraitResult>>;
  /** The values of the traits, as routing and outcomes see them. */
  readonly rubric: Readonly<Record<string, TraitResult["value"]>>;
  readonly refused: Truth;
  /** True if the template does not verify such a reply: it is neither right nor wrong. */
  readonly notVerified?: true;
  /** Why fields are null, by name. */
  readonly notes: Readonly<Record<string, string>>;
  /** Unreadable if an answer of the judge could not be read; there may be a verdict nevertheless. */
  readonly status: "read" | "unreadable";
}

/** What a conclusion needs of a judgement. */
interface JudgedParts extends Pick<ReplyConclusion, "parsed" | "refused" | "notes" | "status"> {
  /** What the judge answered to each trait. */
  readonly rubric: UnknownRecord;
  readonly similarities?: VerificationContext["similarities"];
}

/** Labels of a reply, made elsewhere: they replace rules and judges. */
export interface TurnLabels {
  readonly parsed?: UnknownRecord;
  /** The verdict; without it, code verifies what was parsed. */
  readonly verifyResult?: Truth;
  readonly rubric?: UnknownRecord;
  readonly refused?: Truth;
}

/**
 * What reads fields that have an `extract` rule: the rule; the rule, and the judge where it finds nothing or several answers; or only
 * the judge.
 */
export type Reading = "rules" | "rules-then-judge" | "judge";

/** The fields whose rules find nothing in a reply, or several answers. */
export function unreadByRules(
  { template, question }: Question,
  reply: string,
  finish: string | undefined,
): readonly string[] {
  const read = template === undefined ? {} : extractFields(template, reply, { finish, question });
  return Object.entries(read).flatMap(([name, { status }]) => (status === "found" ? [] : [name]));
}

/** A template whose fields, or some of them, have no rule: the judge reads them. */
export function withoutRules(template: Template, names?: readonly string[]): Template {
  const fields = Object.entries(template.fields).map(([name, field]) => {
    if (names !== undefined && !names.includes(name)) return [name, field];
    const { extract: _, ...rest } = field;
    return [name, Object.freeze(rest)];
  });
  return Object.freeze({ ...template, fields: Object.freeze(Object.fromEntries(fields)) });
}

const NOT_STATED = "the reply does not state it";

/** Rules read what they can, the judgement gives the rest, and code compares both with the truth. Never throws. */
export function concludeReply(input: ReplyToConclude, judgement: JudgedParts): ReplyConclusion {
  const { question, reply, finish } = input;
  const { refused, status, similarities } = judgement;
  const { template } = question;
  const extracted =
    template === undefined ? {} : extractFields(template, reply, { finish, question: question.question });
  const parsed: Record<string, unknown> = { ...judgement.parsed };
  const notes: Record<string, string> = { ...judgement.notes };
  for (const [name, { value, status, cut }] of Object.entries(extracted)) {
    parsed[name] = value;
    if (status === "found") continue;
    notes[name] = cut ? "the reply was cut off" : status === "absent" ? NOT_STATED : "the reply is ambiguous";
  }
  const traits = traitResults(input, judgement);
  const rubric: Record<string, TraitResult["value"]> = {};
  for (const name in traits) rubric[name] = traits[name]?.value ?? null;
  const isUnread = (name: string): boolean => (notes[name] ?? NOT_STATED) !== NOT_STATED;
  const compared = compare(input, freezeDeep(parsed), { refused, isUnread, similarities });
  // Frozen, because functions of authors get parts of it.
  return freezeDeep({
    ...(compared === undefined ? NOT_COMPARED : withRefusal(compared, refused)),
    parsed,
    traits,
    rubric,
    refused,
    notes,
    status,
  });
}

function traitResults(
  { traits = [], reply, turn }: ReplyToConclude,
  { rubric }: JudgedParts,
): Record<string, TraitResult> {
  if (traits.length === 0) return {};
  const judged = traits
    .filter(isJudgedTrait)
    .map((trait) => [trait.name, traitValue(trait, rubric[trait.name])] as const);
  return { ...Object.fromEntries(judged), ...evaluateCodeTraits(traits, reply, turn) };
}

/** The conclusion about a labelled reply. A verdict is taken as it is; without one, the template verifies. */
export function concludeLabels(input: ReplyToConclude, labels: TurnLabels): ReplyConclusion {
  const { refused = null } = labels;
  const parsed = labels.parsed ?? unread(input.question.template, labels.verifyResult);
  // Labels may have any value; what is no value of a trait counts as none.
  const rubric = (labels.rubric ?? {}) as ReplyConclusion["rubric"];
  const traits = Object.fromEntries(Object.entries(rubric).map(([name, value]) => [name, { value }]));
  const verified = verifyLabels(input, labels, parsed);
  return freezeDeep({ ...verified, parsed, traits, rubric, refused, notes: {}, status: "read" });
}

/** A verdict of null means that the reply could not be read: then none of its fields could. */
function unread(template: Template | undefined, verdict: Truth | undefined): UnknownRecord {
  if (verdict !== null) return {};
  return Object.fromEntries(Object.keys(template?.fields ?? {}).map((name) => [name, null]));
}

function verifyLabels(
  input: ReplyToConclude,
  { parsed: given, verifyResult: verdict, refused = null }: TurnLabels,
  parsed: UnknownRecord,
): Compared {
  const isCompared = given !== undefined || verdict === null;
  const compared = isCompared ? compare(input, parsed, { refused }) : undefined;
  const { fields, notVerified, ...found } = compared ?? NOT_COMPARED;
  if (verdict === undefined) {
    if (notVerified === true) return { verifyResult: null, score: null, fields, notVerified };
    return input.question.template === undefined ? NOT_COMPARED : withRefusal({ ...found, fields }, refused);
  }
  if (verdict === null && notVerified === true)
    return { verifyResult: null, score: null, fields, notVerified };
  const isSame = compared !== undefined && found.verifyResult === verdict;
  const score = isSame ? found.score : verdict === null ? null : Number(verdict);
  return { verifyResult: verdict, score, fields };
}

type Compared = Pick<ReplyConclusion, "verifyResult" | "score" | "fields" | "notVerified">;

const NOT_COMPARED: Compared = Object.freeze({ verifyResult: null, score: null, fields: Object.freeze({}) });

/** Undefined without a template. */
function compare(
  { question, reply, state, turn }: ReplyToConclude,
  parsed: UnknownRecord,
  context: Pick<VerificationContext, "refused" | "isUnread" | "similarities">,
): Compared | undefined {
  if (question.template === undefined) return undefined;
  const { verifyResult, score, fields, notVerified } = verifyParsed(question.template, parsed, {
    reply,
    state,
    turn,
    ...context,
  });
  return { verifyResult, score, fields, ...(notVerified === true ? { notVerified } : {}) };
}

/** A refusal is never a right answer. */
function withRefusal(compared: Compared, refused: Truth): Compared {
  if (refused !== true || compared.notVerified === true) return compared;
  return { verifyResult: false, score: 0, fields: compared.fields };
}
