import type { Truth } from "../../../core/logic/kleene.ts";
import type { Template } from "../../../core/templates/template.ts";
import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { UnknownRecord } from "../../../core/values/json.ts";
import type { ReplyConclusion, ReplyToConclude } from "../judge/assess-reply.ts";
import type { TraitResult } from "./trait-value.ts";
import { type Verification, verifyParsed } from "./verify-parsed.ts";

/** Labels of a reply, made elsewhere: they replace rules and judges. */
export interface TurnLabels {
  readonly parsed?: UnknownRecord;
  /** The verdict; without it, code verifies what was parsed. */
  readonly verifyResult?: Truth;
  readonly rubric?: UnknownRecord;
  readonly refused?: Truth;
}

/** The conclusion about a labelled reply. A verdict is taken as it is; without one, the template verifies. */
export function concludeLabels(input: ReplyToConclude, labels: TurnLabels): ReplyConclusion {
  const { template } = input.question;
  const { refused = null } = labels;
  const parsed = labels.parsed ?? unread(template, labels.verifyResult);
  const traits = Object.fromEntries(
    Object.entries(labels.rubric ?? {}).map(([name, value]) => [
      name,
      { value: value as TraitResult["value"] },
    ]),
  );
  return freezeDeep({
    ...verified(input, labels, parsed),
    parsed,
    traits,
    rubric: (labels.rubric ?? {}) as ReplyConclusion["rubric"],
    refused,
    notes: {},
    status: "read",
  });
}

/** A verdict of null means that the reply could not be read: then none of its fields could. */
function unread(template: Template | undefined, verdict: Truth | undefined): UnknownRecord {
  if (verdict !== null) return {};
  return Object.fromEntries(Object.keys(template?.fields ?? {}).map((name) => [name, null]));
}

function verified(
  { question, reply, state, turn }: ReplyToConclude,
  { parsed: given, verifyResult, refused = null }: TurnLabels,
  parsed: UnknownRecord,
): Pick<ReplyConclusion, "verifyResult" | "score" | "fields" | "notVerified"> {
  const { template } = question;
  const found: Verification | undefined =
    template === undefined || (given === undefined && verifyResult !== null)
      ? undefined
      : verifyParsed(template, parsed, { reply, refused, turn, ...(state === undefined ? {} : { state }) });
  if (verifyResult === undefined) {
    const { fields = {}, score = null, notVerified } = found ?? {};
    const verdict = found?.verifyResult ?? null;
    if (notVerified === true) return { verifyResult: null, score: null, fields, notVerified };
    return refused === true && template !== undefined
      ? { verifyResult: false, score: 0, fields }
      : { verifyResult: verdict, score, fields };
  }
  const isSame = found !== undefined && found.verifyResult === verifyResult;
  const score = isSame ? found.score : verifyResult === null ? null : Number(verifyResult);
  if (verifyResult === null && found?.notVerified === true)
    return { verifyResult, score: null, fields: found.fields, notVerified: true };
  return { verifyResult, score, fields: found?.fields ?? {} };
}
