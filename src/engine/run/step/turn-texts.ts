import { type FillOptions, fillTexts, hasTexts } from "../../../core/liquid/fill-texts.ts";
import { needsOfParts, type TextNeeds, type TurnNeed } from "../../../core/liquid/text-needs.ts";
import { compileText, isTemplate, TextError, type TextScope } from "../../../core/liquid/text-template.ts";
import type {
  GivenValues,
  Question,
  ScenarioDefinition,
  ScenarioNode,
} from "../../../core/scenario/definition.ts";
import { readByTexts } from "../../../core/scenario/routed-on.ts";
import { lastVisits, turnScope } from "../../../core/scenario/state-scope.ts";
import { FoldedState } from "../../../core/state/advance-state.ts";
import type { ScenarioState, UserState } from "../../../core/state/state.ts";
import { fieldProblem } from "../../../core/templates/field-problem.ts";
import type { Template } from "../../../core/templates/template.ts";
import { itemsOf } from "../../../core/values/growing-list.ts";
import { ownValue } from "../../../core/values/json.ts";
import { type JudgementPart, joinParts } from "../../grading/judge/judge-turn.ts";
import { concludeLabels, concludeReply, type ReplyConclusion } from "../../grading/verify/conclude-reply.ts";
import type { ConversationSettings } from "../../journal/run-event.ts";
import type { FinishedTurn, Turn } from "../../journal/turn.ts";
import {
  type ConversationState,
  NOTHING_CONCLUDED,
  type OpenTurn,
  type ReadNode,
} from "./conversation-state.ts";
import { type NodePlan, needsAt, promptOf, referenceAt, waitsFor } from "./node-plan.ts";

/** Which texts are rendered: those of a turn, before it, or those of a condition, after it. */
interface TextMoment {
  /** The number of the first turn that they do not see. */
  readonly before: number;
  readonly node: string;
  /** True for conditions. */
  readonly isAfter?: boolean;
  /** What the texts need, if that is known: most read nothing but the row. */
  readonly needs?: TextNeeds;
}

/** True if everything that some texts of turn number `before` read of earlier turns is known. */
export function isKnown(
  definition: ScenarioDefinition,
  state: ConversationState,
  { turns, accumulated }: TextNeeds,
  before: number,
): boolean {
  // Most texts read nothing of earlier turns.
  if (turns.length === 0 && !accumulated) return true;
  const open = state.open.filter(({ turn }) => turn < before);
  if (accumulated && open.some(({ node }) => definition.nodes[node]?.stateUpdate !== undefined)) return false;
  if (turns.length === 0) return true;
  return open.every((turn) => {
    const wanted = turns.filter((need) => isAbout(need, turn, { open, before }));
    if (wanted.length === 0) return true;
    if (turn.judgements === undefined) return false;
    const { plan } = turn;
    const needs = readByTexts(definition, turn.node, wanted);
    // A verdict that depends on meanings is there only at the end.
    if (needs.verdict && plan.comparesMeaning) return false;
    const waits = waitsFor(needs, plan.node, plan.parts);
    return waits !== "everything" && waits.every((part) => turn.judgements?.[part] !== null);
  });
}

function isAbout(
  { node, index }: TurnNeed,
  turn: Turn,
  { open, before }: { readonly open: readonly Turn[]; readonly before: number },
): boolean {
  if (typeof node === "string")
    return turn.node === node && !open.some((later) => later.node === node && later.turn > turn.turn);
  if (typeof index === "number") return turn.turn === (index < 0 ? before + index : index + 1);
  return true;
}

/**
 * The values that texts see. Only what they ask for is made. What is not known yet of earlier turns is null; `isKnown` tells
 * whether a text would look at it.
 */
