import type { Trait } from "../../core/templates/rubric.ts";
import type { Template } from "../../core/templates/template.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { JudgeAsks } from "./asked.ts";
import { fenced, isUsableMarker, unforgeableMarker } from "./fence.ts";
import { type JudgePlan, type Judging, judgePlans, NO_TEMPLATE, NO_TRAITS } from "./judge-plan.ts";

/** What was asked and answered before. */
export interface EarlierTurn {
  readonly question: string;
  readonly reply: string;
}

/** A reply and what is wanted of it. */
export interface JudgeInput {
  readonly question: string;
  readonly reply: string;
  /** Shown to the judge where a reply cannot be understood without them. */
  readonly earlierTurns?: readonly EarlierTurn[];
  readonly template?: Template;
  readonly traits?: readonly Trait[];
  /** True to ask whether the reply declines to answer. */
  readonly detectRefusal?: boolean;
  /** The reference answer; shown only to traits with `includeReference`. */
  readonly rawAnswer?: string;
  /** Random text, new for every turn, of at least 16 letters and digits: it marks where quoted text ends. */
  readonly marker: string;
}

/** What a judge model is sent, and what it was asked for. */
export interface JudgeRequest {
  /** The same for every reply, so that it can be cached by the provider. */
  readonly instructions: string;
  readonly messages: readonly { readonly role: "user"; readonly content: string }[];
  /** The JSON Schema of the answer. */
  readonly schema: JsonObject;
  readonly asks: JudgeAsks;
  /** The marker of this request, which occurs in no quoted text. */
  readonly marker: string;
}

/**
 * One request for all judged fields and traits of a reply. If a trait has `includeReference`, everything in the request is
 * judged in sight of the reference answer; `judgeRequests` splits it.
 */
export function judgeRequest(input: JudgeInput): JudgeRequest {
  // "At once" always gives one plan.
  return requestFor(input, plansFor(input, "at once")[0] as JudgePlan);
}

/**
 * As few requests as will do: none if there is nothing to judge, one by default, one more for traits that see the
 * reference answer. `separate` asks for all fields in one and for each trait in its own.
 */
export function judgeRequests(input: JudgeInput & { readonly judging?: Judging }): readonly JudgeRequest[] {
  return plansFor(input, input.judging ?? "together").map((plan) => requestFor(input, plan));
}

function plansFor(input: JudgeInput, judging: Judging | "at once"): readonly JudgePlan[] {
  if (!isUsableMarker(input.marker)) {
    throw new TypeError("Expected `marker` to be at least 16 letters and digits");
  }
  const parts = {
    template: input.template ?? NO_TEMPLATE,
    traits: input.traits ?? NO_TRAITS,
    refusal: input.detectRefusal ?? false,
    reference: input.rawAnswer !== undefined,
  };
  return judgePlans(parts, judging);
}

function requestFor(input: JudgeInput, plan: JudgePlan): JudgeRequest {
  const quoted = quotedTexts(input, plan);
  const marker = unforgeableMarker(
    input.marker,
    quoted.map(({ text }) => text),
  );
  const parts = quoted.map(({ label, name, text }) => `${label}${fenced(name, marker, text)}`);
  const content = `${parts.join("\n\n")}\n\n${CLOSING}`;
  const { instructions, schema, asks } = plan;
  return { instructions, messages: [{ role: "user", content }], schema, asks, marker };
}

/** Said last, after all that a stranger wrote. */
const CLOSING = "The quoted text ends here. Now give the JSON object that records the reply.";

interface QuotedText {
  readonly label: string;
  readonly name: string;
  readonly text: string;
}

/** All that is quoted, in the order of the conversation, so that the reply comes last. */
function quotedTexts(input: JudgeInput, plan: JudgePlan): readonly QuotedText[] {
  const { question, reply, earlierTurns = [], rawAnswer } = input;
  const texts: QuotedText[] = [];
  for (const [index, turn] of earlierTurns.entries()) {
    const label = index === 0 ? "Earlier turns of the conversation:\n" : "";
    texts.push({ label, name: `earlier-question-${index + 1}`, text: turn.question });
    texts.push({ label: "", name: `earlier-reply-${index + 1}`, text: turn.reply });
  }
  texts.push({ label: "The question:\n", name: "question", text: question });
  if (plan.reference && rawAnswer !== undefined)
    texts.push({ label: "The reference answer:\n", name: "reference", text: rawAnswer });
  texts.push({ label: "The reply to record:\n", name: "reply", text: reply });
  return texts;
}
