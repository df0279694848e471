import { printableLines } from "../../../system/terminal/printable-text.ts";
import type { CallContext, Model, ModelReply, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall, untilAborted } from "../to-model-error.ts";
import { readTypedAnswer, type TypedAnswer, TypedLines } from "./typed-answer.ts";

/** Where questions are shown and answers are read. */
export interface PersonModelOptions {
  /** Default: standard input. */
  readonly input?: NodeJS.ReadableStream;
  /** Default: standard output. */
  readonly output?: NodeJS.WritableStream;
  readonly name?: string;
  /** Shows a question and reads the answer, in place of input and output. */
  readonly ask?: (request: ModelRequest, context: CallContext) => Promise<TypedAnswer>;
}

/**
 * A person at the terminal. Each question is printed, and answered by lines up to an empty one, or one with a single dot.
 * There is one person, so questions are asked one at a time, whatever the concurrency of the run.
 */
export function personModel(options: PersonModelOptions = {}): Model {
  const { input = process.stdin, output = process.stdout, name = "person" } = options;
  let lines: TypedLines | undefined;
  /** The end of the last call in the queue. */
  let before: Promise<unknown> = Promise.resolve();

  const askHere = async (request: ModelRequest, context: CallContext): Promise<TypedAnswer> => {
    lines ??= await TypedLines.open(input);
    output.write(shownQuestion(request, context));
    const answer = await readTypedAnswer(lines, context);
    if (answer === "aborted") output.write("(no longer needed)\n");
    return answer;
  };

  const ask = async (request: ModelRequest, context: CallContext): Promise<ModelReply> => {
    const { signal } = context;
    // A question that is cancelled while it waits is never shown.
    if (signal.aborted) throw abortedCall(signal, name);
    const answer = await (options.ask ?? askHere)(request, context);
    if (answer === "aborted") throw abortedCall(signal, name);
    if (answer !== "ended") return { text: answer.text, finish: "stop" };
    throw new ModelError("cancelled", `${name}: the input has ended, so there is no answer.`);
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

function shownQuestion({ instructions, messages }: ModelRequest, context: CallContext): string {
  const { scenario, node, turn, replicate } = context;
  const question = messages.findLast((message) => message.role === "user")?.content ?? "";
  const role = turn === 1 && instructions !== undefined ? `\n${instructions}\n` : "";
  const text = `\n── ${scenario}, ${node}, turn ${turn}, replicate ${replicate}\n${role}\n${question}\n`;
  return `${printableLines(text)}\n(end with an empty line)\n`;
}
