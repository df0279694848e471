import { type Attributes, metrics } from "@opentelemetry/api";
import type { CallEnd, CallStart } from "../../journal/run-event.ts";
import { ERROR_TYPE, GEN_AI, providerAndModel } from "./attributes.ts";

/** Calls, tokens and cost as metrics, by purpose and model. */
export class RunMeters {
  readonly #calls = metrics.getMeter("elenchus").createCounter("elenchus.calls");
  readonly #tokens = metrics
    .getMeter("elenchus")
    .createHistogram("gen_ai.client.token.usage", { unit: "{token}" });
  readonly #cost = metrics.getMeter("elenchus").createCounter("elenchus.cost", { unit: "USD" });
  readonly #duration = metrics
    .getMeter("elenchus")
    .createHistogram("gen_ai.client.operation.duration", { unit: "s" });

  count({ purpose, model }: CallStart, { cached, usage, cost, failure, latencyMs }: CallEnd): void {
    const named = providerAndModel(model);
    const attributes: Attributes = {
      "elenchus.purpose": purpose,
      [GEN_AI.provider]: named.provider,
      [GEN_AI.model]: named.model,
      ...(failure === undefined ? {} : { [ERROR_TYPE]: failure.category }),
    };
    this.#calls.add(1, { ...attributes, "elenchus.cached": cached });
    if (cached || purpose === "tool") return;
    this.#duration.record(latencyMs / 1000, attributes);
    if (cost !== undefined && cost !== null) this.#cost.add(cost, attributes);
    if (usage === undefined) return;
    this.#tokens.record(usage.inputTokens, { ...attributes, [GEN_AI.tokenType]: "input" });
    this.#tokens.record(usage.outputTokens, { ...attributes, [GEN_AI.tokenType]: "output" });
  }
}
