import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import type { AssistantMessage, Message } from "../message.ts";
import type { CallContext, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";

type Values = Readonly<Record<(typeof NAMES)[number], JsonValue>>;

const NAMES = [
  "messages",
  "message",
  "instructions",
  "conversation",
  "run",
  "session",
  "scenario",
  "node",
  "turn",
  "replicate",
  "seed",
] as const;

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Makes the body of a request. */
export interface BodyTemplate {
  fill(request: ModelRequest, context: CallContext): JsonValue;
  /** True if the service is not sent the whole conversation each time: it must remember it. */
  readonly needsMemory: boolean;
}

/**
 * Prepares a body in which `{{messages}}`, `{{message}}` (the question) and the like are filled in. A
 * string that is nothing but a placeholder becomes the value itself; inside a longer string the value becomes text.
 */
export function bodyTemplate(template: unknown, name: string, hasSession: boolean): BodyTemplate {
  const wrong = (problem: string): ModelError =>
    new ModelError("bad_request", `The body of ${name} is wrong: ${problem}`);
  const problems: string[] = [];
  // Checked, and a copy that the caller cannot change.
  const body = frozenCopy(template, ({ path, found = "something that cannot be JSON" }) => {
    problems.push(`${found} at \`${path.join(".")}\`.`);
  }) as JsonValue;
  if (problems[0] !== undefined) throw wrong(problems[0]);
  const used = placeholdersIn(body);
  for (const placeholder of used) {
    if (NAMES.some((known) => known === placeholder)) continue;
    const { nearest } = nearestOf(placeholder, NAMES);
    const hint = nearest === undefined ? `Known are ${NAMES.join(", ")}.` : `Did you mean "{{${nearest}}}"?`;
    throw wrong(`there is no "{{${placeholder}}}". ${hint}`);
  }
  if (!used.has("messages") && !used.has("message")) {
    throw wrong('it has neither "{{messages}}" nor "{{message}}", so nothing would be asked.');
  }
  if (used.has("session") !== hasSession)
    throw wrong(
      'it needs both "{{session}}" and the option `session`, the path of the session id in the response, or neither.',
    );
  // The system prompt must not get lost: it is the first of the messages unless it has a place of its own.
  const inMessages = !used.has("instructions");
  return {
    fill: (request, context) => filled(body, valuesOf(request, context, inMessages)),
    needsMemory: hasSession || !used.has("messages"),
  };
}

function placeholdersIn(body: JsonValue): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: JsonValue): void => {
    if (typeof value === "string") {
      for (const [, name = ""] of value.matchAll(PLACEHOLDER)) found.add(name);
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) Object.values(value as JsonObject).forEach(visit);
  };
  visit(body);
  return found;
}

function valuesOf(request: ModelRequest, context: CallContext, inMessages: boolean): Values {
  const { instructions, messages } = request;
  const { session: conversation = context.conversation, run = "" } = context;
  const { scenario, node, turn, replicate, seed } = context;
  const last = messages.findLast((message) => message.role === "user");
  return {
    messages: chatMessages(messages, inMessages ? instructions : undefined),
    message: last?.content ?? "",
    instructions: instructions ?? "",
    conversation,
    run,
    session: sessionIn(messages),
    scenario,
    node,
    turn,
    replicate,
    seed,
  };
}

/** The session id that the service answered with last; null before its first answer. */
function sessionIn(messages: readonly Message[]): JsonValue {
  const last = messages.findLast((message) => message.role === "assistant");
  return isRecord(last?.native) ? ((last.native as JsonObject).session ?? null) : null;
}

function filled(body: JsonValue, values: Values): JsonValue {
  if (typeof body === "string") return filledText(body, values);
  if (Array.isArray(body)) return body.map((item: JsonValue) => filled(item, values));
  if (!isRecord(body)) return body;
  return Object.fromEntries(
    Object.entries(body as JsonObject).map(([key, value]) => [key, filled(value, values)]),
  );
}

function filledText(text: string, values: Values): JsonValue {
  // Every placeholder has been looked up when the template was prepared.
  const value = (name: string): JsonValue => values[name as keyof Values];
  const [whole] = text.matchAll(PLACEHOLDER);
  if (whole !== undefined && whole[0] === text) return value(whole[1] ?? "");
  return text.replace(PLACEHOLDER, (_, name: string) => {
    const found = value(name);
    return typeof found === "string" ? found : JSON.stringify(found);
  });
}

/** Messages as OpenAI's chat completions have them, the system prompt first. */
export function chatMessages(
  messages: readonly Message[],
  instructions: string | undefined,
): readonly JsonObject[] {
  const chat: JsonObject[] = [];
  if (instructions !== undefined && instructions !== "") chat.push({ role: "system", content: instructions });
  for (const message of messages) {
    if (message.role === "user") chat.push({ role: "user", content: message.content });
    else if (message.role === "assistant") chat.push(assistantMessage(message));
    else {
      for (const { id, output } of message.results) {
        chat.push({ role: "tool", tool_call_id: id, content: asText(output) });
      }
    }
  }
  return chat;
}

function assistantMessage({ content, toolCalls = [] }: AssistantMessage): JsonObject {
  if (toolCalls.length === 0) return { role: "assistant", content };
  return {
    role: "assistant",
    content,
    tool_calls: toolCalls.map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
}

function asText(output: JsonValue): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
