import { beforeEach, expect, test } from "vitest";
import { Screen } from "../../../test/screen.ts";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import { LiveLines, PacedAction, type PaceOptions } from "./live-lines.ts";

let clock: VirtualClock;
let screen: Screen;
let lines: readonly string[];
let live: LiveLines;

beforeEach(() => {
  clock = new VirtualClock(1_000_000);
  screen = new Screen(40, 10);
  screen.write("$ run\n");
  lines = ["one", "two"];
  live = new LiveLines(screen, { draw: () => lines, clock });
});

test("lines are drawn in the same place", async () => {
  live.refresh();
  expect(screen.text).toBe("$ run\none\ntwo");
  lines = ["1", "2", "3"];
  live.refresh();
  await clock.advance(100);
  expect(screen.text).toBe("$ run\n1\n2\n3");
  lines = ["only"];
  live.refresh();
  await clock.advance(100);
  expect(screen.text).toBe("$ run\nonly");
  live.clear();
  expect(screen.text).toBe("$ run");
  screen.write("done\n");
  expect(screen.text).toBe("$ run\ndone");
});

test("there are at most ten frames a second, and the last one is never left out", async () => {
  const before = screen.written.length;
  for (let step = 0; step < 990; step++) {
    lines = [`step ${step}`];
    live.refresh();
    await clock.advance(1);
  }
  expect(screen.written.length - before).toBe(10);
  await clock.advance(100);
  expect(screen.text).toBe("$ run\nstep 989");
});

test("frames come while nothing happens, but what is the same is not written again", async () => {
  live.refresh();
  const before = screen.written.length;
  await clock.advance(5000);
  expect(screen.written.length).toBe(before);
  lines = ["later"];
  await clock.advance(1000);
  expect(screen.text).toBe("$ run\nlater");
});

test("frames come even if no timer does", () => {
  let now = 0;
  const busy = { now: () => now, sleep: async () => {}, after: () => () => {} };
  live = new LiveLines(screen, { draw: () => lines, clock: busy });
  live.refresh();
  lines = ["busy"];
  now = 100;
  live.refresh();
  expect(screen.text).toBe("$ run\nbusy");
});

test("text above stays", async () => {
  live.above("first\n");
  live.refresh();
  live.above("second");
  live.above("third\n");
  expect(screen.text).toBe("$ run\nfirst\nsecond\nthird\none\ntwo");
  for (let index = 0; index < 20; index++) live.above(`line ${index}\n`);
  live.clear();
  expect(screen.text.split("\n").slice(0, 5)).toEqual(["$ run", "first", "second", "third", "line 0"]);
  expect(screen.text).toMatch(/line 18\nline 19$/);
});

test("the echo of a Ctrl-C is gone with the next frame", async () => {
  live.refresh();
  screen.write("^C");
  live.above("Stopping.\n");
  expect(screen.text).toBe("$ run\nStopping.\none\ntwo");
  screen.write("^C");
  live.clear();
  expect(screen.text).toBe("$ run\nStopping.");
});

test("a terminal that becomes narrower or wider keeps nothing of what was drawn", async () => {
  lines = ["x".repeat(39), "y".repeat(30), "z"];
  live.refresh();
  for (const [width, height] of [
    [13, 10],
    [60, 10],
    [7, 20],
    [40, 10],
  ] as const) {
    screen.resize(width, height);
    lines = [`at ${width}`, "-".repeat(width - 1)];
    live.refresh();
    await clock.advance(100);
    expect(screen.text).toBe(`$ run\nat ${width}\n${"-".repeat(width - 1)}`);
  }
  screen.resize(20, 10);
  live.clear();
  expect(screen.text).toBe("$ run");
});

test("there are never more rows than the terminal has", async () => {
  lines = Array.from({ length: 30 }, (_, index) => `row ${index}`);
  live.refresh();
  expect(screen.text.split("\n")).toEqual(["$ run", ...lines.slice(0, 9)]);
  screen.resize(40, 4);
  lines = lines.map((line) => `${line}!`);
  live.refresh();
  await clock.advance(100);
  expect(screen.text.split("\n").slice(-3)).toEqual(["row 0!", "row 1!", "row 2!"]);
  lines = ["w".repeat(100), "after"];
  live.refresh();
  await clock.advance(100);
  expect(screen.text.split("\n").slice(-3)).toEqual(["w".repeat(40), "w".repeat(40), "w".repeat(20)]);
});

test("the cursor is hidden while it moves, and shown after each frame", () => {
  live.refresh();
  live.above("text");
  live.clear();
  const frames = screen.written.slice(1);
  expect(frames.length).toBe(3);
  for (const frame of frames)
    expect([frame.slice(0, 6), frame.slice(-6)]).toEqual(["\u001b[?25l", "\u001b[?25h"]);
});

function paced(options: Omit<PaceOptions, "clock">): {
  readonly clock: VirtualClock;
  readonly times: number[];
  readonly action: PacedAction;
} {
  const clock = new VirtualClock();
  const times: number[] = [];
  return { clock, times, action: new PacedAction(() => times.push(clock.now()), { clock, ...options }) };
}

test("it happens at once, and then as soon as it may again", async () => {
  const { clock, times, action } = paced({ everyMs: 100 });
  action.request();
  await clock.advance(30);
  action.request();
  action.request();
  await clock.advance(1000);
  action.request();
  expect(times).toEqual([0, 100, 1030]);
});

test("it happens now and then even if nobody asks", async () => {
  const { clock, times, action } = paced({ everyMs: 100, idleMs: 1000 });
  await clock.advance(5000);
  action.request();
  await clock.advance(2500);
  action.request();
  expect(times).toEqual([5000, 6000, 7000, 7500]);
});

test("once stopped it happens no more", async () => {
  const { clock, times, action } = paced({ everyMs: 100, idleMs: 1000 });
  action.request();
  action.request();
  action.stop();
  action.request();
  await clock.advance(5000);
  expect(times).toEqual([0]);
});
