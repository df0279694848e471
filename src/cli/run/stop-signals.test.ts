import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { VirtualClock } from "../../run/calls/virtual-clock.ts";
import { listenForStop } from "./stop-signals.ts";

function listening(): {
  readonly source: EventEmitter;
  readonly clock: VirtualClock;
  readonly heard: string[];
  readonly stop: () => void;
} {
  const [source, clock, heard] = [new EventEmitter(), new VirtualClock(), [] as string[]];
  const onFirst = (): unknown => heard.push("first");
  const onSecond = (): unknown => heard.push("second");
  return { source, clock, heard, stop: listenForStop({ onFirst, onSecond, clock, source }) };
}

test("the first signal and the second differ; after that nobody listens", async () => {
  const { source, clock, heard } = listening();
  source.emit("SIGTERM");
  expect(heard).toEqual(["first"]);
  await clock.advance(1000);
  source.emit("SIGINT");
  expect(heard).toEqual(["first", "second"]);
  expect(source.eventNames()).toEqual([]);
});

test("a signal that comes twice at once is one", async () => {
  const { source, clock, heard } = listening();
  source.emit("SIGINT");
  source.emit("SIGINT");
  await clock.advance(20);
  source.emit("SIGINT");
  expect(heard).toEqual(["first"]);
  await clock.advance(80);
  source.emit("SIGHUP");
  expect(heard).toEqual(["first", "second"]);
});

test("whoever stops listening hears nothing", () => {
  const { source, heard, stop } = listening();
  expect(source.eventNames()).toEqual(["SIGINT", "SIGTERM", "SIGHUP"]);
  stop();
  source.emit("SIGINT");
  expect([heard, source.eventNames()]).toEqual([[], []]);
});
