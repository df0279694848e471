import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { ExitCode } from "../src/apps/cli/command.ts";
import { type PlayOptions, play } from "../src/apps/cli/play/play.ts";
import { type Output, PLAIN_STYLE, type Style, type Terminal } from "../src/system/terminal/terminal.ts";
import { CAPITAL } from "./capital-scenario.ts";

/** A session of `play` with streams in place of a terminal. */
export interface PlayedSession {
  readonly input: PassThrough;
  /** Where Ctrl-C comes from. */
  readonly signals: EventEmitter;
  readonly code: Promise<ExitCode>;
  /** What stands on standard output, and on standard error. */
  readonly printed: () => string;
  readonly said: () => string;
  /** Resolves once a text was printed. */
  readonly until: (text: string) => Promise<void>;
}

/** How the terminal looks. */
export interface Seat {
  readonly width?: number;
  readonly style?: Style;
  readonly folder?: string;
}

/** Begins a session: the capital, by rules, unless told otherwise. */
export function played(options: Partial<PlayOptions> = {}, seat: Seat = {}): PlayedSession {
  const { width = 80, style = PLAIN_STYLE, folder = "/" } = seat;
  const written = new EventEmitter();
  const texts = { output: "", messages: "" };
  const output = (name: "output" | "messages"): Output => ({
    write(text) {
      texts[name] += text;
      written.emit("text");
    },
    data(text) {
      this.write(text);
    },
    drained: async () => {},
    style,
    isTerminal: false,
    width,
    height: 24,
  });
  const input = new PassThrough();
  const signals = new EventEmitter();
  const terminal: Terminal = {
    output: output("output"),
    messages: output("messages"),
    // Only what all streams have is used of it.
    input: input as unknown as NodeJS.ReadStream,
    environment: {},
    folder,
  };
  const whole: PlayOptions = {
    scenario: CAPITAL,
    judge: "rules",
    turnLimit: 20,
    seed: 0,
    environment: {},
    signals,
    ...options,
  };
  return {
    input,
    signals,
    code: play(whole, terminal),
    printed: () => texts.output,
    said: () => texts.messages,
    until: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!texts.output.includes(text)) return;
          written.off("text", look);
          resolve();
        };
        written.on("text", look);
        look();
      }),
  };
}
