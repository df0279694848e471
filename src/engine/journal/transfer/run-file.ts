import type { ConversationStatus } from "../../../core/state/state.ts";
import type { RunStart } from "../run-event.ts";
import type { RunSummary } from "../store/store.ts";

/** What a run's file begins with. */
export const RUN_FORMAT = "elenchus-run";

/** Of the format. A change that an older release cannot read makes it higher; all versions stay readable. */
export const RUN_VERSION = 3;

/** A longer text is written once, and referred to by its hash. */
export const LONG_TEXT = 256;

/** How many characters of texts may still be referred to; one that is further back is written again. */
export const TEXT_WINDOW = 16_000_000;

/** No honest line is longer, with its texts filled in. */
export const MAX_LINE = 64_000_000;

/** How many settings of calls may still be referred to. */
export const SETTINGS_WINDOW = 1000;

/** The first line. What money a run took stands in its events: sums of fractions depend on their order. */
export interface RunFileHeader extends Pick<RunSummary, "run" | "endedAt" | "parent" | "tags" | "statuses"> {
  readonly format: typeof RUN_FORMAT;
  readonly version: number;
  readonly start: RunStart & { readonly at: number };
}

/** The last line: how much there was, so that a file that was cut off is noticed. */
export interface RunFileEnd {
  readonly conversations: number;
  readonly events: number;
  readonly calls: number;
}

const STATUSES: Readonly<Record<ConversationStatus, true>> = {
  completed: true,
  limit_reached: true,
  timeout: true,
  budget_exhausted: true,
  cancelled: true,
  error: true,
  simulator_fault: true,
  record_mismatch: true,
};

/** How a conversation can end, in the order in which files list it. */
export const CONVERSATION_STATUSES: readonly ConversationStatus[] = Object.keys(
  STATUSES,
) as ConversationStatus[]; // The keys are typed one by one above.

/** A value as one line, whatever a reader takes for the end of one. */
export function lineOf(value: unknown): string {
  return asLine(JSON.stringify(value));
}

/** JSON as one line. */
export function asLine(json: string): string {
  // To look first takes half the time.
  if (!LINE_END.test(json)) return json;
  return json.replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const LINE_END = /[\u0085\u2028\u2029]/;

/** A text that comes in pieces, in pieces that end where a line does: to wait for each line would take longer than to read it. */
export async function* wholeLines(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const end = piece.lastIndexOf("\n");
    if (end < 0) {
      rest += piece;
      continue;
    }
    yield rest + piece.slice(0, end);
    rest = piece.slice(end + 1);
  }
  if (rest !== "") yield rest;
}

/**
 * The lines of a text that comes in pieces, such as a file's. Only a line feed ends a line: other characters that some
 * readers take for an end may stand in it.
 *
 * @example
 * await importRun(store, textLines(createReadStream(path, "utf8")));
 */
export async function* textLines(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    if (!piece.includes("\n")) {
      rest += piece;
      continue;
    }
    const lines = piece.split("\n");
    yield rest + (lines[0] ?? "");
    rest = lines.at(-1) ?? "";
    yield* lines.slice(1, -1);
  }
  if (rest !== "") yield rest;
}
