import { Rng } from "../../../core/rng.ts";
import { canonicalJson, isRecord, type JsonObject } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import type { CallContext, ModelRequest, SimulatedModel, Usage } from "../model.ts";
import { type ErrorCategory, ModelError } from "../model-error.ts";
import { abortedCall } from "../to-model-error.ts";
import { behaviorAt, type SimulationSettings, simulationSettings } from "./simulated-subjects.ts";
import { simulatedText } from "./simulated-text.ts";

/**
 * A simulated subject, for trying scenarios, demonstrations and tests; `SIMULATED_SUBJECTS` lists them. It needs no network, costs
 * nothing, and gives the same replies whenever the same run is repeated.
 *
 * @example
 * simulatedModel("sim/waverer?flip=0.5")
 */
export function simulatedModel(reference: string, parameters: JsonObject = {}): SimulatedModel {
  const settings = simulationSettings(reference, parameters);
  const { name, subject } = settings;
  const { latency, ...shaping } = settings.parameters;
  const { empty = 0, seed } = shaping;
  const failure = simulatedFailures(settings);
  // Not imported, so that the library loads faster.
  const timers = process.getBuiltinModule("node:timers/promises");
  return {
    name,
    // How long a reply takes does not shape it.
    identity: { provider: "sim", model: subject, parameters: shaping },
    account: "sim",
    price: null,
    async simulate(request, context, input) {
      const { signal } = context;
      const aborted = (): never => {
        throw abortedCall(signal, name);
      };
      if (signal.aborted) aborted();
      if (latency) await timers.setTimeout(latency, undefined, { signal }).catch(aborted);
      const key = callKey(seed, context);
      const failed = failure(`${key} ${context.conversation}`);
      if (failed !== undefined) throw failed;
      const memory = recalledMemory(request.messages);
      const isVerified = input.question.template !== undefined;
      // Turns are counted by the run: messages may also come from few-shot examples and handovers.
      const earlier = Math.max(0, context.turn - 1 - memory.unverified);
      const opening = openingOf(seed, context);
      const { evaluate = (work) => work(), ...known } = input;
      const { intention, text } = await evaluate(() => {
        const rng = new Rng(key);
        const behavior = behaviorAt(settings, { earlier, changes: memory.changes, isVerified }, rng);
        // Of work that may be done again nothing may be kept, and only what is frozen is kept for a question.
        const question = input.evaluate === undefined ? known.question : { ...known.question };
        const told = { ...known, question };
        return {
          intention: behavior,
          text: simulatedText(behavior, { request, input: told, rng, opening, empty }),
        };
      });
      return {
        text,
        finish: "stop",
        usage: estimatedUsage(request, text),
        ...writtenMemory({
          unverified: memory.unverified + (isVerified ? 0 : 1),
          changes: memory.changes + (intention.changesMind ? 1 : 0),
        }),
      };
    },
  };
}

function callKey(seed: number | undefined, context: CallContext): string {
  const { scenario, node, turn, replicate, row, variant, arm } = context;
  const parts = [seed, scenario, node, turn, replicate, context.seed];
  if (row === undefined && variant === undefined && arm === undefined) return JSON.stringify(parts);
  return canonicalJson([...parts, row ?? null, variant ?? null, arm ?? null]);
}

/** Replicates take the openings in turn, from a start that differs between questions. */
function openingOf(seed: number | undefined, { scenario, node, turn, replicate }: CallContext): number {
  return new Rng(JSON.stringify([seed, scenario, node, turn])).below(1_000) + replicate;
}

/** The memory of a simulated subject. It is stored in its replies, so that a conversation can be resumed at any turn. */
interface SubjectMemory {
  /** Turns answered whose nodes have no template. */
  readonly unverified: number;
  /** How often it has changed its mind. */
  readonly changes: number;
}

/** Other models may have replied since. To search the whole conversation on each turn would take quadratic time. */
const MESSAGES_LOOKED_AT = 64;

/** The memory in the latest reply of a simulated subject. */
export function recalledMemory(messages: readonly Message[]): SubjectMemory {
  const memories: readonly unknown[] = messages
    .slice(-MESSAGES_LOOKED_AT)
    .map((message) =>
      message.role === "assistant" && isRecord(message.native) ? message.native.sim : undefined,
    );
  const { unverified, changes } = memories.findLast(isRecord) ?? {};
  return { unverified: countOf(unverified), changes: countOf(changes) };
}

/** The memory as a part of a reply; nothing if there is nothing to remember. */
export function writtenMemory({ unverified, changes }: SubjectMemory): { readonly native?: JsonObject } {
  if (unverified === 0 && changes === 0) return {};
  return {
    native: { sim: { ...(unverified > 0 ? { unverified } : {}), ...(changes > 0 ? { changes } : {}) } },
  };
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

const PASSING: readonly (readonly [category: ErrorCategory, message: string, statusCode?: number])[] = [
  ["connection", "the connection was closed before an answer came"],
  ["timeout", "no answer came in time"],
  ["rate_limit", "too many requests", 429],
  ["server", "the server is overloaded", 503],
  ["bad_response", "the answer broke off in the middle"],
];

/**
 * Decides which calls of a flaky subject fail, from the seed and the number of the attempt. This number is the only thing that a
 * simulated subject keeps between calls.
 */
function simulatedFailures({
  parameters,
  name,
}: SimulationSettings): (key: string) => ModelError | undefined {
  const { fail = 0, permanent = 0 } = parameters;
  const attempts = new Map<string, number>();
  return (key) => {
    if (fail === 0 && permanent === 0) return undefined;
    if (new Rng(`${key} permanent`).happens(permanent))
      return new ModelError("permission", `${name}: this call is not allowed (simulated).`, {
        statusCode: 403,
      });
    const attempt = (attempts.get(key) ?? 0) + 1;
    const rng = new Rng(`${key} attempt ${attempt}`);
    attempts.delete(key);
    if (!rng.happens(fail)) return undefined;
    attempts.set(key, attempt);
    const [category, message, statusCode] = PASSING[rng.below(PASSING.length)] as (typeof PASSING)[number];
    const options = statusCode === undefined ? {} : { statusCode };
    return new ModelError(category, `${name}: ${message} (simulated).`, options);
  };
}

const CHARACTERS_A_TOKEN = 4;

/** About how many tokens a call has; the same for the same texts. */
export function estimatedUsage({ instructions = "", messages }: ModelRequest, reply: string): Usage {
  const characters = messages.reduce((sum, message) => sum + charactersOf(message), instructions.length);
  return {
    inputTokens: Math.ceil(characters / CHARACTERS_A_TOKEN),
    outputTokens: Math.ceil(reply.length / CHARACTERS_A_TOKEN),
  };
}

function charactersOf(message: Message): number {
  if (message.role !== "tool") return message.content.length;
  return message.results.reduce((sum, { output }) => sum + JSON.stringify(output).length, 0);
}