export function scopeAt(
  definition: ScenarioDefinition,
  state: Pick<ConversationState, "turns" | "open" | "scenario">,
  { before, node, isAfter = false, needs }: TextMoment,
): TextScope {
  const { given = NOTHING_GIVEN } = definition;
  // An object with getters takes longer to make than most texts take to render.
  if (needs?.readsState === false) return { ...given };
  const { row, variant } = given;
  let turns: readonly TextScope[] | undefined;
  let nodes: TextScope | undefined;
  const finished = (): readonly FinishedTurn[] => itemsOf(state.turns).filter(({ turn }) => turn < before);
  const open = (): readonly OpenTurn[] => state.open.filter(({ turn }) => turn < before);
  const all = (): readonly TextScope[] => {
    turns ??= [
      ...finished().map((turn) => turnScope(turn, definition.nodes[turn.node])),
      ...open().map((turn) => {
        const found = { ...turn, ...findings(definition, state, turn) };
        return turnScope(found, definition.nodes[turn.node]);
      }),
    ];
    return turns;
  };
  return {
    ...(row === undefined ? {} : { row }),
    ...(variant === undefined ? {} : { variant }),
    get visit() {
      const ended = FoldedState.visit(state.scenario, node)?.count ?? 0;
      // The state has the finished turns; when a turn is verified, later ones are still open.
      return ended + open().filter((turn) => turn.node === node).length - (isAfter ? 1 : 0);
    },
    get turns() {
      return all();
    },
    get nodes() {
      nodes ??= lastVisits(all());
      return nodes;
    },
    get accumulated() {
      return state.scenario.accumulated;
    },
    get user() {
      return lastUser(state) ?? NO_USER;
    },
  };
}

const NOTHING_GIVEN: GivenValues = Object.freeze({});

/** What the simulated user did last, also in turns that are still being read. */
export function lastUser({
  open,
  scenario,
}: Pick<ConversationState, "open" | "scenario">): UserState | undefined {
  return open.findLast(({ user }) => user !== undefined)?.user ?? scenario.user;
}

const NO_USER: UserState = Object.freeze({
  done: false,
  reveals: Object.freeze([]),
  revealed: Object.freeze([]),
});

/** What is known so far of a turn that is being read. */
function findings(
  definition: ScenarioDefinition,
  state: Parameters<typeof scopeAt>[1],
  turn: OpenTurn,
): typeof NOTHING_CONCLUDED {
  const { reads, judgements } = turn;
  if (reads === undefined || judgements === undefined) return NOTHING_CONCLUDED;
  const question = questionToVerify(definition, state, { ...turn, reads });
  const known = judgements.filter((part) => part !== null);
  return concludeTurn({ ...turn, reads }, { question, known, scenario: state.scenario });
}

/** A turn whose reply can be read. */
type ReadTurn = OpenTurn & Required<Pick<OpenTurn, "reads">>;

/** What is concluded about a reply from what rules, judges and labels say of it. */
export function concludeTurn(
  { reads, reply = "", finish, labels, turn }: ReadTurn,
  {
    question,
    known,
    scenario,
  }: {
    readonly question: Question;
    readonly known: readonly JudgementPart[];
    readonly scenario: ScenarioState;
  },
): ReplyConclusion {
  const input = { question, reply, finish, traits: reads.traits, state: scenario, turn };
  return labels === undefined ? concludeReply(input, joinParts(known)) : concludeLabels(input, labels);
}

/**
 * The question of a turn whose reply was read, with its truths. Everything is rendered from what the author wrote: what came from
 * a row or a reply is never rendered again.
 */
export function questionToVerify(
  definition: ScenarioDefinition,
  state: Parameters<typeof scopeAt>[1],
  { node, turn, reads, plan }: ReadTurn,
): Question {
  const { question } = reads.node;
  const { template } = plan.node.question;
  // A node whose texts could not be rendered is read without its template.
  if (template === undefined || question.template === undefined || !hasTexts(template)) return question;
  const moment = { before: turn, node, needs: needsAt(definition, node).verify };
  return { ...question, template: filledTemplate(template, scopeAt(definition, state, moment)) };
}

