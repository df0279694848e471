import { END, ModelError, runScenarios, Scenario } from "elenchus";
import { memoryStore, type Store } from "elenchus/store";
import { letterQuestion, memoryModel } from "../engine/held.ts";

/** What the subject says; "fail" and "mumble" are what they say. */
type Reply = "A" | "B" | "fail" | "mumble";

/** A run "r" of one scenario in which the subject's reply to each row is given; two replicates of each. */
export async function heldRun(
  replies: readonly Reply[],
  {
    message = "The key is wrong.",
    scenario = "letters",
    judges = ["one"],
  }: { readonly message?: string; readonly scenario?: string; readonly judges?: readonly string[] } = {},
): Promise<Store> {
  const store = memoryStore();
  const definition = new Scenario(scenario)
    .addNode("ask", { question: letterQuestion("{{row.reply}}") })
    .addEdge("ask", END)
    .addOutcome("right", {
      type: "turn_check",
      scope: { type: "first_turn" },
      field: "verify_result",
      expected: true,
    })
    .addOutcome("passes", { type: "count_turns", verifyResult: true })
    .setEntry("ask")
    .validate();
  const subject = memoryModel("subject", (asked) => {
    if (asked === "fail") throw new ModelError("authentication", message, { statusCode: 401 });
    return asked === "mumble" ? "Hm." : asked;
  });
  await runScenarios({
    scenarios: definition,
    subjects: subject,
    judge: judges.map((name) => memoryModel(name, () => "{}")),
    rows: replies.map((reply) => ({ reply })),
    replicates: 2,
    store,
    run: "r",
  }).results;
  return store;
}
