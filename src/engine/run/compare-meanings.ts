import { NOTHING_JUDGED } from "../grading/judge/judge-turn.ts";
import { cosine } from "../grading/verify/semantic-match.ts";
import { failureOf } from "../journal/failure.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import { ModelError } from "../models/model-error.ts";
import { isVector } from "../models/providers/embedding-model.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import type { Judged } from "./judge-reply.ts";
import type { ConversationContext } from "./run-context.ts";
import type { EmbedEffect } from "./step/conversation-state.ts";

/** Asks the embedding model for the vectors of texts, and compares them. A call that fails is part of the result. */
export async function compareMeanings(driver: ConversationContext, effect: EmbedEffect): Promise<Judged> {
  // Such an effect comes only from a run with an embedder.
  const model = driver.run.embedder as AnyModel;
  const embedding = new Embedding(driver, effect, model);
  try {
    const fields = Object.entries(effect.pairs);
    const similarities = await Promise.all(
      fields.map(async ([name, { value, truth }]) => {
        const [left, right] = await Promise.all([embedding.of(value), embedding.ofTruth(truth)]);
        const similarity = cosine(left, right);
        if (similarity === null)
          throw new ModelError("bad_response", `${model.name} gave vectors that cannot be compared.`);
        return [name, similarity] as const;
      }),
    );
    return {
      judgement: { ...NOTHING_JUDGED, similarities: Object.fromEntries(similarities) },
      judges: [{ judge: model.name, result: "read" }],
      spending: embedding.spending,
    };
  } catch (error) {
    const failure = failureOf(error, { stage: "judge", node: effect.node, turn: effect.turn });
    const reason = `the embedding model could not be asked: ${failure.message}`;
    const notes = Object.fromEntries(Object.keys(effect.pairs).map((name) => [name, reason]));
    return {
      judgement: { ...NOTHING_JUDGED, status: "unreadable", notes },
      failure,
      judges: [{ judge: model.name, result: "failed", reason: failure.message, category: failure.category }],
      spending: embedding.spending,
    };
  }
}

class Embedding {
  spending: Spending = NOTHING_SPENT;
  readonly #driver: ConversationContext;
  readonly #effect: EmbedEffect;
  readonly #model: AnyModel;
  #calls = 0;

  constructor(driver: ConversationContext, effect: EmbedEffect, model: AnyModel) {
    this.#driver = driver;
    this.#effect = effect;
    this.#model = model;
  }

  async ofTruth(text: string): Promise<readonly number[]> {
    const { truthVectors } = this.#driver.run;
    const vector = truthVectors.get(text) ?? (await this.of(text));
    truthVectors.set(text, vector);
    return vector;
  }

  async of(text: string): Promise<readonly number[]> {
    const { run, plan, signal } = this.#driver;
    const { turn, node } = this.#effect;
    const { conversation, cell } = plan;
    const { object } = await run.caller.call({
      model: this.#model,
      request: { messages: [{ role: "user", content: text }] },
      // A text has one vector, whatever the replicate and the seed.
      context: {
        signal,
        purpose: "judge",
        scenario: cell.scenario,
        conversation,
        node,
        turn,
        replicate: 1,
        seed: 0,
      },
      call: `${turn}.embed.${++this.#calls}`,
      onSpent: (spending) => {
        this.spending = addSpending(this.spending, spending);
      },
    });
    if (!isVector(object))
      throw new ModelError("bad_response", `${this.#model.name} did not answer with a vector of numbers.`);
    return object;
  }
}
