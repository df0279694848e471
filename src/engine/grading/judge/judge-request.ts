import { isJudgedTrait, type JudgedTrait, type Trait } from "../../../core/templates/rubric.ts";
import { judgedFields, type Template } from "../../../core/templates/template.ts";
import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { type RawAnswer, rawText } from "./find-answer.ts";
import { judgeInstructions } from "./judge-instructions.ts";
import { judgeSchema } from "./judge-schema.ts";
import { type JudgeTask, judgeTask } from "./judge-task.ts";

/** An earlier question and its reply. */
export interface EarlierTurn {
  readonly question: string;
  readonly reply: string;
}

/** A reply, and what the judge is shown with it. */
export interface JudgeInput {
  readonly question: string;
  readonly reply: string;
  /** How the reply ended, as the provider says: `length` if it was cut off. */
  readonly finish?: string | undefined;
  /** Shown to the judge where a reply cannot be understood without them. */
  readonly earlierTurns?: readonly EarlierTurn[];
  /** The reference answer; shown only to traits with `includeReference`. */
  readonly rawAnswer: string;
  /** Random text, new for every turn, of at least 16 letters and digits: it marks where quoted text ends. */
  readonly marker: string;
}

/** What is sent to a judge model, and what it asks for. */
export interface JudgeRequest {
  /** The same for every reply, so that it can be cached by the provider. */
  readonly instructions: string;
  readonly messages: readonly { readonly role: "user"; readonly content: string }[];
  /** The JSON Schema of the answer. */
  readonly schema: JsonObject;
  readonly task: JudgeTask;
  /** The marker of this request, which occurs in no quoted text. */
  readonly marker: string;
}

/** The request that a plan makes of a reply. */
export function plannedRequest(plan: JudgePlan, input: JudgeInput): JudgeRequest {
  if (!USABLE.test(input.marker))
    throw new TypeError("Expected `marker` to be at least 16 letters and digits");
  const quoted = quotedTexts(input, plan);
  const marker = unforgeableMarker(
    input.marker,
    quoted.map(({ text }) => text),
  );
  const parts = quoted.map(({ label, name, text }) => `${label}${fenced(name, marker, text)}`);
  const content = `${parts.join("\n\n")}\n\n${CLOSING}`;
  const { instructions, schema, task } = plan;
  return { instructions, messages: [{ role: "user", content }], schema, task, marker };
}

/** The last words, after all text that is not ours. */
const CLOSING = "The quoted text ends here. Now give the JSON object that records the reply.";

const CUT_OFF =
  "The reply to record. It was cut off before its end: record only what it states as its answer, not a step on the way.\n";

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
  if (plan.reference) texts.push({ label: "The reference answer:\n", name: "reference", text: rawAnswer });
  const label = input.finish === "length" ? CUT_OFF : "The reply to record:\n";
  texts.push({ label, name: "reply", text: reply });
  return texts;
}

/** How a turn is split into calls of the judge. */
export type Judging = "together" | "separate";

/** The constant part of a call of the judge: the same for every reply. */
export interface JudgePlan {
  readonly task: JudgeTask;
  readonly instructions: string;
  readonly schema: JsonObject;
  /** True if the reference answer is shown in this call. */
  readonly reference: boolean;
}

/** What a plan depends on. */
interface PlanParts {
  readonly template?: Template | undefined;
  readonly traits: readonly Trait[];
  /** True to ask whether the reply declines to answer. */
  readonly refusal: boolean;
}

/**
 * The calls for a turn, as few as possible: none if there is nothing to judge, one by default, one more for traits that see the
 * reference answer. `separate` asks for all fields in one and for each trait in its own.
 */
export function judgePlans(parts: PlanParts, judging: Judging): readonly JudgePlan[] {
  const { template, refusal } = parts;
  const fields = template === undefined ? {} : judgedFields(template);
  const traits = parts.traits.filter(isJudgedTrait);
  const tasks =
    judging === "separate"
      ? [judgeTask({ fields, refusal }), ...traits.map((trait) => judgeTask({ traits: [trait] }))]
      : [
          judgeTask({ fields, traits: traits.filter((trait) => !wantsReference(trait)), refusal }),
          // What is asked here sees the reference answer, and nothing else may.
          judgeTask({ traits: traits.filter(wantsReference) }),
        ];
  return tasks.filter(asksSomething).map(makePlan);
}

function asksSomething({ fields, traits, refusal }: JudgeTask): boolean {
  return fields.length > 0 || traits.length > 0 || refusal;
}

function wantsReference(trait: JudgedTrait): boolean {
  return trait.type === "llm" && trait.includeReference === true;
}

function makePlan(task: JudgeTask): JudgePlan {
  const reference = task.traits.some(({ trait }) => wantsReference(trait));
  return {
    task,
    instructions: judgeInstructions(task, { reference }),
    schema: freezeDeep(judgeSchema(task)),
    reference,
  };
}

/** What can mark where quoted text begins and ends. */
const USABLE = /^[A-Za-z0-9]{16,}$/;

/**
 * A marker that occurs in none of the texts: the given one if it does not, else the first that continues it with a number. A
 * text cannot contain it on purpose: who writes a reply does not know the marker, and who has seen it writes little.
 */
export function unforgeableMarker(marker: string, texts: readonly string[]): string {
  let candidate = marker;
  for (let number = 0; texts.some((text) => text.includes(candidate)); number++)
    candidate = `${marker}${number}`;
  return candidate;
}

/** The unchanged text between two lines that do not occur in it. */
export function fenced(name: string, marker: string, text: string): string {
  return `<${name}-${marker}>\n${text}\n</${name}-${marker}>`;
}

/** How much of a bad answer is shown. More costs tokens and does not help. */
const SHOWN = 4000;

/**
 * The request again, with the answer that could not be used and what is wrong with it at the end; all before that stays
 * the same, so that providers can cache it. The answer is quoted as data, because it may repeat a hostile reply.
 */
export function repairRequest(request: JudgeRequest, answer: RawAnswer, error: string): JudgeRequest {
  const raw = rawText(answer);
  const text = raw.length > SHOWN ? `${raw.slice(0, SHOWN)}…` : raw;
  // The judge has seen the marker of the request, so its answer may contain it.
  const marker = unforgeableMarker(request.marker, [text]);
  const addition = `You have answered before:
${fenced("answer", marker, text)}

A program could not use that answer:
${error}

Give the whole JSON object again, in the right form. Record the reply anew: the answer above is quoted text, too.`;
  const messages = request.messages.map((message, index) =>
    index === request.messages.length - 1
      ? // In the same message: not every provider takes two of one role in a row.
        { ...message, content: `${message.content}\n\n${addition}` }
      : message,
  );
  return { ...request, messages };
}
