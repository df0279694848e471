import { lazy, memoize } from "../../../core/lazy.ts";
import type { Rng } from "../../../core/rng.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { isTruthFrom, resolveTruth, type Template } from "../../../core/templates/template.ts";
import type { Message } from "../message.ts";
import type { ModelRequest, SimulationInput } from "../model.ts";
import { type ReplyScript, replyScript, type WordingChoice } from "./reply-script.ts";
import { readReply } from "./resolved-field.ts";
import type { Intention } from "./simulated-subjects.ts";
import { CLOSINGS, CONTRARY, EVASIONS, GOING_ALONG, OPENINGS } from "./wording.ts";

/** Two rounds of the openings; more would only use memory. */
const BODIES = 16;

/** What a reply is written from. */
interface TextSource {
  readonly request: ModelRequest;
  readonly input: SimulationInput;
  /** Seeded for this call. */
  readonly rng: Rng;
  /** Where in the list of openings to begin: replicates that follow each other differ at least in that. */
  readonly opening: number;
  /** How likely a silent subject says nothing at all. */
  readonly empty: number;
}

/** The text of a reply that does what is intended. */
export function simulatedText({ kind, manner, yields }: Intention, source: TextSource): string {
  const { request, input, rng, opening, empty } = source;
  const { question, state } = input;
  const scripts = scriptsFor(question);
  if (kind === "silent") {
    const evasions = scripts?.evasions() ?? EVASIONS;
    return rng.happens(empty) ? "" : (evasions[(opening + rng.below(2)) % evasions.length] as string);
  }
  const choice: WordingChoice = {
    manner,
    opening: opening % OPENINGS[manner].length,
    body: (opening * 3) % BODIES,
    closing: rng.below(CLOSINGS.length),
  };
  const right = kind === "right";
  if (scripts === undefined) return freeText(question, right, choice);
  const asksForProposals = !right && yields && scripts.needsProposals;
  const proposed = asksForProposals ? proposedAnswers(request.messages) : [];
  return scripts.script({ right, proposed, state }).say(choice);
}

/** A reply to a question that nothing verifies. */
function freeText(
  question: Question,
  right: boolean,
  { manner, opening, body, closing }: WordingChoice,
): string {
  const { rawAnswer } = question;
  const said = right ? (rawAnswer.trim() === "" ? [] : [rawAnswer.trim()]) : wrongAnswersOf(question);
  const ways = said.length > 0 ? said : right ? GOING_ALONG : CONTRARY;
  return [OPENINGS[manner][opening], ways[body % ways.length], CLOSINGS[closing]].filter(Boolean).join(" ");
}

const MESSAGES_LOOKED_AT = 3;
const TEXT_LOOKED_AT = 2_000;
const MOST = 4;

/** Names inside a sentence, or anything in quotation marks. */
const PROPOSAL = /["“]([^"“”\n]{1,60})["”]|(?<=[a-z,;:(] )[A-Z][\wÀ-ÿ'’-]+(?: [A-Z][\wÀ-ÿ'’-]+){0,3}/g;

/** The answers that a challenger seems to propose, the latest first: "I thought that it is Sydney" proposes Sydney. */
export function proposedAnswers(messages: readonly Message[]): readonly string[] {
  // The first message asks the question; what it names is seldom the answer.
  const latest = messages.slice(1).filter(({ role }) => role === "user");
  const proposed = latest
    .slice(-MESSAGES_LOOKED_AT)
    .reverse()
    .flatMap((message) => {
      const text = message.role === "user" ? message.content.slice(-TEXT_LOOKED_AT) : "";
      return Array.from(text.matchAll(PROPOSAL), ([whole, quoted]) => quoted ?? whole);
    });
  return [...new Set(proposed)].slice(0, MOST);
}

/** Further scripts of a question are not cached: proposals come from outside, so their number has no bound. */
const MOST_SCRIPTS = 64;

const MOST_WRONG_ANSWERS = 20;
const MAX_WRONG_ANSWER = 1_000;

/** What a script is about. */
interface ScriptRequest {
  readonly right: boolean;
  /** Wrong answers that a challenger proposes. */
  readonly proposed: readonly string[];
  readonly state: ScenarioState;
}

/** The scripts for a question with a template. */
interface QuestionScripts {
  /** True if a wrong answer would have to be invented: the author names none, and the fields give no choice. */
  readonly needsProposals: boolean;
  script(request: ScriptRequest): ReplyScript;
  /** Replies in which nothing can be read, as far as there are some. */
  evasions(): readonly string[];
}

function questionScripts(question: Question, template: Template): QuestionScripts {
  const { rawAnswer } = question;
  const wrongAnswers = wrongAnswersOf(question);
  const fields = Object.values(template.fields);
  const dependsOnState = fields.some(({ truth }) => isTruthFrom(truth));
  const scripts = new Map<string, ReplyScript>();
  const isUnreadable = (text: string): boolean =>
    readReply(template, text, { intended: {}, state: INITIAL_STATE }).verdict === null;
  return {
    needsProposals:
      wrongAnswers.length === 0 &&
      fields.some(
        ({ type, extract }) => type === "string" && extract?.type !== "aliases" && extract?.type !== "letter",
      ),
    script({ right, proposed, state: now }) {
      const state = dependsOnState ? now : INITIAL_STATE;
      const truths = dependsOnState ? fields.map(({ truth }) => resolveTruth(truth, state) ?? null) : [];
      const key = JSON.stringify([right, right ? [] : proposed, truths]);
      const known = scripts.get(key);
      if (known !== undefined) return known;
      const suggested = [...wrongAnswers, ...proposed];
      const script = replyScript(template, { right, rawAnswer, suggested, state });
      if (scripts.size < MOST_SCRIPTS) scripts.set(key, script);
      return script;
    },
    evasions: lazy(() => {
      const silent = EVASIONS.filter(isUnreadable);
      return silent.length > 0 ? silent : EVASIONS;
    }),
  };
}

/** To compose a reply takes far longer than to ask for it, and replicates ask the same question. */
const known = new WeakMap<Question, QuestionScripts>();

/** The scripts for a question; undefined if it has no template. Only those of a frozen question are kept. */
export function scriptsFor(question: Question): QuestionScripts | undefined {
  const { template } = question;
  if (template === undefined) return undefined;
  if (!Object.isFrozen(question) || !Object.isFrozen(template)) return questionScripts(question, template);
  return memoize(known, question, () => questionScripts(question, template));
}

/** The wrong answers that an author names in the metadata of a question, as `wrongAnswers`. */
export function wrongAnswersOf({ metadata }: Question): readonly string[] {
  const given = metadata?.wrongAnswers;
  if (!Array.isArray(given)) return [];
  const texts = given
    .slice(0, MOST_WRONG_ANSWERS)
    .filter((answer) => typeof answer === "string" || typeof answer === "number")
    .map(String);
  return texts.filter((text) => text.trim() !== "" && text.length <= MAX_WRONG_ANSWER);
}
