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
  const failures = new SimulatedFailures(settings);
  const { latency = 0, empty = 0, seed } = settings.parameters;
  return {
    name: settings.name,
    identity: identityOf(settings),
    account: "sim",
    price: null,
    async simulate(request, context, input) {
      if (context.signal.aborted) throw abortedCall(context.signal, settings.name);
      if (latency > 0) await pause(latency, context.signal, settings.name);
      const key = callKey(seed, context);
      const failure = failures.next(`${key} ${context.conversation}`);
      if (failure !== undefined) throw failure;
      const memory = recalledMemory(request.messages);
      const isVerified = input.question.template !== undefined;
      const earlier = earlierTurns(context, memory);
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

/** Turns are counted by the run: messages may also come from few-shot examples and handovers. */
function earlierTurns({ turn }: CallContext, { unverified }: SubjectMemory): number {
  return Math.max(0, turn - 1 - unverified);
}

/** How long a reply takes does not shape it. */
function identityOf({ subject, parameters: { latency: _, ...parameters } }: SimulationSettings): JsonObject {
  return { provider: "sim", model: subject, parameters };
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

function pause(milliseconds: number, signal: AbortSignal, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(abortedCall(signal, name));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** The memory of a simulated subject. It is stored in its replies, so that a conversation can be resumed at any turn. */
export interface SubjectMemory {
  /** Turns answered whose nodes have no template. */
  readonly unverified: number;
  /** How often it has changed its mind. */
  readonly changes: number;
}

const NOTHING: SubjectMemory = Object.freeze({ unverified: 0, changes: 0 });

/** Other models may have replied since. To search the whole conversation on each turn would take quadratic time. */
const MESSAGES_LOOKED_AT = 64;

/** The memory in the latest reply of a simulated subject. */
export function recalledMemory(messages: readonly Message[]): SubjectMemory {
  const oldest = Math.max(0, messages.length - MESSAGES_LOOKED_AT);
  for (let index = messages.length - 1; index >= oldest; index--) {
    const message = messages[index];
    if (message?.role !== "assistant" || !isRecord(message.native)) continue;
    const { sim } = message.native;
    if (isRecord(sim)) return { unverified: countOf(sim.unverified), changes: countOf(sim.changes) };
  }
  return NOTHING;
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

/** Bounds the memory: a call that the run gives up is never removed by a later attempt. */
const MOST_REMEMBERED = 10_000;

/**
 * Decides which calls of a flaky subject fail, from the seed and the number of the attempt. This number is the only thing that a
 * simulated subject keeps between calls.
 */
export class SimulatedFailures {
  readonly #attempts = new Map<string, number>();
  readonly #fail: number;
  readonly #permanent: number;
  readonly #name: string;

  constructor({ parameters, name }: SimulationSettings) {
    this.#fail = parameters.fail ?? 0;
    this.#permanent = parameters.permanent ?? 0;
    this.#name = name;
  }

  /** The error of the next attempt of a call; undefined if it succeeds. The key identifies the call. */
  next(key: string): ModelError | undefined {
    if (this.#fail === 0 && this.#permanent === 0) return undefined;
    if (new Rng(`${key} permanent`).happens(this.#permanent)) {
      return new ModelError("permission", `${this.#name}: this call is not allowed (simulated).`, {
        statusCode: 403,
      });
    }
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    const rng = new Rng(`${key} attempt ${attempt}`);
    this.#attempts.delete(key);
    if (!rng.happens(this.#fail)) return undefined;
    this.#attempts.set(key, attempt);
    if (this.#attempts.size > MOST_REMEMBERED) {
      const [oldest] = this.#attempts.keys();
      if (oldest !== undefined) this.#attempts.delete(oldest);
    }
    const [category, message, statusCode] = PASSING[rng.below(PASSING.length)] as (typeof PASSING)[number];
    return new ModelError(
      category,
      `${this.#name}: ${message} (simulated).`,
      statusCode === undefined ? {} : { statusCode },
    );
  }
}

const CHARACTERS_A_TOKEN = 4;

/** About how many tokens a call has; the same for the same texts. */
export function estimatedUsage({ instructions = "", messages }: ModelRequest, reply: string): Usage {
  let characters = instructions.length;
  for (const message of messages) characters += charactersOf(message);
  return { inputTokens: tokens(characters), outputTokens: tokens(reply.length) };
}

function charactersOf(message: Message): number {
  if (message.role !== "tool") return message.content.length;
  return message.results.reduce((sum, { output }) => sum + JSON.stringify(output).length, 0);
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}
