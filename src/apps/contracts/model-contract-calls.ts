import { canonicalJson, deepEqual } from "../../core/values/json.ts";
import type { Message } from "../../engine/models/message.ts";
import type {
  CallContext,
  FinishReason,
  Model,
  ModelReply,
  ModelRequest,
  ToolDefinition,
} from "../../engine/models/model.ts";
import { type ErrorCategory, ModelError } from "../../engine/models/model-error.ts";

const FINISH: readonly FinishReason[] = ["stop", "length", "tool_calls", "content_filter", "other"];

const WEATHER: ToolDefinition = {
  name: "weather",
  description: "The weather of a city",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

const CONVERSATION: readonly Message[] = Object.freeze([
  Object.freeze({ role: "user", content: "The first question, about Canberra?" }),
  Object.freeze({ role: "assistant", content: "The first answer: äöü 漢字 🙂." }),
  Object.freeze({ role: "user", content: "The second question\nwith two lines?" }),
]);

/** What must hold of calls that go well. */
export const CALL_CASES: Readonly<Record<string, ContractRule>> = {
  "replies with a text, in data that JSON can hold": rule([], async ({ model }) => {
    const reply = await model.reply(requestOf("What is the capital of Australia?"), contextOf());
    demand(typeof reply.text === "string" && reply.text !== "", "the reply has no text");
    demand(FINISH.includes(reply.finish), `the reply ended with "${reply.finish}"`);
    demand(deepEqual(JSON.parse(JSON.stringify(reply)), reply), "the reply is not JSON");
  }),
  "tells tokens as whole numbers from 0, or not at all": rule([], async ({ model }) => {
    const { usage } = await model.reply(requestOf("How many?"), contextOf());
    if (usage === undefined) return;
    demand(usage.inputTokens !== undefined && usage.outputTokens !== undefined, "usage is not complete");
    for (const [name, count] of Object.entries(usage)) {
      demand(Number.isSafeInteger(count) && count >= 0, `\`${name}\` is ${String(count)}`);
    }
  }),
  "answers what it is asked": rule(["echo"], async ({ model }) => {
    const { text } = await model.reply(requestOf("Say heliotrope."), contextOf());
    demand(text.includes("Say heliotrope."), `the reply does not belong to the question: ${text}`);
  }),
  "puts the system prompt first": rule(["seen", "history"], async ({ model, seen }) => {
    await model.reply(requestOf("Now?", { instructions: "Speak like a lighthouse." }), contextOf());
    const asked = seen?.().at(-1);
    demand(asked?.instructions === "Speak like a lighthouse.", "the system prompt did not arrive as it was");
    demand(asked.first === true, "something stands before the system prompt");
    demand(deepEqual(asked.texts, ["Now?"]), "the system prompt is not alone before the question");
  }),
  "passes the whole conversation on, in order and to the letter": rule(
    ["seen", "history"],
    async ({ model, seen }) => {
      await model.reply(requestOf("", { messages: CONVERSATION }), contextOf({ turn: 2 }));
      const texts = CONVERSATION.map((message) => (message.role === "tool" ? "" : message.content));
      demand(deepEqual(seen?.().at(-1)?.texts, texts), "the conversation did not arrive as it was");
    },
  ),
  "keeps one turn of a conversation for the next": rule(
    ["seen", "echo", "history"],
    async ({ model, seen }) => {
      const first = requestOf("One?");
      const { text, toolCalls, native } = await model.reply(first, contextOf());
      const answer: Message = {
        role: "assistant",
        content: text,
        ...(toolCalls === undefined ? {} : { toolCalls }),
        ...(native === undefined ? {} : { native }),
      };
      const messages: readonly Message[] = [...first.messages, answer, { role: "user", content: "Two?" }];
      await model.reply(requestOf("", { messages }), contextOf({ turn: 2 }));
      demand(
        deepEqual(seen?.().at(-1)?.texts, ["One?", text, "Two?"]),
        "the reply of the first turn did not arrive in the second",
      );
    },
  ),
  "asks once for a reply": rule(["seen"], async ({ model, seen }) => {
    await model.reply(requestOf("Once?"), contextOf());
    demand(seen?.().length === 1, `a reply took ${seen?.().length} requests`);
  }),
  "leaves the request as it was": rule([], async ({ model }) => {
    const request = {
      instructions: "You are terse.",
      messages: structuredClone(CONVERSATION) as Message[],
      tools: [structuredClone(WEATHER)],
    };
    const before = structuredClone(request);
    await model.reply(request, contextOf());
    demand(deepEqual(request, before), "the request was changed");
  }),
  "does not mix calls that run at the same time": rule(["echo"], async ({ model }) => {
    const words = Array.from({ length: 20 }, (_, index) => `word-${index}-of-20`);
    const replies = await Promise.all(
      words.map((word) => model.reply(requestOf(word), contextOf({ conversation: word }))),
    );
    for (const [index, { text }] of replies.entries()) {
      demand(text.includes(words[index] as string), `the reply to ${words[index]} is "${text}"`);
    }
  }),
  "asks for tools, and takes their results": rule(
    ["tools", "seen", "history"],
    async ({ model, callToolNext, seen }) => {
      callToolNext?.("weather", { city: "Canberra" });
      const first = requestOf("How is the weather?", { tools: [WEATHER] });
      const { text, toolCalls = [], native, finish } = await model.reply(first, contextOf());
      const [call] = toolCalls;
      demand(toolCalls.length === 1 && call !== undefined, "the tool call did not come through");
      demand(call.name === "weather" && call.id !== "", "the tool call has another name, or no id");
      demand(deepEqual(call.input, { city: "Canberra" }), "the input of the tool call is another");
      demand(finish === "tool_calls", `a reply with tool calls ended with "${finish}"`);
      const messages: readonly Message[] = [
        ...first.messages,
        { role: "assistant", content: text, toolCalls, ...(native === undefined ? {} : { native }) },
        { role: "tool", results: [{ id: call.id, name: call.name, output: { sky: "blue-ish" } }] },
      ];
      await model.reply(requestOf("", { messages, tools: [WEATHER] }), contextOf());
      const last = JSON.stringify(seen?.().at(-1));
      demand(last.includes("blue-ish"), "the result of the tool did not arrive");
    },
  ),
};

/** What the other side of a model was asked, in its own words. */
export interface SeenRequest {
  /** The system prompt as it arrived, and where: `first` is false if anything came before it. */
  readonly instructions?: string;
  readonly first?: boolean;
  /** The texts of all other messages in order. */
  readonly texts: readonly string[];
}

/** A model and its other side: the server, function or person that answers. */
export interface ContractHarness {
  readonly model: Model;
  /** What the other side has been asked so far. Needed unless `without` has "seen". */
  readonly seen?: () => readonly SeenRequest[];
  /** The next call never gets an answer. Needed unless `without` has "stall". */
  readonly stallNext?: () => void;
  /** By category: the next call fails in this way, in words that hold all secrets. Needed unless `without` has "faults". */
  readonly faults?: Readonly<Partial<Record<ErrorCategory, () => void>>>;
  /** The next reply wants this tool to be called. Needed unless `without` has "tools". */
  readonly callToolNext?: (name: string, input: { readonly [key: string]: string }) => void;
  /** What must never be seen: keys, tokens. */
  readonly secrets?: readonly string[];
  readonly close?: () => Promise<void>;
}

/**
 * What some models cannot have: a replay cannot stall, a person has no faults. `echo`: the other side answers with the last
 * user's message in its text. `history`: it is shown the whole conversation and the system prompt, not only the question.
 */
export type ContractAbility = "seen" | "echo" | "history" | "stall" | "faults" | "tools";

/** A case of the contract; `run` throws if the model breaks it. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What a case needs of the harness, and what it does. */
export interface ContractRule {
  readonly needs: readonly ContractAbility[];
  readonly test: (harness: ContractHarness) => Promise<void>;
}

/** A case that needs abilities of the harness. */
export function rule(needs: ContractRule["needs"], test: ContractRule["test"]): ContractRule {
  return { needs, test };
}

/** Throws unless something holds that the contract asks for. */
export function demand(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(`The contract of models is broken: ${problem}.`);
}

/** The request of a first turn, frozen, so that changing it is an error. */
export function requestOf(text: string, change: Partial<ModelRequest> = {}): ModelRequest {
  return Object.freeze({
    instructions: "You are terse.",
    messages: Object.freeze([Object.freeze({ role: "user" as const, content: text })]),
    ...change,
  });
}

/** A call as the engine makes it. */
export function contextOf(change: Partial<CallContext> = {}): CallContext {
  return {
    signal: new AbortController().signal,
    purpose: "subject",
    scenario: "contract",
    conversation: "contract-1",
    node: "ask",
    turn: 1,
    replicate: 1,
    seed: 7,
    ...change,
  };
}

/** The error of a call that must fail. */
export async function failureOf(reply: Promise<ModelReply>): Promise<ModelError> {
  const failure = await reply.then(
    () => undefined,
    (error: unknown) => error,
  );
  demand(failure !== undefined, "a call that should have failed gave a reply");
  demand(failure instanceof ModelError, `it threw ${String(failure)} instead of a ModelError`);
  return failure;
}

/** An error is printed and stored, so it must have a message and no secrets. */
export function demandPresentable(error: ModelError, secrets: readonly string[]): void {
  demand(error.message.trim() !== "", "an error has no message");
  let cause: unknown = error.cause;
  let shown = `${error.message}\n${error.stack}`;
  for (let depth = 0; cause instanceof Error && depth < 10; depth++, cause = cause.cause) {
    shown += `\n${cause.message}\n${cause.stack}\n${canonicalJson({ ...cause })}`;
  }
  for (const secret of secrets) demand(!shown.includes(secret), "an error shows a secret");
}
