import type { Clock } from "../../../core/environment.ts";
import type { RunEvent } from "../../../engine/journal/run-event.ts";
import type { JudgeOption, SubjectOption } from "../../../engine/run/run-options.ts";
import type { RunProgress } from "../../../insight/report/data/run-progress.ts";
import { plainLine, progressLines } from "../../../insight/report/text/progress-text.ts";
import { LiveLines, PacedAction } from "../../../system/terminal/live-lines.ts";
import { printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import type { Settings } from "../../project/settings.ts";
import { isCi, type RunDisplay } from "../command.ts";

/**
 * How progress is shown: lines that are redrawn, a line from time to time, nothing, or each event as a line of JSON on standard output.
 */
export type WatchMode = "live" | "plain" | "quiet" | "json";

/** Shows the progress of a run. */
interface RunView {
  /** Called after each event; resolves when there is room for more output. */
  show(event: RunEvent): Promise<void> | undefined;
  /** Prints text above the progress. */
  print(text: string): void;
  /** Called after the last event. */
  end(): void;
}

/** What a view needs. */
interface RunViewOptions {
  readonly mode: WatchMode;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly progress: RunProgress;
  readonly isStopping: () => boolean;
}

const PLAIN_MS = 5000;
/** Logs of CI are read afterwards, so fewer lines are better. */
const PLAIN_IN_CI_MS = 30_000;

/** The view of a mode; lines are redrawn only on a terminal. */
export function runView(options: RunViewOptions): RunView {
  const { mode, terminal } = options;
  if (mode === "json") return jsonView(terminal);
  if (mode === "quiet") return { show: () => undefined, print: printToPerson(terminal), end: () => {} };
  return mode === "live" && terminal.messages.isTerminal ? liveView(options) : plainView(options);
}

function liveView({ terminal: { messages }, clock, progress, isStopping }: RunViewOptions): RunView {
  const { style } = messages;
  const lines = new LiveLines(messages, {
    clock,
    draw: () => {
      const { width, height } = messages;
      return progressLines(progress, { now: clock.now(), style, width, height, isStopping: isStopping() });
    },
  });
  const warnings = newWarnings(progress, messages);
  return {
    show() {
      const text = warnings();
      if (text !== "") lines.above(text);
      lines.refresh();
      return undefined;
    },
    print(text) {
      lines.above(text);
      lines.refresh();
    },
    end: () => lines.clear(),
  };
}

function plainView({ terminal, clock, progress, isStopping }: RunViewOptions): RunView {
  const { messages, environment } = terminal;
  const warnings = newWarnings(progress, messages);
  let last = "";
  const print = (): void => {
    const line = plainLine(progress, { now: clock.now(), isStopping: isStopping() && !progress.isOver });
    if (line !== last) messages.write(`${line}\n`);
    last = line;
  };
  const everyMs = isCi(environment.CI) ? PLAIN_IN_CI_MS : PLAIN_MS;
  // Also without events: a run may wait for a long time.
  const paced = new PacedAction(print, { clock, everyMs, idleMs: PLAIN_IN_CI_MS });
  return {
    show() {
      const text = warnings();
      if (text !== "") messages.write(text);
      paced.request();
      return undefined;
    },
    print: (text) => messages.write(text),
    end() {
      paced.stop();
      if (progress.start !== undefined) print();
    },
  };
}

function jsonView(terminal: Terminal): RunView {
  const { output } = terminal;
  return {
    show(event) {
      output.data(`${safeJson(event)}\n`);
      return output.drained();
    },
    print: printToPerson(terminal),
    end: () => {},
  };
}

/** In quiet modes, only a person at a terminal gets messages. */
function printToPerson({ messages }: Terminal): (text: string) => void {
  return (text) => {
    if (messages.isTerminal) messages.write(text);
  };
}

/** Returns a function that gives the warnings since its last call, each once. */
function newWarnings({ warnings }: RunProgress, { style }: Output): () => string {
  let seen = 0;
  let shown = 0;
  let hasPrintedMore = false;
  const line = (text: string): string => `${style.yellow("Warning:")} ${text}\n`;
  return () => {
    if (warnings.count === seen) return "";
    seen = warnings.count;
    const texts = warnings.kept.slice(shown).map(({ message }) => line(printableText(message)));
    shown += texts.length;
    const isMore = warnings.dropped > 0 && !hasPrintedMore;
    hasPrintedMore ||= isMore;
    return texts.join("") + (isMore ? line("there are more of them; they are counted, but not shown.") : "");
  };
}

/** How progress is shown. If a person answers, nothing is: it would get between the questions. */
export function watchMode(
  { quiet, json }: RunDisplay,
  { subjects, judges }: Pick<Settings, "subjects" | "judges">,
  { environment }: Terminal,
): WatchMode {
  if (json) return "json";
  if (quiet || [...subjects, ...judges].some(isPerson)) return "quiet";
  return isCi(environment.CI) ? "plain" : "live";
}

/** True if annotations for GitHub are printed. */
export function annotates({ github }: RunDisplay, { environment }: Terminal): boolean {
  return github ?? environment.GITHUB_ACTIONS === "true";
}

function isPerson(option: SubjectOption | JudgeOption): boolean {
  return (
    option === "person" || (typeof option === "object" && "model" in option && option.model === "person")
  );
}
