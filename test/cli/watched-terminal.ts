import { Screen } from "../screen.ts";
import { type InTerminal, inTerminal } from "./cli.ts";

/** A command in a terminal, and what a person who looks at it sees. */
export interface WatchedTerminal extends InTerminal {
  /** As of now: what stands on the screen, and what has left it at the top. */
  seen(): string;
  isCursorShown(): boolean;
  /**
   * Resolves when what is seen matches, and nothing is half drawn: terminals throw away what they have not shown yet when
   * Ctrl-C is pressed.
   */
  untilSeen(pattern: RegExp | ((seen: string) => boolean)): Promise<void>;
}

/** Gives a command in a pseudo-terminal with a screen. */
export function watchedTerminal(
  words: readonly string[],
  given: Parameters<typeof inTerminal>[1],
): WatchedTerminal {
  const terminal = inTerminal(words, given);
  const screen = new Screen(given.columns ?? 80, given.rows ?? 24);
  let drawn = 0;
  const draw = (printed: string): void => {
    screen.write(printed.slice(drawn));
    drawn = printed.length;
  };
  const seen = (): string => {
    draw(terminal.printed());
    return screen.text;
  };
  return {
    ...terminal,
    seen,
    isCursorShown() {
      draw(terminal.printed());
      return screen.isCursorShown;
    },
    untilSeen: (pattern) =>
      terminal.until(() => {
        const text = seen();
        const matches = typeof pattern === "function" ? pattern(text) : pattern.test(text);
        return matches && screen.isCursorShown;
      }),
    resize(columns, rows) {
      draw(terminal.printed());
      screen.resize(columns, rows);
      terminal.resize(columns, rows);
    },
  };
}
