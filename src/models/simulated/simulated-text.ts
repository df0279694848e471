import type { Question } from "../../core/scenario/question.ts";
import type { SeededChance } from "../../core/values/seeded-chance.ts";
import type { Message } from "../message.ts";
import type { ModelRequest, SimulationInput } from "../model.ts";
import type { Intention } from "./behavior.ts";
import { scriptsFor, wrongAnswersOf } from "./question-scripts.ts";
import type { WordingChoice } from "./reply-script.ts";
import { CLOSINGS, CONTRARY, EVASIONS, GOING_ALONG, type Manner, OPENINGS } from "./wording.ts";

/** Two rounds of the openings; more would only fill the memory. */
const BODIES = 16;

/** What a reply is written from. */
export interface TextSource {
  readonly request: ModelRequest;
  readonly input: SimulationInput;
  /** Drawn for this call. */
  readonly chance: SeededChance;
  /** Where in the list of openings to begin: replicates that follow each other differ at least in that. */
  readonly opening: number;
  /** How likely a silent subject says nothing at all. */
  readonly empty: number;
}

/** The text of a reply that does what is intended. */
export function simulatedText({ kind, manner, yields }: Intention, source: TextSource): string {
  const { request, input, chance, opening, empty } = source;
  const { question, state } = input;
  const scripts = scriptsFor(question);
  if (kind === "silent") {
    const evasions = scripts?.evasions ?? EVASIONS;
    return chance.happens(empty) ? "" : (evasions[(opening + chance.below(2)) % evasions.length] as string);
  }
  const choice: WordingChoice = {
    manner,
    opening: opening % OPENINGS[manner].length,
    body: (opening * 3) % BODIES,
    closing: chance.below(CLOSINGS.length),
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

/** What a challenger seems to hold for the answer, the latest first: "I thought that it is Sydney" proposes Sydney. */
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
