import type { Rng } from "../../../core/rng.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import type { Template } from "../../../core/templates/template.ts";
import { resolveTruth } from "../../../core/templates/template.ts";
import type { Message } from "../message.ts";
import type { ModelRequest, SimulationInput } from "../model.ts";
import { ReplyScript, type WordingChoice } from "./reply-script.ts";
import { dependsOnState, readReply } from "./resolved-field.ts";
import type { Intention } from "./simulated-subjects.ts";
import { CLOSINGS, CONTRARY, EVASIONS, GOING_ALONG, type Manner, OPENINGS } from "./wording.ts";

/** Two rounds of the openings; more would only use memory. */
const BODIES = 16;

/** What a reply is written from. */
export interface TextSource {
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
    const evasions = scripts?.evasions ?? EVASIONS;
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
  const wrong = wrongAnswersOf(question);
  const said = right ? [question.rawAnswer.trim()].filter((text) => text !== "") : wrong;
  const ways = said.length > 0 ? said : right ? GOING_ALONG : CONTRARY;
  const middle = ways[body % ways.length] as string;
  return [mannerOpening(manner, opening), middle, CLOSINGS[closing]].filter((text) => text !== "").join(" ");
}

function mannerOpening(manner: Manner, opening: number): string {
  return OPENINGS[manner][opening] ?? "";
}

const MESSAGES_LOOKED_AT = 3;
const TEXT_LOOKED_AT = 2_000;
const MOST = 4;

/** Names inside a sentence, or anything in quotation marks. */
const PROPOSAL = /["“]([^"“”\n]{1,60})["”]|(?<=[a-z,;:(] )[A-Z][\wÀ-ÿ'’-]+(?: [A-Z][\wÀ-ÿ'’-]+){0,3}/g;

/** The answers that a challenger seems to propose, the latest first: "I thought that it is Sydney" proposes Sydney. */
export function proposedAnswers(messages: readonly Message[]): readonly string[] {
  const proposed = new Set<string>();
  let looked = 0;
  // The first message asks the question; what it names is seldom the answer.
  for (let index = messages.length - 1; index > 0 && looked < MESSAGES_LOOKED_AT; index--) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    looked++;
    for (const match of message.content.slice(-TEXT_LOOKED_AT).matchAll(PROPOSAL)) {
      if (proposed.size >= MOST) break;
      proposed.add(match[1] ?? match[0]);
    }
  }
  return [...proposed];
}

/** Further scripts of a question are not cached: proposals come from outside, so their number has no bound. */
const MOST_SCRIPTS = 64;

const MOST_WRONG_ANSWERS = 20;
const MAX_WRONG_ANSWER = 1_000;

/** What a script is about. */
export interface ScriptRequest {
  readonly right: boolean;
  /** Wrong answers that a challenger proposes. */
  readonly proposed: readonly string[];
  readonly state: ScenarioState;
}

/** The scripts for a question with a template, each cached. */
export class QuestionScripts {
  readonly #question: Question;
  readonly #template: Template;
  readonly #dependsOnState: boolean;
  readonly #wrongAnswers: readonly string[];
  readonly #scripts = new Map<string, ReplyScript>();
  #evasions: readonly string[] | undefined;

  constructor(question: Question, template: Template) {
    this.#question = question;
    this.#template = template;
    this.#dependsOnState = dependsOnState(template);
    this.#wrongAnswers = wrongAnswersOf(question);
  }

  /** True if a wrong answer would have to be invented: the author names none, and the fields give no choice. */
  get needsProposals(): boolean {
    if (this.#wrongAnswers.length > 0) return false;
    return Object.values(this.#template.fields).some(
      ({ type, extract }) => type === "string" && extract?.type !== "aliases" && extract?.type !== "letter",
    );
  }

  script({ right, proposed, state }: ScriptRequest): ReplyScript {
    const suggested = [...this.#wrongAnswers, ...proposed];
    const truths = this.#dependsOnState ? this.#truthsIn(state) : "";
    const key = right ? `right ${truths}` : `wrong ${JSON.stringify(proposed)} ${truths}`;
    const known = this.#scripts.get(key);
    if (known !== undefined) return known;
    const { rawAnswer } = this.#question;
    // The state is kept only if truths depend on it.
    const kept = this.#dependsOnState ? state : INITIAL_STATE;
    const script = new ReplyScript(this.#template, { right, rawAnswer, suggested, state: kept });
    if (this.#scripts.size < MOST_SCRIPTS) this.#scripts.set(key, script);
    return script;
  }

  /** Replies in which nothing can be read, as far as there are some. */
  get evasions(): readonly string[] {
    if (this.#evasions === undefined) {
      const silent = EVASIONS.filter(
        (text) => readReply(this.#template, text, { intended: {}, state: INITIAL_STATE }).verdict === null,
      );
      this.#evasions = silent.length > 0 ? silent : EVASIONS;
    }
    return this.#evasions;
  }

  #truthsIn(state: ScenarioState): string {
    return JSON.stringify(
      Object.values(this.#template.fields).map(({ truth }) => resolveTruth(truth, state) ?? null),
    );
  }
}

const known = new WeakMap<Question, QuestionScripts>();

/** The scripts for a question; undefined if it has no template. Only those of a frozen question are kept. */
export function scriptsFor(question: Question): QuestionScripts | undefined {
  const { template } = question;
  if (template === undefined) return undefined;
  let scripts = known.get(question);
  if (scripts === undefined) {
    scripts = new QuestionScripts(question, template);
    if (Object.isFrozen(question) && Object.isFrozen(template)) known.set(question, scripts);
  }
  return scripts;
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
