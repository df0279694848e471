import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { itemsOf } from "../../../core/values/growing-list.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import {
  type Conversation,
  foldConversation,
  inputEvents,
  judgementsIn,
} from "../../../engine/journal/fold/conversation.ts";
import type {
  ConversationEvent,
  ConversationSettings,
  ConversationStart,
  ConversationStop,
  ForkPoint,
  RunEvent,
  TurnJudgementEvent,
} from "../../../engine/journal/run-event.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import { judgeRequestOf } from "../../../engine/run/judge-reply.ts";
import { recordedConversation } from "../../../engine/run/recorded-conversation.ts";
import { type KnownReplies, storedReplies } from "../../../engine/run/records/known-replies.ts";
import type { ConversationSources, RunContext } from "../../../engine/run/run-context.ts";
import { givenHistory } from "../../../engine/run/step/agent-view.ts";
import type { AskEffect, ConversationState, Effect } from "../../../engine/run/step/conversation-state.ts";
import { looksAtRefusal } from "../../../engine/run/step/node-plan.ts";
import { type Step, step } from "../../../engine/run/step/step.ts";
import type { Fate } from "./change.ts";

/** A scenario as it is, for one conversation. */
export interface ReplayedScenario {
  readonly definition: ScenarioDefinition;
  readonly sources?: ConversationSources | undefined;
  /** Of the conversation that an arm of a fork continues. */
  readonly parent?: ConversationState | undefined;
}

/** The result of a stored conversation under another definition. */
export interface Replay {
  readonly fate: Fate;
  /** Where it first needs something new. */
  readonly node?: string;
  /** The calls whose answers can be used, by the beginning of their names: `3.subject`, `3.judge.0`. */
  readonly kept: ReadonlySet<string>;
  /** Those that can be used, too, if a judge that is asked again says the same as before. */
  readonly keptIfSame: ReadonlySet<string>;
  /** The outcomes that both versions have, and whose values differ. */
  readonly outcomes: readonly string[];
  /** Where both versions end. */
  readonly states: { readonly before: ConversationState | null; readonly after: ConversationState | null };
}

/** What of a run shapes the requests to its judges. */
export interface ReplaySettings extends Pick<RunContext, "seed" | "earlierTurns"> {
  /** Undefined if the scenario decides. */
  readonly detectRefusal: boolean | undefined;
}

/**
 * Walks the journal of a conversation through another definition, by the same `step` as a run. A reply is used while the same
 * question is sent with the same system prompt; a judgement, while the judge is asked the same.
 */
export async function replayConversation(
  journal: readonly RunEvent[],
  { before, after }: { readonly before: ReplayedScenario; readonly after: ReplayedScenario },
  settings: ReplaySettings,
): Promise<Replay> {
  const walk = new ConversationReplay(journal, settings);
  await walk.foldBefore(before);
  return walk.replay(after);
}

class ConversationReplay {
  readonly #inputs: readonly ConversationEvent[];
  readonly #stored: Conversation;
  readonly #stop: ConversationStop | null;
  readonly #replies: KnownReplies;
  readonly #settings: ReplaySettings;
  /** What was asked of judges and simulators, and what they answered. */
  readonly #answers = new Map<
    string,
    { readonly part: number; readonly event: TurnJudgementEvent | undefined }
  >();
  readonly #judgements = new Map<string, TurnJudgementEvent>();
  readonly #kept = new Set<string>();
  readonly #keptIfSame = new Set<string>();
  #before: ConversationState | null = null;
  #after: ConversationState | null = null;
  #miss: { readonly fate: Fate; readonly node: string } | undefined;

