import type { Question } from "../../core/scenario/question.ts";
import { INITIAL_STATE, type ScenarioState } from "../../core/state/state.ts";
import type { Template } from "../../core/templates/template.ts";
import { resolveTruth } from "../../core/templates/truth-from.ts";
import { readReply } from "./reads-as.ts";
import { ReplyScript } from "./reply-script.ts";
import { dependsOnState } from "./resolved-field.ts";
import { EVASIONS } from "./wording.ts";

/** Past this many, scripts of a question are made anew each time: proposals come from outside. */
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

/** The scripts for a question with a template, each prepared once. */
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
    // A state is kept only where truths need it.
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
