import type { ScenarioNode } from "../../core/scenario/definition.ts";
import { failureOf, type RunFailure } from "../journal/failure.ts";
import type { ConversationStop, TurnReply, TurnStart } from "../journal/run-event.ts";
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
import { type AnyModel, UNHEARD } from "./calls/call-cache.ts";
import { recordedAnswer } from "./recorded-conversation.ts";
import type { RecordedAnswers } from "./records/record-answer.ts";
import { overrideKey } from "./resolve-models.ts";
import type { ConversationContext, ConversationPlan, RunContext, Subject } from "./run-context.ts";
import { type AnsweredTurn, TRANSCRIPT_FILE, writeTranscript } from "./step/agent-view.ts";
import type { AskEffect } from "./step/conversation-state.ts";
import { wholeQuestion } from "./step/turn-texts.ts";

/** What the subject replies, or what stops the conversation. */
type SubjectReply =
  | Omit<TurnReply, "type" | "conversation" | "turn">
  | { readonly stop: Pick<ConversationStop, "status" | "failure" | "spending"> }
  /** The conversation must begin again: see `UNHEARD`. */
  | typeof BEGIN_AGAIN;

export const BEGIN_AGAIN = "begin again";

/** The reply to a question: from a record, from the run that is graded again, or from the subject. */
export async function subjectTurn(
  driver: ConversationContext,
  effect: AskEffect,
  answers: RecordedAnswers | undefined,
): Promise<SubjectReply> {
  if (answers !== undefined) return answerOfRecord(driver, effect, answers);
  const { turn, node } = effect;
  const { recorded, reruns } = driver.plan;
  const known = recorded === undefined ? null : recordedAnswer(recorded, effect);
  if (known !== null && "stop" in known) {
    const { status, failure } = known.stop;
    return { stop: { status, ...(failure === undefined ? {} : { failure }) } };
  }
  if (known !== null) {
    const { model: name = driver.plan.cell.subject, ...reply } = known;
    // Where there are only labels, nothing was sent. Everything else can be graded again, and needs its question.
    if (reply.labels === undefined || reply.reply !== "")
      driver.run.emit(turnStart(driver.plan.conversation, effect, name));
    if (reruns === true) {
      const { model } = subjectAt(driver, driver.plan.definition.nodes[node] as ScenarioNode);
      if (model.hasMemory === true) driver.unheard.add(model);
    }
    return reply;
  }
  if (recorded !== undefined && reruns !== true) {
    const message = `The question at "${node}" was not asked at this point before.`;
    return { stop: { status: "cancelled", failure: { category: "cancelled", stage: "run", message } } };
  }
  const answer = await askSubject(driver, effect);
  if ("reply" in answer) return answer;
  const { error, spending, turnTimeout } = answer;
  if (error === UNHEARD) return BEGIN_AGAIN;
  const failure = failureOf(error, { stage: "subject", node, turn });
  const status = failure.category === "budget" ? "budget_exhausted" : turnTimeout ? "timeout" : "error";
  return { stop: { status, failure, spending } };
}

/** Where the record has no answer, the conversation is over. */
function answerOfRecord(
  { run, plan }: ConversationContext,
  effect: AskEffect,
  answers: RecordedAnswers,
): SubjectReply {
  const { turn, node } = effect;
  const answer = answers.answer(effect);
  // Nothing was sent where there are only labels.
  if (!("labels" in answer) || answer.reply !== "")
    run.emit(turnStart(plan.conversation, effect, plan.cell.subject));
  if ("reply" in answer) return answer;
  const failure: RunFailure = {
    category: "mismatch",
    stage: "record",
    message: answer.difference,
    node,
    turn,
  };
  return { stop: { status: "record_mismatch", failure } };
}

/** The reply of a turn, or why there is none. */
type SubjectAnswer =
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

/** The event that a question is about to be sent. */
function turnStart(conversation: string, effect: AskEffect, model: string): TurnStart {
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
    const tools = offer?.definitions ?? NO_TOOLS;
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
    const known = this.#driver.transcribed;
    const text = `${writeTranscript(turns.slice(known))}\n`;
    if (known < turns.length)
      await (known === 0 ? writeFile : appendFile)(`${folder}/${TRANSCRIPT_FILE}`, text);
    this.#driver.transcribed = turns.length;
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
    const { turn } = this.#effect;
    const headers = run.headersOf?.(plan.conversation, turn);
    const context = callContext(this.#driver, this.#effect, { purpose: "subject", signal: this.#signal });
    return headers === undefined ? context : { ...context, headers };
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

/** Where a call of a subject or a simulated user stands. */
export function callContext(
  { run, plan }: Pick<ConversationContext, "run" | "plan">,
  { turn, node }: Pick<AskEffect, "turn" | "node">,
  call: Pick<CallContext, "purpose" | "signal">,
): CallContext {
  const { scenario, replicate, row, variant, arm } = plan.cell;
  return {
    ...call,
    scenario,
    conversation: plan.conversation,
    node,
    turn,
    replicate,
    ...(row === undefined ? {} : { row }),
    ...(variant === undefined ? {} : { variant }),
    ...(arm === undefined ? {} : { arm }),
    seed: run.seed,
  };
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
