import { isRecord, typeName } from "../../../core/values/json.ts";
import type { AssistantMessage, Message, ToolCall, ToolResult } from "../message.ts";
import { extendMessages } from "../message-list.ts";
import type { ModelReply, ToolDefinition } from "../model.ts";

/** How the loop calls the model and the tools. */
export interface ToolLoopOptions {
  readonly ask: (messages: readonly Message[]) => Promise<ModelReply>;
  readonly call: (call: ToolCall) => Promise<ToolResult>;
  /** The tools that were offered; a call of any other is answered with an error. */
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  /** How often the model may be asked, from 1. */
  readonly maxSteps: number;
}

/** The result of the loop. */
interface ToolLoopResult {
  /** The last one. */
  readonly reply: ModelReply;
  /** The messages of all steps, in their order, the last reply included. */
  readonly added: readonly Message[];
  /** How often the model was asked. */
  readonly steps: number;
  /** True if the model still wanted to call tools. */
  readonly stoppedAtLimit: boolean;
  /** Calls that the model made itself and only reports. */
  readonly reported: readonly ToolCall[];
}

/**
 * Calls a model, calls the tools that it requests (`finish: "tool_calls"`), and calls the model again with their results, until it
 * requests none. Calls beside another `finish` are those of an agent that has its own tools: it is not asked again.
 */
export async function runToolLoop(options: ToolLoopOptions): Promise<ToolLoopResult> {
  const { ask, call, maxSteps } = options;
  const added: Message[] = [];
  let messages = options.messages;
  for (let steps = 1; ; steps++) {
    const reply = await ask(messages);
    const { toolCalls: named = [], finish } = reply;
    const [toolCalls, reported] = finish === "tool_calls" ? [named, []] : [[], named];
    const step: Message[] = [assistantMessage(reply, toolCalls)];
    const stoppedAtLimit = toolCalls.length > 0 && steps >= maxSteps;
    if (stoppedAtLimit) {
      // Providers refuse a conversation in which a call has no result.
      const output = `Not called: the limit of ${maxSteps} steps was reached.`;
      step.push({ role: "tool", results: toolCalls.map((wanted) => failed(wanted, output)) });
    } else if (toolCalls.length > 0) {
      const known = new Set(options.tools.map(({ name }) => name));
      const results = await allInOrder(toolCalls.map((wanted) => callOne(wanted, known, call)));
      step.push({ role: "tool", results });
    }
    added.push(...step);
    if (toolCalls.length === 0 || stoppedAtLimit) return { reply, added, steps, stoppedAtLimit, reported };
    messages = extendMessages(messages, step);
  }
}

function assistantMessage(reply: ModelReply, toolCalls: readonly ToolCall[]): AssistantMessage {
  return {
    role: "assistant",
    content: reply.text,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(reply.native !== undefined ? { native: reply.native } : {}),
  };
}

/** A mistake of the model becomes a tool result that the model sees; it does not end the turn. */
async function callOne(
  wanted: ToolCall,
  known: ReadonlySet<string>,
  call: ToolLoopOptions["call"],
): Promise<ToolResult> {
  if (!known.has(wanted.name)) {
    const names = [...known].join(", ");
    return failed(
      wanted,
      `There is no tool "${wanted.name}". ${names === "" ? "There are none." : `There are: ${names}.`}`,
    );
  }
  if (!isRecord(wanted.input))
    return failed(wanted, `The input of "${wanted.name}" must be an object, not ${typeName(wanted.input)}.`);
  return { ...(await call(wanted)), id: wanted.id, name: wanted.name };
}

function failed({ id, name }: ToolCall, output: string): ToolResult {
  return { id, name, output, isError: true };
}

/**
 * All values in order. If some promises failed: the first failure in this order, after all have settled. So the error does not
 * depend on which server was faster, and no promise keeps running unobserved.
 */
export async function allInOrder<Value>(promises: readonly Promise<Value>[]): Promise<readonly Value[]> {
  return (await Promise.allSettled(promises)).map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
