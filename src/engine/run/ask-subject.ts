import { memoize } from "../../core/lazy.ts";
import type { ScenarioNode } from "../../core/scenario/definition.ts";
import { freezeDeep } from "../../core/values/frozen-copy.ts";
import type { TurnReply, TurnStart } from "../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { ToolCall, ToolResult } from "../models/message.ts";
import type {
  CallContext,
  ModelReply,
  ModelRequest,
  SimulationInput,
  ToolDefinition,
} from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import type { OfferedTool, ToolOffer } from "../models/tools/offered-tools.ts";
import { runToolLoop } from "../models/tools/run-tool-loop.ts";
import type { ToolServers } from "../models/tools/tool-servers.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import { overrideKey } from "./resolve-models.ts";
import type { ConversationContext, ConversationPlan, RunContext, Subject } from "./run-context.ts";
import { type AnsweredTurn, TRANSCRIPT_FILE, writeTranscript } from "./step/agent-view.ts";
import type { AskEffect } from "./step/conversation-state.ts";
import { wholeQuestion } from "./step/turn-texts.ts";

/** The reply of a turn, or why there is none. */
export type SubjectAnswer =
  | Pick<TurnReply, "reply" | "messages" | "reportedCalls" | "finish" | "stepLimit" | "spending">
  | { readonly error: unknown; readonly spending: Spending; readonly turnTimeout: boolean };

/** Asks the subject, and calls the tools it wants, until it replies. What goes wrong is returned, not thrown. */
export async function askSubject(driver: ConversationContext, effect: AskEffect): Promise<SubjectAnswer> {
  const turn = new SubjectTurn(driver, effect);
  const { turnMs } = driver.run.timeouts;
  const cancelTimer = typeof turnMs === "number" ? turn.limitTime(turnMs) : undefined;
  try {
    return await turn.ask();
  } catch (error) {
    return { error, spending: turn.spending, turnTimeout: turn.isTimedOut };
  } finally {
    cancelTimer?.();
  }
}

/** How many turns the transcript file of a conversation has. */
const written = new WeakMap<ConversationContext, number>();

/** The event that a question is about to be sent. */
export function turnStart(conversation: string, effect: AskEffect, model: string): TurnStart {
  const { turn, node, agent, instructions, added } = effect;
  return {
    type: "turn-start",
    conversation,
    turn,
    node,
    ...(agent === "" ? {} : { agent }),
    model,
    ...(instructions === undefined ? {} : { instructions }),
    messages: added,
  };
}

class SubjectTurn {
  spending: Spending = NOTHING_SPENT;
  isTimedOut = false;
  readonly #driver: ConversationContext;
  readonly #effect: AskEffect;
  readonly #node: ScenarioNode;
  readonly #subject: Subject;
  readonly #model: AnyModel;
  #signal: AbortSignal;
  #calls = 0;

  constructor(driver: ConversationContext, effect: AskEffect) {
    this.#driver = driver;
    this.#effect = effect;
    // Effects name nodes of the definition, and the run has resolved all models that nodes and cells name.
    this.#node = driver.plan.definition.nodes[effect.node] as ScenarioNode;
    this.#subject = subjectAt(driver, this.#node);
    this.#model = this.#subject.model;
    this.#signal = driver.signal;
  }

