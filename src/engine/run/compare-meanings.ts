import { NOTHING_JUDGED } from "../grading/judge/judge-turn.ts";
import { cosine, type MeaningPair } from "../grading/verify/semantic-match.ts";
import { failureOf } from "../journal/failure.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import { ModelError } from "../models/model-error.ts";
import { isVector } from "../models/providers/embedding-model.ts";
import { callContext } from "./ask-subject.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import type { Judged } from "./judge-reply.ts";
import type { ConversationContext } from "./run-context.ts";
import type { EmbedEffect } from "./step/conversation-state.ts";

/** Asks the embedding model for the vectors of texts, and compares them. A call that fails is part of the result. */
export async function compareMeanings(driver: ConversationContext, effect: EmbedEffect): Promise<Judged> {
  const { run, signal } = driver;
  const { turn, node, pairs } = effect;
  // Such an effect comes only from a run with an embedder.
  const model = run.embedder as AnyModel;
  let spending: Spending = NOTHING_SPENT;
  let calls = 0;
  const vectorOf = async (text: string): Promise<readonly number[]> => {
    const { object } = await run.caller.call({
      model,
      request: { messages: [{ role: "user", content: text }] },
      // A text has one vector, whatever the replicate and the seed.
      context: { ...callContext(driver, effect, { purpose: "judge", signal }), replicate: 1, seed: 0 },
      call: `${turn}.embed.${++calls}`,
      onSpent: (spent) => {
        spending = addSpending(spending, spent);
      },
    });
    if (!isVector(object))
      throw new ModelError("bad_response", `${model.name} did not answer with a vector of numbers.`);
    return object;
  };
  const vectorOfTruth = async (text: string): Promise<readonly number[]> => {
    const vector = run.truthVectors.get(text) ?? (await vectorOf(text));
    run.truthVectors.set(text, vector);
    return vector;
  };
  const compare = async ({ value, truth }: MeaningPair): Promise<number> => {
    const [left, right] = await Promise.all([vectorOf(value), vectorOfTruth(truth)]);
    const similarity = cosine(left, right);
    if (similarity === null)
      throw new ModelError("bad_response", `${model.name} gave vectors that cannot be compared.`);
    return similarity;
  };
  try {
    const similarities = await Promise.all(
      Object.entries(pairs).map(async ([name, pair]) => [name, await compare(pair)] as const),
    );
    return {
      judgement: { ...NOTHING_JUDGED, similarities: Object.fromEntries(similarities) },
      judges: [{ judge: model.name, result: "read" }],
      spending,
    };
  } catch (error) {
    const failure = failureOf(error, { stage: "judge", node, turn });
    const reason = `the embedding model could not be asked: ${failure.message}`;
    const notes = Object.fromEntries(Object.keys(pairs).map((name) => [name, reason]));
    return {
      judgement: { ...NOTHING_JUDGED, status: "unreadable", notes },
      failure,
      judges: [{ judge: model.name, result: "failed", reason: failure.message, category: failure.category }],
      spending,
    };
  }
}