/** A node as it is asked, and the system prompt. Most nodes have no texts, and need no scope. */
export function askedNode(
  definition: ScenarioDefinition,
  node: ScenarioNode,
  {
    scope,
    settings,
    written,
  }: {
    readonly scope: () => TextScope;
    readonly settings: ConversationSettings;
    /** What the simulated user has written, which is never rendered. */
    readonly written?: string | undefined;
  },
): { readonly node: ScenarioNode; readonly instructions?: string | undefined } {
  const prompt = promptOf(definition, node);
  const instructions =
    prompt === undefined
      ? subjectPrompt(node, settings)
      : (hasTexts(prompt) ? fillTexts({ systemPrompt: prompt }, scope()).systemPrompt : prompt) || undefined;
  const { question, fewShot } = node.question;
  const examples = hasTexts(fewShot) ? fewShot : undefined;
  if (!isTemplate(question) && examples === undefined && written === undefined) return { node, instructions };
  const text = written ?? (isTemplate(question) ? compileText(question).text(scope()) : question);
  if (written === undefined && text.trim() === "") throw new TextError("the question comes to an empty text");
  const more = examples === undefined ? {} : { fewShot: fillTexts(examples, scope()) };
  return { node: { ...node, question: { ...node.question, question: text, ...more } }, instructions };
}

/** The system prompt that the run has for a subject. It is no text of the scenario, and is not rendered. */
function subjectPrompt(
  node: ScenarioNode,
  { instructions, subjectInstructions = {} }: ConversationSettings,
): string | undefined {
  const named = referenceAt(node)?.model ?? node.modelOverride?.subject;
  const ofSubject = typeof named === "string" ? ownValue(subjectInstructions, named) : undefined;
  return ((ofSubject as string | undefined) ?? instructions) || undefined;
}

/** What decides whether a value is right is rendered when it is compared, so that no reading waits for it. */
const WHEN_COMPARED: FillOptions = { except: new Set(["truth", "check", "verify"]) };

/** A node and its traits as the reply is read. The question is the one that was asked. */
export function readNode(
  { node, others, traits }: Pick<NodePlan, "node" | "others" | "traits">,
  asked: Turn,
  scope: () => TextScope,
): ReadNode {
  const { question = node.question.question } = asked;
  if (question === node.question.question && !hasTexts(node.question) && !hasTexts(traits))
    return { node, traits };
  const filled = hasTexts(others) ? fillTexts(others, scope(), WHEN_COMPARED) : others;
  return {
    node: { ...node, question: { question, ...filled } },
    traits: hasTexts(traits) ? fillTexts(traits, scope()) : traits,
  };
}

function filledTemplate(template: Template, scope: TextScope): Template {
  const filled = fillTexts(template, scope);
  // Values of rows were validated before the run; those of the state are known only now.
  for (const [name, field] of Object.entries(filled.fields)) {
    if (!needsOfParts(template.fields[name]).readsState) continue;
    const problem = fieldProblem(field);
    if (problem !== null)
      throw new TextError(
        `field "${name}" has a wrong ${problem.key}: ${problem.message.replace(/\.$/, "")}`,
      );
  }
  return filled;
}

/** The question of a turn with all its texts, for a simulated subject. The turns before must be finished. */
export function wholeQuestion(
  definition: ScenarioDefinition,
  state: ConversationState,
  { turn, node }: { readonly turn: number; readonly node: string },
): Question {
  const { question } = definition.nodes[node] as ScenarioNode;
  if (!hasTexts(question)) return question;
  const { template, ...rest } = question;
  const scope = scopeAt(definition, state, { before: turn, node });
  const { wrongAnswers } = question.metadata ?? {};
  // A list in a cell stands for as many answers.
  const metadata = Array.isArray(wrongAnswers)
    ? { metadata: { ...question.metadata, wrongAnswers: fillTexts(wrongAnswers, scope).flat(2) } }
    : {};
  const filled = { ...fillTexts(rest, scope), ...metadata };
  return template === undefined ? filled : { ...filled, template: filledTemplate(template, scope) };
}

/** A node whose texts cannot be rendered: nothing is read or verified. */
export function withoutTemplate({ node }: ReadNode): ReadNode {
  const { template: _, rubric: __, ...question } = node.question;
  return { node: { ...node, question }, traits: [] };
}
