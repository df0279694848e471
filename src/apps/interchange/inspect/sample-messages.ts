import { isRecord, type JsonValue } from "../../../core/values/json.ts";
import type { Turn } from "../../../engine/journal/turn.ts";
import type { AssistantMessage, Message, ToolCall } from "../../../engine/models/message.ts";

/** Data of a log; what is undefined is left out when it is written as JSON. */
export type LogData = Readonly<Record<string, unknown>>;

/** A message as Inspect has it. */
type LoggedMessage = LogData & { readonly id: string; readonly role: string };

/** One answer of a model within a turn: what it saw, what it said, and what tools then gave. */
export interface ReplyStep {
  /** Ranges of positions in the list of messages, ends excluded. */
  readonly inputs: readonly (readonly [number, number])[];
  readonly message: LoggedMessage;
  readonly results: readonly LogData[];
}

/** The messages of a sample, each once; every agent has seen some of them. */
export class SampleMessages {
  readonly all: LoggedMessage[] = [];
  readonly #name: string;
  /** Positions that an agent has seen, and the system prompt it had. */
  readonly #agents = new Map<string, { readonly seen: number[]; instructions: string | undefined }>();

  constructor(name: string) {
    this.#name = name;
  }

  /** Adds what was said in a turn; returns the answers of the model in order. */
  addTurn(turn: Turn): readonly ReplyStep[] {
    const name = turn.agent ?? "";
    const agent = this.#agents.get(name) ?? { seen: [], instructions: undefined };
    this.#agents.set(name, agent);
    const about = { node: turn.node, turn: turn.turn, agent: turn.agent };
    const add = (message: LogData & { readonly role: string }): LoggedMessage => {
      const logged = { id: `${this.#name}.m${this.all.length + 1}`, ...message, metadata: about };
      agent.seen.push(this.all.length);
      this.all.push(logged);
      return logged;
    };
    if (turn.instructions !== undefined && turn.instructions !== agent.instructions) {
      agent.instructions = turn.instructions;
      add({ role: "system", content: turn.instructions });
    }
    for (const message of turn.messages ?? questionOf(turn))
      for (const part of logged(message, "input")) add(part);
    const steps: ReplyStep[] = [];
    const replies = turn.replyMessages ?? replyOf(turn);
    for (const [index, message] of replies.entries()) {
      if (message.role !== "assistant") {
        for (const part of logged(message, "generate")) add(part);
        continue;
      }
      const inputs = rangesOf(agent.seen);
      const [written] = logged(message, "generate") as [LogData & { readonly role: string }];
      const next = replies[index + 1];
      steps.push({
        inputs,
        message: add({ ...written, model: turn.model }),
        results: toolEvents(message, next?.role === "tool" ? next.results : []),
      });
    }
    return steps;
  }
}

function questionOf({ questionText }: Turn): readonly Message[] {
  return questionText === undefined ? [] : [{ role: "user", content: questionText }];
}

function replyOf({ reply }: Turn): readonly Message[] {
  return reply === undefined ? [] : [{ role: "assistant", content: reply }];
}

/** A message of ours as one or, for several results of tools, as many of Inspect's. */
function logged(
  message: Message,
  source: "input" | "generate",
): readonly (LogData & { readonly role: string })[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content, source }];
    case "assistant":
      return [
        {
          role: "assistant",
          content: message.content,
          source,
          tool_calls: message.toolCalls?.length ? message.toolCalls.map(callOf) : undefined,
        },
      ];
    case "tool":
      return message.results.map(({ id, name, output, isError }) => ({
        role: "tool",
        content: textOf(output),
        tool_call_id: id,
        function: name,
        error: errorOf(output, isError),
      }));
  }
}

function callOf({ id, name, input }: ToolCall): LogData {
  // Inspect wants an object.
  return { id, function: name, arguments: isRecord(input) ? input : { input } };
}

function errorOf(output: JsonValue, isError = false): LogData | undefined {
  return isError ? { type: "unknown", message: textOf(output) } : undefined;
}

function toolEvents(
  { toolCalls = [] }: AssistantMessage,
  results: readonly { readonly id: string; readonly output: JsonValue; readonly isError?: boolean }[],
): readonly LogData[] {
  return toolCalls.map((call) => {
    const result = results.find(({ id }) => id === call.id);
    if (result === undefined) return callOf(call);
    const { output, isError } = result;
    return { ...callOf(call), result: textOf(output), error: errorOf(output, isError) };
  });
}

function textOf(output: JsonValue): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

/** Positions as ranges, so that a long conversation does not repeat them. */
function rangesOf(positions: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const position of positions) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === position) last[1] = position + 1;
    else ranges.push([position, position + 1]);
  }
  return ranges;
}
