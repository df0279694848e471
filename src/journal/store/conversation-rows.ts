import type { ConversationStatus } from "../../core/state/state.ts";
import type { Cell, ConversationEnd, OutcomeEvent, RunEvent, TurnEnd, TurnStart } from "../run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../spending.ts";
import type { TurnResult } from "../turn-result.ts";
import { type TurnVerdict, turnVerdict } from "../turn-verdict.ts";

/** A turn as tables show it; what only its end tells is null before. */
export interface TurnRow {
  readonly turn: number;
  readonly node: string;
  readonly agent: string | null;
  readonly model: string | null;
  readonly verdict: TurnVerdict | null;
  readonly readStatus: TurnResult["readStatus"] | null;
  readonly score: number | null;
  readonly refused: boolean | null;
  readonly next: string | null;
  readonly spending: Spending | null;
  /** Of the subject's calls that were really made, together. */
  readonly latencyMs: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** An outcome as tables show it. */
export type OutcomeRow = Pick<OutcomeEvent, "name" | "value" | "status">;

const NO_CELL: Cell = Object.freeze({ index: 0, scenario: "", subject: "", judge: "", replicate: 1 });

const NO_TURN: Omit<TurnRow, "turn"> = Object.freeze({
  node: "",
  agent: null,
  model: null,
  verdict: null,
  readStatus: null,
  score: null,
  refused: null,
  next: null,
  spending: null,
  latencyMs: null,
  startedAt: null,
  endedAt: null,
});

/** The rows of one conversation, folded from its events as they are appended; they show the latest attempt. */
export class ConversationRows {
  readonly conversation: string;
  cell: Cell = NO_CELL;
  scenarioHash = "";
  status: ConversationStatus | null = null;
  failure: string | null = null;
  attempt = 1;
  finishedTurns = 0;
  spending: Spending = NOTHING_SPENT;
  startedAt: number | null = null;
  endedAt: number | null = null;
  readonly turns: Map<number, TurnRow> = new Map();
  /** How many finished turns became what. */
  readonly counts: Record<TurnVerdict, number> = {
    pass: 0,
    fail: 0,
    unreadable: 0,
    unjudged: 0,
    unverified: 0,
  };
  readonly outcomes: Map<string, OutcomeRow> = new Map();
  /** What has changed since somebody looked and emptied them. */
  readonly changedTurns: Set<number> = new Set();
  readonly changedOutcomes: Set<string> = new Set();
  /** Calls of the subject that are under way. */
  readonly #asking = new Set<string>();

  constructor(conversation: string) {
    this.conversation = conversation;
  }

  apply(event: RunEvent): void {
    switch (event.type) {
      case "conversation-start":
        this.cell = event.cell;
        this.scenarioHash = event.scenarioHash;
        this.startedAt = event.at;
        break;
      case "conversation-resume":
        this.attempt = event.attempt;
        this.#reopen();
        break;
      case "turn-start":
        this.#startTurn(event, event.at);
        break;
      case "call-start":
        if (event.purpose === "subject") this.#asking.add(event.call);
        break;
      case "call-end":
        if (this.#asking.delete(event.call) && event.failure === undefined && !event.cached)
          this.#change(event.turn, ({ latencyMs }) => ({ latencyMs: (latencyMs ?? 0) + event.latencyMs }));
        break;
      case "turn-reply":
      case "turn-judgement":
        this.spending = addSpending(this.spending, event.spending);
        break;
      case "conversation-stop":
        this.spending = addSpending(this.spending, event.spending ?? NOTHING_SPENT);
        break;
      case "turn-end":
        this.#endTurn(event, event.at);
        break;
      case "outcome": {
        const { name, value, status } = event;
        this.outcomes.set(name, { name, value, status });
        this.changedOutcomes.add(name);
        break;
      }
      case "conversation-end":
        this.#end(event, event.at);
        break;
    }
  }

  /** Takes over a row that was saved. */
  restoreTurn(row: TurnRow): void {
    this.#set(row.turn, row);
  }

  #reopen(): void {
    this.status = null;
    this.failure = null;
    this.endedAt = null;
    for (const name of this.outcomes.keys()) this.changedOutcomes.add(name);
    this.outcomes.clear();
  }

  #startTurn({ turn, node, agent, model }: TurnStart, at: number): void {
    this.#set(turn, undefined);
    this.#change(turn, () => ({ node, agent: agent ?? null, model, startedAt: at }));
  }

  #endTurn({ result }: TurnEnd, at: number): void {
    const { turn, node, agent = null, readStatus, score, refused, next, spending } = result;
    this.finishedTurns = Math.max(this.finishedTurns, turn);
    const verdict = turnVerdict(result);
    this.#change(turn, () => ({
      node,
      agent,
      verdict,
      readStatus,
      score,
      refused,
      next,
      spending,
      endedAt: at,
    }));
  }

  #end({ cell, status, failure, turnCount, spending }: ConversationEnd, at: number): void {
    this.cell = cell;
    this.status = status;
    this.failure = failure?.category ?? null;
    this.finishedTurns = turnCount;
    this.spending = spending;
    this.endedAt = at;
    // A question without an answer is no turn, nor is what an earlier attempt had after its last one.
    for (const turn of this.turns.keys()) {
      if (turn <= turnCount) continue;
      this.#set(turn, undefined);
      this.changedTurns.add(turn);
    }
  }

  #change(turn: number, change: (row: TurnRow) => Partial<TurnRow>): void {
    const row = this.turns.get(turn) ?? { turn, ...NO_TURN };
    this.#set(turn, { ...row, ...change(row) });
    this.changedTurns.add(turn);
  }

  #set(turn: number, row: TurnRow | undefined): void {
    const { verdict: before = null } = this.turns.get(turn) ?? {};
    if (before !== null) this.counts[before]--;
    if (row === undefined) this.turns.delete(turn);
    else this.turns.set(turn, row);
    if (row?.verdict) this.counts[row.verdict]++;
  }
}
