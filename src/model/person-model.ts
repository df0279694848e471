import { visibleText } from "../value/visible-text.ts";
import type { CallContext, Model, ModelReply, ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { abortedCall } from "./to-model-error.ts";
import { TypedLines } from "./typed-lines.ts";
import { untilAborted } from "./until-aborted.ts";

/** Where the person sits. */
export interface PersonModelOptions {
  /** Default: standard input. */
  readonly input?: NodeJS.ReadableStream;
  /** Default: standard output. */
  readonly output?: NodeJS.WritableStream;
  readonly name?: string;
}

/**
 * A person at the terminal. Each question is printed, and answered by lines up to an empty one, or one with a single dot.
 * There is one person, so questions wait for each other, whatever the concurrency of the run.
 */
export function personModel(options: PersonModelOptions = {}): Model {
  const { input = process.stdin, output = process.stdout, name = "person" } = options;
  let lines: TypedLines | undefined;
  /** The end of the last call in line. */
  let before: Promise<unknown> = Promise.resolve();

  const ask = async (request: ModelRequest, context: CallContext): Promise<ModelReply> => {
    const { signal } = context;
    // Whoever is given up while waiting in line is never shown.
    if (signal.aborted) throw abortedCall(signal, name);
    lines ??= await TypedLines.open(input);
    output.write(shownQuestion(request, context));
    const text = await readAnswer(lines, signal, () => {
      output.write("(no longer needed)\n");
      return abortedCall(signal, name);
    });
    if (text !== undefined) return { text, finish: "stop" };
    throw new ModelError("cancelled", `${name}: the input has ended, so nobody can answer.`);
  };

  return {
    name,
    account: "person",
    isPatient: true,
    identity: { provider: "person", model: name },
    price: null,
    reply(request, context) {
      const { signal } = context;
      const turn = before.then(() => ask(request, context));
      before = turn.catch(() => {});
      return untilAborted(signal, turn, () => abortedCall(signal, name));
    },
    async close() {
      lines?.close();
    },
  };
}

/** Lines up to an empty one or a dot; undefined if the input ends before anything was typed. */
async function readAnswer(
  lines: TypedLines,
  signal: AbortSignal,
  givenUp: () => ModelError,
): Promise<string | undefined> {
  const typed: string[] = [];
  for (;;) {
    const line = await lines.next(signal);
    if (line === "aborted") throw givenUp();
    if (line === "ended") return typed.length === 0 ? undefined : typed.join("\n");
    if (line.text === ".") return typed.join("\n");
    if (line.text.trim() !== "") typed.push(line.text);
    // Empty lines before the first word are not an answer.
    else if (typed.length > 0) return typed.join("\n");
  }
}

function shownQuestion({ instructions, messages }: ModelRequest, context: CallContext): string {
  const { scenario, node, turn, replicate } = context;
  const question = messages.findLast((message) => message.role === "user")?.content ?? "";
  const role = turn === 1 && instructions !== undefined ? `\n${instructions}\n` : "";
  const text = `\n── ${scenario}, ${node}, turn ${turn}, replicate ${replicate}\n${role}\n${question}\n`;
  return `${visibleText(text)}\n(end with an empty line)\n`;
}
