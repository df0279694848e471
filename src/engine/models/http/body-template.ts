import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import type { CallContext, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";

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
interface BodyTemplate {
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
  // Checked, and a copy that the caller cannot change.
  let problem: string | undefined;
  const body = frozenCopy(template, ({ path, found = "something that cannot be JSON" }) => {
    problem ??= `${found} at \`${path.join(".")}\`.`;
  }) as JsonValue;
  if (problem !== undefined) throw wrong(problem);
  const used = new Set<string>();
  filled(body, (placeholder) => {
    used.add(placeholder);
    return null;
  });
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
    fill(request, context) {
      const values = valuesOf(request, context, inMessages);
      // Every placeholder has been looked up when the template was prepared.
      return filled(body, (placeholder) => values[placeholder as keyof typeof values]);
    },
    needsMemory: hasSession || !used.has("messages"),
  };
}

function valuesOf(
  { instructions, messages }: ModelRequest,
  context: CallContext,
  inMessages: boolean,
): Readonly<Record<(typeof NAMES)[number], JsonValue>> {
  const { session: conversation = context.conversation, run = "" } = context;
  const { scenario, node, turn, replicate, seed } = context;
  const last = messages.findLast((message) => message.role === "user");
  const answer = messages.findLast((message) => message.role === "assistant");
  return {
    messages: chatMessages(messages, inMessages ? instructions : undefined),
    message: last?.content ?? "",
    instructions: instructions ?? "",
    conversation,
    run,
    // What the service answered last; null before its first answer.
    session: isRecord(answer?.native) ? ((answer.native as JsonObject).session ?? null) : null,
    scenario,
    node,
    turn,
    replicate,
    seed,
  };
}

function filled(body: JsonValue, find: (placeholder: string) => JsonValue): JsonValue {
  if (typeof body === "string") {
    const [whole] = body.matchAll(PLACEHOLDER);
    if (whole?.[0] === body) return find(whole[1] ?? "");
    return body.replace(PLACEHOLDER, (_, name: string) => asText(find(name)));
  }
  if (Array.isArray(body)) return body.map((item: JsonValue) => filled(item, find));
  if (!isRecord(body)) return body;
  const entries = Object.entries(body as JsonObject);
  return Object.fromEntries(entries.map(([key, value]) => [key, filled(value, find)]));
}

/** Messages as OpenAI's chat completions have them, the system prompt first. */
function chatMessages(messages: readonly Message[], instructions = ""): readonly JsonObject[] {
  const chat = messages.flatMap((message): readonly JsonObject[] => {
    const { role } = message;
    if (role === "user") return [{ role, content: message.content }];
    if (role === "tool")
      return message.results.map(({ id, output }) => ({ role, tool_call_id: id, content: asText(output) }));
    const { content, toolCalls = [] } = message;
    const calls = toolCalls.map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    return [{ role, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
  });
  return instructions === "" ? chat : [{ role: "system", content: instructions }, ...chat];
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
