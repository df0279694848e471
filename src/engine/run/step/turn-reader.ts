import { lazy } from "../../../core/lazy.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import type { Question, ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import { isFinished, type ScenarioState } from "../../../core/state/state.ts";
import { concludeReply, type ReplyConclusion } from "../../grading/judge/assess-reply.ts";
import { type JudgementPart, joinParts } from "../../grading/judge/judge-turn.ts";
import { concludeLabels } from "../../grading/verify/conclude-labels.ts";
import type { Turn } from "../../journal/turn.ts";
import type { ConversationState, Effect, OpenTurn, ReadNode } from "./conversation-state.ts";
import { leftToJudge, type NodePlan, nodePlan } from "./node-plan.ts";
import { isKnown, needsAt, readNode, scopeAt, verifiedQuestion, withoutTemplate } from "./turn-texts.ts";

/** A conversation while a step is made. */
export type Draft = { -readonly [Key in keyof ConversationState]: ConversationState[Key] };

const NOTHING_PLANNED: Pick<NodePlan, "parts" | "comparesMeaning"> = Object.freeze({
  parts: [],
  comparesMeaning: false,
});

const NONE_UNREAD: readonly string[] = Object.freeze([]);

/** Reads replies with the texts of their nodes. A text that cannot be rendered ends the conversation as an error of its author. */
export class TurnReader {
  readonly #definition: ScenarioDefinition;
  readonly #draft: Draft;

  constructor(definition: ScenarioDefinition, draft: Draft) {
    this.#definition = definition;
    this.#draft = draft;
  }

  /** Adds what is asked of the judge about each reply whose texts are known by now. */
  readReplies(effects: Effect[]): void {
    const draft = this.#draft;
    for (let position = 0; position < draft.open.length; position++) {
      const open = draft.open[position] as OpenTurn;
      if (open.reply === undefined || open.judgements !== undefined) continue;
      if (isKnown(this.#definition, draft, this.#needs(open.node).read, open.turn))
        this.#readReply(open, position, effects);
    }
  }

  #readReply(open: OpenTurn, position: number, effects: Effect[]): void {
    const { turn, node, reply = "", finish = "", labels } = open;
    const { read: needs } = this.#needs(node);
    const first = this.#plan(node);
    const read = this.rendered(open, () => {
      const scope = lazy(() => scopeAt(this.#definition, this.#draft, { before: turn, node, needs }));
      const authored = readNode(first, open, scope);
      // What others have read is not read again.
      const unread =
        labels === undefined && first.readsRest
          ? leftToJudge({ ...first, node: authored.node }, { reply, finish })
          : NONE_UNREAD;
      const reads = unread.length === 0 ? authored : readNode(this.#plan(node, unread), open, scope);
      return { unread, reads };
    });
    const { unread, reads } = read ?? { unread: NONE_UNREAD, reads: withoutTemplate(first) };
    const plan = labels === undefined && read !== undefined ? this.#plan(node, unread) : NOTHING_PLANNED;
    const { parts, comparesMeaning } = plan;
    this.#draft.open = this.#draft.open.with(position, {
      ...open,
      judgements: new Array<null>(parts.length + (comparesMeaning ? 1 : 0)).fill(null),
      ...(unread.length === 0 ? {} : { unreadByRules: unread }),
      reads,
    });
    const rest = unread.length === 0 ? {} : { unread };
    for (const part of parts.keys())
      effects.push({ type: "judge", turn, node, part, reads, reply, finish, ...rest });
  }

  /** What is concluded about a turn from what is known of it, and the question that it was compared with. */
  conclude(
    open: OpenTurn,
    { known, state }: { readonly known: readonly JudgementPart[]; readonly state: ScenarioState },
  ): { readonly conclusion: ReplyConclusion; readonly question: Question } {
    const { turn, reply = "", finish, labels } = open;
    const { node, traits } = this.#plan(open.node, open.unreadByRules);
    const reads = open.reads ?? { node, traits };
    const question = this.#verifiedQuestion(open, { node, reads });
    const input = { question, reply, finish, traits: reads.traits, state, turn };
    const conclusion =
      labels === undefined ? concludeReply(input, joinParts(known)) : concludeLabels(input, labels);
    return { conclusion, question };
  }

  #verifiedQuestion(
    open: OpenTurn,
    read: { readonly node: ScenarioNode; readonly reads: ReadNode },
  ): Question {
    const moment = { before: open.turn, node: open.node, needs: this.#needs(open.node).verify };
    const scope = (): ReturnType<typeof scopeAt> => scopeAt(this.#definition, this.#draft, moment);
    const question = this.rendered(open, () => verifiedQuestion(read, scope));
    return question ?? withoutTemplate(read.reads).node.question;
  }

  /** Renders texts of a turn; undefined if they cannot be rendered. */
  rendered<Rendered>(
    { turn, node }: Pick<Turn, "turn" | "node">,
    render: () => Rendered,
  ): Rendered | undefined {
    try {
      return render();
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      const message = `A text of node "${node}" cannot be rendered: ${error.message}.`;
      const { ending } = this.#draft;
      if (ending === null || isFinished(ending.status))
        this.#draft.ending = {
          status: "error",
          failure: { category: "author", stage: "run", node, turn, message },
        };
      return undefined;
    }
  }

  #needs(id: string): ReturnType<typeof needsAt> {
    return needsAt(this.#definition, this.#definition.nodes[id] as ScenarioNode);
  }

  #plan(id: string, unread?: readonly string[]): NodePlan {
    return nodePlan(this.#definition, id, this.#draft.settings, unread);
  }
}
