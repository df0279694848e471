import { userInfo } from "node:os";
import { seededRandom } from "../../../core/statistics/resampling.ts";
import { isRecord } from "../../../core/values/json.ts";
import { foldVotes } from "../../../engine/journal/fold/calls.ts";
import type { Label } from "../../../engine/journal/run-event.ts";
import type { FoundTurn, RunBrowser } from "../../../engine/journal/store/run-browser.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { definitionsOf } from "../../../engine/journal/transfer/stored-run.ts";
import type { TurnVerdict } from "../../../engine/journal/turn.ts";
import type { ReviewAnswer } from "../answers.ts";

/** Which turns are reviewed. */
interface ReviewRequest {
  readonly kind: "unreadable" | "random";
  readonly count: number;
  /** The same seed gives the same sample. */
  readonly seed: number;
}

/** The turns to review, and the labels that the run has. */
export function reviewAnswer(
  { store, browser }: { readonly store: Store; readonly browser: RunBrowser },
  run: string,
  { kind, count, seed }: ReviewRequest,
): ReviewAnswer {
  const turns =
    kind === "random"
      ? browser.sampleTurns(run, reviewedVerdicts(store, run), { count, random: seededRandom(seed) })
      : unreadableTurns(browser, run, count);
  return { turns, labels: store.labels(run), who: who() };
}

/** The first turns of a run whose replies could not be read. */
function unreadableTurns(browser: RunBrowser, run: string, count: number): readonly FoundTurn[] {
  const verdict = "unreadable";
  return browser
    .page(run, { verdict }, { limit: count })
    .conversations.flatMap(({ columns: { name: conversation, scenario, subject }, turns }) =>
      turns
        .filter((turn) => turn.verdict === verdict)
        .map(({ turn, node }) => ({ conversation, scenario, subject, turn, node })),
    )
    .slice(0, count);
}

/** Turns without a template are worth a look if the scenarios have rubrics. */
function reviewedVerdicts(store: Store, run: string): readonly TurnVerdict[] {
  const hasTraits = [...definitionsOf(store, run)].some(({ definition }) =>
    definition.includes('"traits":['),
  );
  return ["pass", "fail", "unreadable", ...(hasTraits ? (["unverified"] as const) : [])];
}

/** Turns on which the judges of a panel differ in a field or a trait. Looks at every conversation until there are enough. */
export function disagreements(store: Store, run: string, count: number): ReviewAnswer {
  const turns: FoundTurn[] = [];
  for (const { conversation, scenario, subject } of store.conversations(run)) {
    for (const { turn, votes } of foldVotes(store.events(run, conversation))) {
      const said = new Set(votes.map(({ parsed, rubric }) => JSON.stringify([parsed, rubric])));
      if (said.size > 1) turns.push({ conversation, scenario, subject, turn, node: "" });
    }
    if (turns.length >= count) break;
  }
  return { turns: turns.slice(0, count), labels: store.labels(run), who: who() };
}

/** A label from a request, as the store takes it; undefined if it is not one. */
export function labelFrom(body: unknown): Omit<Label, "type"> | undefined {
  if (!isRecord(body)) return undefined;
  const { conversation, turn, field, value } = body;
  if (typeof conversation !== "string" || typeof field !== "string" || field === "") return undefined;
  if (!Number.isSafeInteger(turn) || (turn as number) < 1) return undefined;
  if (value !== null && typeof value !== "string" && typeof value !== "boolean" && typeof value !== "number")
    return undefined;
  return { conversation, turn: turn as number, field, value, who: who(), when: Date.now() };
}

function who(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as in some containers.
    return "viewer";
  }
}
