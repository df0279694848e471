import { expect, test } from "vitest";
import { chainOf, memoryModel } from "../../../test/engine/held.ts";
import type { RunEvent } from "../../journal/run-event.ts";
import { type ErrorCategory, ModelError } from "../../models/model-error.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import { stopIfAllFail } from "./guarded-run.ts";

/** Holds 100 conversations, one at a time, whose calls fail as told; undefined answers. */
async function hold(
  failureOf: (call: number) => ErrorCategory | undefined,
): Promise<{ readonly asked: number; readonly givenUp: string | undefined; readonly ended: number }> {
  const subject = memoryModel("subject", (_message, call) => {
    const category = failureOf(call);
    if (category !== undefined) throw new ModelError(category, "It does not work.");
    return "yes";
  });
  const run = stopIfAllFail(
    runScenarios({
      allowUnread: true,
      scenarios: chainOf(1),
      subjects: subject,
      replicates: 100,
      concurrency: 1,
      retries: { connection: { retries: 0, baseMs: 1, capMs: 1 } },
      patienceMs: 0,
    }),
  );
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const ended = events.filter(({ type }) => type === "conversation-end").length;
  return { asked: subject.asked.length, givenUp: run.givenUp?.category, ended };
}

test.each(["authentication", "permission", "not_found", "bad_request", "connection"] as const)(
  "a run whose first ten conversations end with %s asks no more",
  async (category) => {
    const { asked, givenUp, ended } = await hold(() => category);
    expect(givenUp).toBe(category);
    // Some more have begun when the tenth is seen.
    expect(asked).toBeLessThan(50);
    expect(ended).toBe(100);
  },
);

test("one answer is hope enough", async () => {
  const { asked, givenUp } = await hold((call) => (call === 5 ? undefined : "authentication"));
  expect([asked, givenUp]).toEqual([100, undefined]);
});

test("what may pass is tried to the end", async () => {
  const { asked, givenUp } = await hold(() => "tool");
  expect([asked, givenUp]).toEqual([100, undefined]);
});
