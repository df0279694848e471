import type { CallContext, SimulatedModel } from "../model/model.ts";
import { abortedCall } from "../model/to-model-error.ts";
import type { JsonObject } from "../value/json.ts";
import { SeededChance } from "../value/seeded-chance.ts";
import { behaviorAt } from "./behavior.ts";
import { estimatedUsage } from "./estimated-usage.ts";
import { SimulatedFailures } from "./simulated-failure.ts";
import { simulatedText } from "./simulated-text.ts";
import { type SimulationSettings, simulationSettings } from "./simulation-settings.ts";
import { recalledMemory, type SubjectMemory, writtenMemory } from "./subject-memory.ts";

/**
 * A subject that plays a part, for rehearsals, demonstrations and tests; `SIMULATED_SUBJECTS` lists the parts. It needs no
 * network, costs nothing, and says the same whenever the same run is made again.
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
    async simulate(request, context, backstage) {
      if (context.signal.aborted) throw abortedCall(context.signal, settings.name);
      if (latency > 0) await pause(latency, context.signal, settings.name);
      const key = callKey(seed, context);
      const failure = failures.next(`${key} ${context.conversation}`);
      if (failure !== undefined) throw failure;
      const chance = new SeededChance(key);
      const memory = recalledMemory(request.messages);
      const isVerified = backstage.question.template !== undefined;
      const earlier = earlierTurns(context, memory);
      const intention = behaviorAt(settings, { earlier, changes: memory.changes, isVerified }, chance);
      const opening = openingOf(seed, context);
      const text = simulatedText(intention, { request, backstage, chance, opening, empty });
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

/** Turns are counted by the run: few-shot examples and handovers make the messages a poor count of them. */
function earlierTurns({ turn }: CallContext, { unverified }: SubjectMemory): number {
  return Math.max(0, turn - 1 - unverified);
}

/** How long a reply takes does not shape it. */
function identityOf({ subject, parameters: { latency: _, ...parameters } }: SimulationSettings): JsonObject {
  return { provider: "sim", model: subject, parameters };
}

function callKey(seed: number | undefined, context: CallContext): string {
  const { scenario, node, turn, replicate } = context;
  return JSON.stringify([seed, scenario, node, turn, replicate, context.seed]);
}

/** Replicates take openings in turn, from a place that differs between questions. */
function openingOf(seed: number | undefined, { scenario, node, turn, replicate }: CallContext): number {
  return new SeededChance(JSON.stringify([seed, scenario, node, turn])).below(1_000) + replicate;
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
