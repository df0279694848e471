import {
  END,
  question,
  type RunEvent,
  type RunOptions,
  type runScenarios,
  Scenario,
  type ScenarioDefinition,
} from "elenchus";
import type { Model, ModelReply } from "elenchus/models";
import type { RunInternals } from "../../src/engine/run/run-options.ts";
import { startRun } from "../../src/engine/run/run-scenarios.ts";

/** A model in memory; the replies are what `reply` makes of the last message and of how often it was asked. */
export function memoryModel(
  name: string,
  reply: (
    message: string,
    call: number,
    signal: AbortSignal,
  ) => string | Partial<ModelReply> | Promise<string | Partial<ModelReply>>,
): Model & { readonly asked: Parameters<Model["reply"]>[] } {
  const asked: Parameters<Model["reply"]>[] = [];
  return {
    name,
    identity: { name },
    account: name,
    price: null,
    asked,
    async reply(request, context) {
      asked.push([request, context]);
      const last = request.messages.at(-1);
      const content = last?.role === "user" ? last.content : "";
      const answer = await reply(content, asked.length, context.signal);
      const usage = { inputTokens: 10, outputTokens: 5 };
      return { text: "", finish: "stop", usage, ...(typeof answer === "string" ? { text: answer } : answer) };
    },
  };
}

/** A judge that reads a boolean field `right` as whether the reply says "yes". */
export function yesJudge(name = "judge"): ReturnType<typeof memoryModel> {
  return memoryModel(name, (message) => {
    const [, reply = ""] =
      /The reply to record:[\s\S]*?\n([\s\S]*?)\n[^\n]*\n\nThe quoted text ends/.exec(message) ?? [];
    return JSON.stringify({ fields: { right: reply.includes("yes") } });
  });
}

/** A chain of nodes with one judged field each. */
export function chainOf(length: number, name = "chain"): ScenarioDefinition {
  const scenario: Scenario = new Scenario(name);
  for (let index = 0; index < length; index++)
    scenario.addNode(`n${index}`, { question: judgedQuestion(`Question ${index}?`) });
  for (let index = 0; index < length; index++)
    scenario.addEdge(`n${index}`, index + 1 < length ? `n${index + 1}` : END);
  return scenario.setEntry("n0").validate();
}

/** A question whose one field a judge must read. */
export function judgedQuestion(text: string): ReturnType<typeof question> {
  return question({
    question: text,
    rawAnswer: "yes",
    template: { fields: { right: { type: "boolean", description: "whether it says yes", truth: true } } },
  });
}

/** A question that rules can read. */
export function letterQuestion(text: string): ReturnType<typeof question> {
  return question({
    question: text,
    rawAnswer: "B",
    template: {
      fields: {
        letter: {
          type: "enum",
          values: ["A", "B"],
          description: "the letter",
          truth: "B",
          extract: { type: "letter" },
        },
      },
    },
  });
}

/** The events and results of a run. */
export async function held(
  options: RunOptions,
  internals: RunInternals = {},
): Promise<{
  readonly events: readonly RunEvent[];
  readonly results: Awaited<ReturnType<typeof runScenarios>["results"]>;
}> {
  const run = startRun({ allowUnread: true, ...options }, internals);
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return { events, results: await run.results };
}

/** Waits without a timer: for so many turns of the event loop. */
export async function ticks(count = 1): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The events of one kind. */
export function only<Type extends RunEvent["type"]>(
  events: readonly RunEvent[],
  type: Type,
): readonly Extract<RunEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}
