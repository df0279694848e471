import { expect, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../test/engine/held.ts";
import { systemClock } from "./calls/clock.ts";
import { type CellGroup, cellGroups } from "./cell-source.ts";
import { ConversationDriver } from "./conversation-driver.ts";
import { setUpRun } from "./set-up-run.ts";

/** A map that breaks when it is read, as a bug of the engine would. */
class BrokenMap extends Map<string, never> {
  override get(): never {
    throw new Error("a bug");
  }
}

test.each(["subjects", "judges"] as const)("a bug around the %s makes the run fail", async (models) => {
  const failure = Promise.withResolvers<unknown>();
  const setup = await setUpRun(
    { scenarios: chainOf(2), subjects: memoryModel("subject", () => "yes"), judge: yesJudge() },
    { clock: systemClock, emit: () => {}, durable: () => undefined, fail: failure.resolve },
  );
  const { cells } = (await cellGroups(setup.factors).next()).value as CellGroup;
  const [cell] = cells as readonly [Parameters<typeof setup.conversation>[0]];
  const context = { ...setup.context, [models]: new BrokenMap() };
  // It would wait for ever: its driver is told by `fail`.
  void new ConversationDriver(context, setup.conversation(cell)).start();
  expect(await failure.promise).toEqual(new Error("a bug"));
  await setup.close();
});
