import { EventEmitter } from "node:events";
import { END, question, type RunOptions, Scenario } from "elenchus";
import { describe, expect, test } from "vitest";
import { Screen } from "../../../../test/screen.ts";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import { startRun } from "../../../engine/run/run-scenarios.ts";
import { type Output, PLAIN_STYLE, type Terminal } from "../../../system/terminal/terminal.ts";
import { listenForStop, type WatchedRun, type WatchOptions, watchRun } from "./watch-run.ts";

const scenario = new Scenario("greeting")
  .addNode("hello", { question: question({ question: "Who are you?", rawAnswer: "" }) })
  .addNode("bye", { question: question({ question: "Goodbye.", rawAnswer: "" }) })
  .addEdge("hello", "bye")
  .addEdge("bye", END)
  .setEntry("hello")
  .validate();

/** A pipe in memory. */
class Pipe implements Output {
  readonly style = PLAIN_STYLE;
  readonly isTerminal = false;
  readonly width = 80;
  readonly height = 24;
  text = "";
  isFull = (): boolean => false;
  readonly waiting: (() => void)[] = [];

  write(text: string): void {
    this.text += text;
  }

  data(text: string): void {
    this.write(text);
  }

  async drained(): Promise<void> {
    if (this.isFull()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

interface Watching {
  readonly clock: VirtualClock;
  readonly output: Pipe;
  readonly signals: EventEmitter;
  readonly watched: Promise<WatchedRun>;
}

/** Watches a run of four conversations of two turns, of one second each, one after the other. */
function watching(
  messages: Output,
  watch: Partial<WatchOptions> & { readonly environment?: Terminal["environment"] },
  run: Partial<RunOptions> = {},
): Watching {
  const clock = new VirtualClock(1_000_000);
  const [output, signals, abort] = [new Pipe(), new EventEmitter(), new AbortController()];
  const model = async (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<string> => {
    await clock.sleep(1000, signal);
    return "Nobody.";
  };
  const started = startRun(
    {
      scenarios: scenario,
      subjects: { model, name: "nobody" },
      replicates: 4,
      concurrency: 1,
      signal: abort.signal,
      ...run,
    },
    { clock },
  );
  const terminal: Terminal = {
    output,
    messages,
    input: process.stdin,
    environment: watch.environment ?? {},
    folder: "/",
  };
  const watched = watchRun(started, { terminal, mode: "live", abort, clock, signals, ...watch });
  return { clock, output, signals, watched };
}

test("live lines come, change and go", async () => {
  const screen = new Screen(80, 24);
  const { clock, watched, output } = watching(screen, {});
  await clock.advance(3400);
  await clock.advance(100);
  expect(screen.text.split("\n")).toEqual([
    `${"█".repeat(10)}${"░".repeat(30)}  25 %`,
    "1 of 4 conversations, 3 turns, 1 in flight, cost unknown, 3.5 s so far",
    "nobody  1/4  3 turns  tokens unknown  cost unknown",
    "waiting for 1 answer of nobody",
  ]);
  const { progress, interrupted } = await clock.runUntil(watched);
  expect([progress.finished, interrupted]).toEqual([4, false]);
  expect([screen.text, screen.isCursorShown, output.text]).toEqual(["", true, ""]);
});

test("where lines cannot be drawn again, there is one every five seconds", async () => {
  const pipe = new Pipe();
  const { clock, watched } = watching(pipe, { mode: "live" });
  await clock.runUntil(watched);
  expect(pipe.text.split("\n").map((line) => line.replace(/, tokens unknown, cost unknown/, ""))).toEqual([
    "0 of 4 conversations, 0 turns, 0 calls, 0 tokens, 0.00 USD, 0.0 s so far",
    "2 of 4 conversations, 4 turns, 4 calls, 5.0 s so far, 24.0/min, waiting for 1 answer of nobody",
    "4 of 4 conversations, 8 turns, 8 calls, took 8.0 s",
    "",
  ]);
});

test("in continuous integration every thirty seconds", async () => {
  const pipe = new Pipe();
  const options = { mode: "plain", environment: { CI: "true" } } as const;
  const { clock, watched } = watching(pipe, options, { replicates: 32 });
  await clock.runUntil(watched);
  expect(pipe.text.match(/^\d+ of/gm)).toEqual(["0 of", "14 of", "29 of", "32 of"]);
});

test("quiet is quiet", async () => {
  const pipe = new Pipe();
  const { clock, watched, output } = watching(pipe, { mode: "quiet" });
  await clock.runUntil(watched);
  expect(pipe.text + output.text).toBe("");
});

test("each event is a line of JSON, and a slow reader is waited for", async () => {
  const pipe = new Pipe();
  const { clock, watched, output } = watching(pipe, { mode: "json" });
  output.isFull = () => output.text.includes("conversation-start");
  await clock.advance(60_000);
  const types = (): string[] =>
    output.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
  expect(types().at(-1)).toBe("conversation-start");
  output.isFull = () => false;
  for (const resume of output.waiting) resume();
  await clock.runUntil(watched);
  expect([types()[0], types().at(-1)]).toEqual(["run-start", "run-end"]);
  expect(types().filter((type) => type === "conversation-end").length).toBe(4);
  expect(pipe.text).toBe("");
});

describe("warnings", () => {
  const failing = new Scenario("failing")
    .addNode("hello", {
      question: question({ question: "Who are you?", rawAnswer: "" }),
      stateUpdate: () => {
        throw new Error("no \u001b[2J idea");
      },
    })
    .addEdge("hello", END)
    .setEntry("hello")
    .validate();

  test("stay above the live lines, each once", async () => {
    const screen = new Screen(100, 24);
    const { clock, watched } = watching(screen, {}, { scenarios: failing });
    const { progress } = await clock.runUntil(watched);
    expect(progress.warnings.count).toBe(4);
    expect(screen.text).toMatch(/^Warning: .*no \ufffd\[2J idea.*$/);
    expect(screen.text).not.toContain("\n");
  });

  test("are lines of their own in a pipe, and nowhere else", async () => {
    for (const [mode, count] of [
      ["plain", 1],
      ["quiet", 0],
      ["json", 0],
    ] as const) {
      const pipe = new Pipe();
      const { clock, watched } = watching(pipe, { mode }, { scenarios: failing });
      await clock.runUntil(watched);
      expect(pipe.text.match(/^Warning: /gm)?.length ?? 0).toBe(count);
    }
  });
});

describe("stopping", () => {
  const STOPPING = "Finishing calls under way; press Ctrl-C again to stop at once.";

  test("the first Ctrl-C lets calls under way come to their end", async () => {
    const screen = new Screen(80, 24);
    const { clock, watched, signals } = watching(screen, {});
    await clock.advance(2500);
    screen.write("^C");
    signals.emit("SIGINT");
    expect(screen.text.split("\n")[0]).toBe(STOPPING);
    await clock.advance(200);
    expect(screen.text).toContain(", stopping");
    const { progress, interrupted } = await clock.runUntil(watched);
    expect(interrupted).toBe(true);
    expect([progress.finished, progress.cutShort, progress.overall.turns]).toEqual([1, 3, 3]);
    expect(screen.text).toBe(STOPPING);
    expect(signals.eventNames()).toEqual([]);
  });

  test("the second stops at once", async () => {
    const pipe = new Pipe();
    const { clock, watched, signals } = watching(pipe, { mode: "plain" });
    await clock.advance(2500);
    signals.emit("SIGINT");
    await clock.advance(200);
    signals.emit("SIGINT");
    const { progress, interrupted } = await clock.runUntil(watched);
    expect(interrupted).toBe(true);
    expect(progress.elapsed(clock.now())).toBe(2700);
    expect([progress.finished, progress.overall.turns]).toEqual([1, 2]);
    expect(pipe.text).toContain(`\n${STOPPING}\nStopping at once.\n`);
  });

  test("a reader of standard output who leaves stops the run, too", async () => {
    let leave = (): void => {};
    let isForgotten = false;
    const onClosed: WatchOptions["onClosed"] = (action) => {
      leave = action;
      return () => {
        isForgotten = true;
      };
    };
    const { clock, watched } = watching(new Pipe(), { mode: "json", onClosed });
    await clock.advance(2500);
    leave();
    const { progress, interrupted } = await clock.runUntil(watched);
    expect([progress.finished, progress.cutShort, interrupted, isForgotten]).toEqual([1, 3, false, true]);
  });

  test("a run that cannot begin leaves nothing behind", async () => {
    const screen = new Screen(80, 24);
    const { watched, signals } = watching(screen, {}, { subjects: "sim/nobody" });
    await expect(watched).rejects.toThrow('There is no simulated model "sim/nobody"');
    expect([screen.text, signals.eventNames()]).toEqual(["", []]);
  });
});

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

test("the first signal and the second differ; after that, none is listened to", async () => {
  const { source, clock, heard } = listening();
  // What else listens must not keep a third signal from ending the process.
  source.on("SIGINT", () => {});
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

test("after a hang-up calls in flight have a moment, since no second signal can come", async () => {
  const { source, clock, heard } = listening();
  source.emit("SIGHUP", "SIGHUP");
  await clock.advance(2_000);
  expect(heard).toEqual(["first"]);
  await clock.advance(2_000);
  expect(heard).toEqual(["first", "second"]);
});

test("after listening has stopped, no signal is heard", () => {
  const { source, heard, stop } = listening();
  expect(source.eventNames()).toEqual(["SIGINT", "SIGTERM", "SIGHUP"]);
  stop();
  source.emit("SIGINT");
  expect([heard, source.eventNames()]).toEqual([[], []]);
});
