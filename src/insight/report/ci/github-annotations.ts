import { countStatuses, isFinished } from "../../../core/state/state.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import { isBrokenJudge } from "../../../engine/journal/judge-health.ts";
import type { ConversationSummary, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { printableLines, printableText } from "../../../system/terminal/printable-text.ts";
import { cutToWidth } from "../../../system/terminal/text-layout.ts";
import { runCounts } from "../data/run-counts.ts";
import type { ThresholdResult } from "../data/thresholds.ts";
import { doubtTexts, judgeProblemTexts } from "../text/doubt-text.ts";
import { countedText } from "../text/figures.ts";
import { conversationName } from "../text/names.ts";
import { thresholdReason } from "../text/threshold-text.ts";
import type { Finding } from "./findings.ts";

/** GitHub shows no more warnings of one step; the last place is for the number of those left out. */
const MOST_WARNINGS = 10;
const MESSAGE_WIDTH = 500;

/**
 * The lines by which GitHub shows a run next to its log: an error for each missed threshold and each judge that did not work, a
 * warning for what makes rates doubtful and for each conversation that was cut short, up to ten, and the summary as a notice.
 */
export function* githubAnnotations(
  store: Store,
  run: string,
  { thresholds, summary }: { readonly thresholds: readonly ThresholdResult[]; readonly summary: string },
): Generator<string> {
  const { run: name, start, statuses, judges } = storedRun(store, run);
  for (const result of thresholds)
    if (!result.passed)
      yield annotation(
        "error",
        `Threshold missed: ${printableText(result.outcome)}`,
        thresholdReason(result, start.judges),
      );
  for (const health of judges.filter(isBrokenJudge)) {
    const texts = judgeProblemTexts({ ...health, isPoor: false });
    yield annotation("error", `Judge ${printableText(health.judge)}`, texts.join("\n"));
  }
  const { missing } = runCounts(store.results(name), start);
  const doubts = doubtTexts({ missing, judges: start.judges, health: judges });
  for (const text of doubts)
    yield annotation("warning", "Results may be wrong", text.replace(/^Warning: /, ""));
  const all = countStatuses(statuses, (status) => !isFinished(status));
  const room = MOST_WARNINGS - doubts.length;
  const shown = all > room ? room - 1 : all;
  for (const summary of someCutShort(store.conversations(name), shown)) {
    const { status, failure } = foldConversation(store.events(name, summary.conversation));
    const word = (status ?? "error").replace("_", " ");
    const why = failure === undefined ? word : `${failure.category}: ${failure.message}`;
    const where = `${printableText(summary.scenario)}, ${conversationName(summary, start.judges)}`;
    yield annotation("warning", `Conversation cut short: ${word}`, `${where}: ${why}`);
  }
  if (all > shown) {
    const rest = countedText(all - shown, "more conversation");
    yield annotation("warning", "Conversations cut short", `${rest} ended in errors, of ${all} in all.`);
  }
  yield annotation("notice", "Elenchus", summary);
}

function* someCutShort(
  conversations: Iterable<ConversationSummary>,
  limit: number,
): Generator<ConversationSummary> {
  let found = 0;
  if (limit === 0) return;
  for (const summary of conversations) {
    if (summary.status === null || isFinished(summary.status)) continue;
    yield summary;
    if (++found === limit) return;
  }
}

/** The lines by which GitHub shows findings next to the lines of files: up to ten of each kind, the worst first. */
export function* findingAnnotations(findings: readonly Finding[]): Generator<string> {
  for (const severity of ["error", "warning", "note"] as const) {
    const level = severity === "note" ? "notice" : severity;
    const found = findings.filter((finding) => finding.severity === severity);
    const shown = found.length > MOST_WARNINGS ? MOST_WARNINGS - 1 : found.length;
    for (const { code, message, file, line, column } of found.slice(0, shown)) {
      const place = {
        ...(file === "" ? {} : { file }),
        ...(line === undefined ? {} : { line, col: column }),
      };
      yield annotation(level, code, message, place);
    }
    const rest = found.length - shown;
    if (rest > 0)
      yield annotation(
        level,
        "elenchus check",
        `${countedText(rest, `more ${severity}`)} of ${found.length} in all.`,
      );
  }
}

/** One workflow command. Within it, `%` and line breaks are written as codes; in a title also what separates properties. */
function annotation(
  level: "error" | "warning" | "notice",
  title: string,
  message: string,
  place: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const safe = cutToWidth(printableLines(message), MESSAGE_WIDTH);
  const properties = Object.entries({ ...place, title }).map(
    ([name, value]) => `${name}=${encoded(printableLines(String(value)), /[%\r\n:,]/g)}`,
  );
  return `::${level} ${properties.join(",")}::${encoded(safe, /[%\r\n]/g)}\n`;
}

function encoded(text: string, pattern: RegExp): string {
  return text.replace(
    pattern,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