  limitTime(milliseconds: number): () => void {
    const controller = new AbortController();
    this.#signal = AbortSignal.any([this.#driver.signal, controller.signal]);
    return this.#driver.run.clock.after(milliseconds, () => {
      this.isTimedOut = true;
      controller.abort(new ModelError("timeout", `The turn took longer than ${milliseconds} ms.`));
    });
  }

  async ask(): Promise<SubjectAnswer> {
    const { tools: servers, toolSteps } = this.#driver.run;
    const { transcript, messages } = this.#effect;
    const workspace = transcript === undefined ? undefined : await this.#writeTranscript(transcript);
    const offer = servers === null ? null : await servers.offered(this.#node.toolFilter, this.#signal);
    this.#announce(offer);
    const tools = offer === null ? NO_TOOLS : definitionsOf(offer);
    const { reply, added, stoppedAtLimit, reported } = await runToolLoop({
      messages,
      tools,
      maxSteps: toolSteps,
      ask: (list) =>
        this.#call(tools.length === 0 ? { messages: list } : { messages: list, tools }, workspace),
      call: (call) => this.#useTool(offer?.tools ?? [], call),
    });
    return {
      reply: reply.text,
      messages: added,
      ...(reported.length === 0 ? {} : { reportedCalls: reported }),
      finish: reply.finish,
      ...(stoppedAtLimit ? { stepLimit: true } : {}),
      spending: this.spending,
    };
  }

  /** The file has all turns. Those that this process has written stay; after a resume, it is written anew. */
  async #writeTranscript(turns: readonly AnsweredTurn[]): Promise<string> {
    const folder = await this.#driver.run.workspace(this.#driver.plan.conversation);
    const { appendFile, writeFile } = await import("node:fs/promises");
    const known = written.get(this.#driver) ?? 0;
    const text = `${writeTranscript(turns.slice(known))}\n`;
    if (known < turns.length)
      await (known === 0 ? writeFile : appendFile)(`${folder}/${TRANSCRIPT_FILE}`, text);
    written.set(this.#driver, turns.length);
    return folder;
  }

  #announce(offer: ToolOffer | null): void {
    const { run, plan } = this.#driver;
    const { conversation } = plan;
    const { turn } = this.#effect;
    for (const message of offer?.warnings ?? [])
      run.emit({ type: "warning", conversation, turn, code: "tools", message });
    run.emit({
      ...turnStart(conversation, this.#effect, this.#model.name),
      ...(offer === null ? {} : { tools: offer.tools.map(({ name }) => name), removedTools: offer.removed }),
    });
  }

  async #call(
    request: Pick<ModelRequest, "messages" | "tools">,
    workspace: string | undefined,
  ): Promise<ModelReply> {
    const { run, plan, session, unheard } = this.#driver;
    const { hasMemory = false } = this.#model;
    const isBegunAgain = hasMemory && this.#driver.isBegunAgain;
    const { instructions, turn } = this.#effect;
    const simulation = "simulate" in this.#model ? { simulation: await this.#simulationInput() } : {};
    return run.caller.call({
      model: this.#model,
      request: instructions === undefined ? request : { instructions, ...request },
      context: { ...this.#context(), ...(workspace === undefined ? {} : { workspace }) },
      call: `${turn}.subject.${++this.#calls}`,
      ...simulation,
      shared: isBegunAgain ? undefined : plan.shared,
      skipsCache: this.#subject.cache === false,
      ignoresStored: isBegunAgain,
      onlyStored: unheard.has(this.#model),
      session,
      onSpent: (spending) => {
        this.spending = addSpending(this.spending, spending);
        if (hasMemory && spending.cached > 0) unheard.add(this.#model);
      },
    });
  }

  /** Truths may depend on the verdicts of earlier turns, so those must be finished. */
  async #simulationInput(): Promise<SimulationInput> {
    await this.#driver.turnsFinished(this.#effect.turn - 1);
    const { plan, state } = this.#driver;
    const { sources } = plan;
    const signal = this.#signal;
    return {
      question: wholeQuestion(plan.definition, state, this.#effect),
      state: state.scenario,
      ...(sources === undefined ? {} : { evaluate: (work) => sources.evaluate(work, signal) }),
    };
  }

  #context(): CallContext {
    const { run, plan } = this.#driver;
    const { node, turn } = this.#effect;
    const { conversation, cell } = plan;
    const { scenario, replicate, row, variant, arm } = cell;
    const { seed } = run;
    const context = { signal: this.#signal, purpose: "subject", scenario, conversation, node, turn } as const;
    const headers = run.headersOf?.(conversation, turn);
    return {
      ...context,
      ...(headers === undefined ? {} : { headers }),
      replicate,
      ...(row === undefined ? {} : { row }),
      ...(variant === undefined ? {} : { variant }),
      ...(arm === undefined ? {} : { arm }),
      seed,
    };
  }

  async #useTool(offered: readonly OfferedTool[], call: ToolCall): Promise<ToolResult> {
    // The loop calls only tools that were offered, and only servers offer tools.
    const tool = offered.find(({ name }) => name === call.name) as OfferedTool;
    const { run } = this.#driver;
    const servers = run.tools as ToolServers;
    const used = await run.caller.useTool({
      context: this.#context(),
      call: `${this.#effect.turn}.tool.${++this.#calls}`,
      tool: `${tool.server}/${tool.tool}`,
      use: (signal) => servers.call(tool, call.input, signal),
    });
    return { id: call.id, name: call.name, ...used };
  }
}

/** The subject of a turn: that of the conversation, or the one that the node names. */
export function subjectAt(
  {
    run,
    plan,
  }: {
    readonly run: Pick<RunContext, "subjects" | "overrides">;
    readonly plan: Pick<ConversationPlan, "cell">;
  },
  { modelOverride }: ScenarioNode,
): Subject {
  const override = modelOverride?.subject;
  return (
    override === undefined
      ? run.subjects.get(plan.cell.subject)
      : run.overrides.subjects.get(overrideKey(override))
  ) as Subject;
}

const NO_TOOLS: readonly ToolDefinition[] = Object.freeze([]);
const definitions = new WeakMap<ToolOffer, readonly ToolDefinition[]>();

/** The definitions for an offer; the same object while the offer stays the same. */
function definitionsOf(offer: ToolOffer): readonly ToolDefinition[] {
  return memoize(definitions, offer, () => freezeDeep(offer.tools.map(asDefinition)));
}

function asDefinition({ name, description, inputSchema }: OfferedTool): ToolDefinition {
  return { name, inputSchema, ...(description === undefined ? {} : { description }) };
}