  constructor(journal: readonly RunEvent[], settings: ReplaySettings) {
    this.#inputs = inputEvents(journal);
    this.#stored = foldConversation(journal);
    const recorded = recordedConversation(journal);
    this.#stop = recorded.stop;
    this.#replies = storedReplies(recorded, true);
    this.#settings = settings;
    for (const event of judgementsIn(this.#inputs))
      this.#judgements.set(`${event.turn} ${event.part}`, event);
  }

  /** Folds the journal as it was, and keeps what was asked. */
  async foldBefore({ definition, sources, parent }: ReplayedScenario): Promise<void> {
    let state = parent ?? null;
    for (const event of this.#inputs) {
      const stepped = await stepWith(sources, () => step(definition, state, event));
      state = stepped.state;
      for (const effect of stepped.effects) {
        const key = this.#keyOf(effect, state);
        if (key !== undefined) this.#answers.set(key, this.#answerTo(effect));
      }
    }
    this.#before = state;
  }

  #answerTo(effect: Effect): { readonly part: number; readonly event: TurnJudgementEvent | undefined } {
    if (effect.type !== "judge" && effect.type !== "embed") return { part: 0, event: undefined };
    const { turn, part } = effect;
    return { part, event: this.#judgements.get(`${turn} ${part}`) };
  }

  async replay({ definition, sources, parent }: ReplayedScenario): Promise<Replay> {
    const queue: ConversationEvent[] = [this.#start(definition, parent)];
    let state = parent ?? null;
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
      const now = event;
      const stepped = await stepWith(sources, () => step(definition, state, now));
      state = stepped.state;
      for (const effect of stepped.effects) queue.push(...this.#perform(effect, state));
    }
    this.#after = state;
    const outcomes = this.#changedOutcomes();
    return {
      ...(this.#miss ?? { fate: this.#fateAtEnd(outcomes) }),
      kept: this.#kept,
      keptIfSame: this.#keptIfSame,
      outcomes,
      states: { before: this.#before, after: this.#after },
    };
  }

  /** The first event, as a run with the other definition would write it. */
  #start(definition: ScenarioDefinition, parent: ConversationState | undefined): ConversationStart {
    const { conversation, cell, fork } = this.#stored;
    const stored = this.#stored.settings as ConversationSettings;
    const { detectRefusal = looksAtRefusal(definition) } = this.#settings;
    const history = givenHistory(definition);
    return {
      type: "conversation-start",
      conversation,
      cell,
      scenarioHash: definition.hash,
      settings: { ...stored, detectRefusal },
      ...(parent !== undefined || "problem" in history || history.length === 0 ? {} : { history }),
      ...(fork === null || parent === undefined ? {} : { fork: forkIn(definition, parent, fork) }),
    };
  }

  /** The events that answer an effect; none if there is no answer. */
  #perform(effect: Effect, state: ConversationState): readonly ConversationEvent[] {
    const { conversation } = this.#stored;
    switch (effect.type) {
      case "ask":
        return this.#ask(effect);
      case "simulate": {
        const { turn, node } = effect;
        const said = this.#replies.user(effect);
        if (said === null || "stop" in said) return this.#missed("rerouted", node);
        if (!this.#answers.has(this.#keyOf(effect, state) ?? "")) return this.#missed("asked_again", node);
        this.#keep(`${turn}.simulator`);
        return [{ type: "turn-user", conversation, turn, ...said, spending: NOTHING_SPENT }];
      }
      case "judge":
      case "embed": {
        const { turn, part, node } = effect;
        const known = this.#answers.get(this.#keyOf(effect, state) ?? "");
        if (known?.event === undefined) {
          this.#missed("judged_again", node);
          const before = this.#judgements.get(`${turn} ${part}`);
          return before === undefined ? [] : [before];
        }
        this.#keep(effect.type === "embed" ? `${turn}.embed` : `${turn}.judge.${known.part}`);
        return [{ ...known.event, part }];
      }
      case "finish":
        return [];
    }
  }

  #ask(effect: AskEffect): readonly ConversationEvent[] {
    const { conversation } = this.#stored;
    const { turn, node, instructions } = effect;
    const stored = this.#stored.turn(turn);
    const known = this.#replies.reply(effect);
    if (known !== null && "stop" in known) return this.#stop === null ? [] : [this.#stop];
    const isSamePrompt = stored?.messages === undefined || stored.instructions === instructions;
    if (known === null || !isSamePrompt)
      return this.#missed(stored?.node === node ? "asked_again" : "rerouted", node);
    this.#keep(`${turn}.subject`);
    return [{ type: "turn-reply", conversation, turn, ...known }];
  }

  #keep(call: string): void {
    (this.#miss === undefined ? this.#kept : this.#keptIfSame).add(call);
  }

  /** Of several missing answers, the first question counts: without its answer, nothing after it is known. */
  #missed(fate: Fate, node: string): readonly ConversationEvent[] {
    if (this.#miss === undefined || (this.#miss.fate === "judged_again" && fate !== "judged_again"))
      this.#miss = { fate, node };
    return [];
  }

  #keyOf(effect: Effect, state: ConversationState): string | undefined {
    switch (effect.type) {
      case "judge": {
        const { task: _, ...request } = judgeRequestOf(this.#settings, state, effect);
        return canonicalJson(["judge", effect.turn, effect.node, request]);
      }
      case "embed":
        return canonicalJson(["embed", effect.turn, effect.pairs]);
      case "simulate":
        return canonicalJson([
          "simulate",
          effect.turn,
          effect.contract,
          effect.messages,
          effect.simulator ?? null,
        ]);
      default:
        return undefined;
    }
  }

  #fateAtEnd(outcomes: readonly string[]): Fate {
    const [was, is] = [itemsOf(this.#before?.turns ?? null), itemsOf(this.#after?.turns ?? null)];
    const isOther =
      was.length !== is.length ||
      was.some(({ node, next }, at) => node !== is[at]?.node || next !== is[at]?.next);
    if (isOther) return "rerouted";
    const isGraded = was.every(
      ({ verifyResult, score }, at) => verifyResult === is[at]?.verifyResult && score === is[at]?.score,
    );
    const names = (state: ConversationState | null): string =>
      Object.keys(state?.outcomes ?? {})
        .sort()
        .join("\n");
    return isGraded && outcomes.length === 0 && names(this.#before) === names(this.#after)
      ? "same"
      : "regraded";
  }

  #changedOutcomes(): readonly string[] {
    if (this.#miss !== undefined || this.#after === null || this.#before === null) return [];
    const { outcomes: was } = this.#before;
    return Object.entries(this.#after.outcomes).flatMap(([name, result]) =>
      was[name] !== undefined && canonicalJson(was[name].value) !== canonicalJson(result.value) ? [name] : [],
    );
  }
}

function stepWith(sources: ConversationSources | undefined, work: () => Step): Step | Promise<Step> {
  return sources === undefined ? work() : sources.evaluate(work);
}

/** The same arm in the other definition, whose edges may stand elsewhere. */
function forkIn({ edges }: ScenarioDefinition, { ending }: ConversationState, fork: ForkPoint): ForkPoint {
  const first = ending?.fork;
  const targets = first === undefined ? undefined : edges[first]?.fork;
  const position = targets?.indexOf(fork.target) ?? -1;
  return first === undefined || position === -1 ? fork : { ...fork, edge: first + position };
}
