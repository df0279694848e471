import type { ScenarioNode } from "../../core/scenario/definition.ts";
import { failureOf } from "../journal/failure.ts";
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
import type { OfferedTool } from "../models/tools/offered-tools.ts";
import { runToolLoop } from "../models/tools/run-tool-loop.ts";
import type { ToolServers } from "../models/tools/tool-servers.ts";
import { UNHEARD } from "./calls/call-cache.ts";
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
export async function subjectTurn(driver: ConversationContext, effect: AskEffect): Promise<SubjectReply> {
  const { run, plan } = driver;
  const { turn, node } = effect;
  const known = plan.replies?.reply(effect) ?? null;
  if (known !== null) {
    // Where there are only labels, nothing was sent. Everything else can be graded again, and needs its question.
    const isAsked =
      "stop" in known ? known.isAsked === true : known.labels === undefined || known.reply !== "";
    const model = "model" in known ? known.model : undefined;
    if (isAsked) run.emit(turnStart(plan.conversation, effect, model ?? plan.cell.subject));
    if ("stop" in known) return { stop: known.stop };
    if (plan.replies?.mayAsk === true) {
      const subject = subjectAt(driver, plan.definition.nodes[node] as ScenarioNode);
      if (subject.model.hasMemory === true) driver.unheard.add(subject.model);
    }
    const { model: _, ...reply } = known;
    return reply;
  }
  const answer = await askSubject(driver, effect);
  if ("reply" in answer) return answer;
  const { error, spending, isTimedOut } = answer;
  if (error === UNHEARD) return BEGIN_AGAIN;
  const failure = failureOf(error, { stage: "subject", node, turn });
  const status = failure.category === "budget" ? "budget_exhausted" : isTimedOut ? "timeout" : "error";
  return { stop: { status, failure, spending } };
}

/** The reply of a turn, or why there is none. */
type SubjectAnswer =
  | Pick<TurnReply, "reply" | "messages" | "reportedCalls" | "finish" | "stepLimit" | "spending">
  | { readonly error: unknown; readonly spending: Spending; readonly isTimedOut: boolean };

/** Asks the subject, and calls the tools it wants, until it replies. What goes wrong is returned, not thrown. */
export async function askSubject(driver: ConversationContext, effect: AskEffect): Promise<SubjectAnswer> {
  const { turnMs = null } = driver.run.timeouts;
  if (turnMs === null) return new SubjectTurn(driver, effect, driver.signal).ask();
  const late = new AbortController();
  const turn = new SubjectTurn(driver, effect, AbortSignal.any([driver.signal, late.signal]));
  const cancelTimer = driver.run.clock.after(turnMs, () =>
    late.abort(new ModelError("timeout", `The turn took longer than ${turnMs} ms.`)),
  );
  const answer = await turn.ask();
  cancelTimer();
  return "error" in answer ? { ...answer, isTimedOut: late.signal.aborted } : answer;
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

/** All calls of one turn: those of the subject, and those of the tools that it wants. */
class SubjectTurn {
  readonly #driver: ConversationContext;
  readonly #effect: AskEffect;
  readonly #node: ScenarioNode;
  readonly #subject: Subject;
  readonly #signal: AbortSignal;
  #spending: Spending = NOTHING_SPENT;
  #calls = 0;

  constructor(driver: ConversationContext, effect: AskEffect, signal: AbortSignal) {
    this.#driver = driver;
    this.#effect = effect;
    // Effects name nodes of the definition, and the run has resolved all models that nodes and cells name.
    this.#node = driver.plan.definition.nodes[effect.node] as ScenarioNode;
    this.#subject = subjectAt(driver, this.#node);
    this.#signal = signal;
  }

  async ask(): Promise<SubjectAnswer> {
    try {
      const reply = await this.#ask();
      return { ...reply, spending: this.#spending };
    } catch (error) {
      return { error, spending: this.#spending, isTimedOut: false };
    }
  }

  async #ask(): Promise<Omit<Extract<SubjectAnswer, { reply: string }>, "spending">> {
    const { run, plan } = this.#driver;
    const { conversation } = plan;
    const { transcript, messages, turn } = this.#effect;
    const workspace = transcript === undefined ? undefined : await this.#writeTranscript(transcript);
    const offer = run.tools === null ? null : await run.tools.offered(this.#node.toolFilter, this.#signal);
    for (const message of offer?.warnings ?? [])
      run.emit({ type: "warning", conversation, turn, code: "tools", message });
    run.emit({
      ...turnStart(conversation, this.#effect, this.#subject.model.name),
      ...(offer === null ? {} : { tools: offer.tools.map(({ name }) => name), removedTools: offer.removed }),
    });
    const tools = offer?.definitions ?? NO_TOOLS;
    const { reply, added, stoppedAtLimit, reported } = await runToolLoop({
      messages,
      tools,
      maxSteps: run.toolSteps,
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

  async #call(
    request: Pick<ModelRequest, "messages" | "tools">,
    workspace: string | undefined,
  ): Promise<ModelReply> {
    const { run, plan, session, unheard } = this.#driver;
    const { model, cache } = this.#subject;
    const { hasMemory = false } = model;
    const isBegunAgain = hasMemory && this.#driver.isBegunAgain;
    const { instructions, turn } = this.#effect;
    return run.caller.call({
      model,
      request: instructions === undefined ? request : { instructions, ...request },
      context: { ...this.#context(), ...(workspace === undefined ? {} : { workspace }) },
      call: `${turn}.subject.${++this.#calls}`,
      ...("simulate" in model ? { simulation: await this.#simulationInput() } : {}),
      shared: isBegunAgain ? undefined : plan.shared,
      skipsCache: cache === false,
      ignoresStored: isBegunAgain,
      onlyStored: unheard.has(model),
      session,
      onSpent: (spending) => {
        this.#spending = addSpending(this.#spending, spending);
        if (hasMemory && spending.cached > 0) unheard.add(model);
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
    const headers = run.headersOf?.(plan.conversation, this.#effect.turn);
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

/** Where a call of a turn stands. */
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
