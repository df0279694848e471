import type { OutcomeScore } from "../../journal/fold/tally.ts";
import type { ConversationScore } from "../../journal/store/store.ts";
import { type Grouper, type GroupValues, groupKey } from "./grouping.ts";

/** How conversations of two sides find each other. */
export interface Pairing {
  /** True if the judge is part of the key, because each side has several. */
  readonly judges: boolean;
  /** The groups of a conversation. */
  readonly groupsOf?: Grouper;
}

/**
 * The scores of one side of a comparison, column by column: a hundred thousand conversations take a few megabytes. Conversations are
 * known by what two sides have in common: scenario, row, variant, arm, replicate.
 */
export class ScoreTable {
  readonly places: Map<string, number> = new Map();
  readonly conversations: string[] = [];
  readonly items: string[] = [];
  readonly scenarios: string[] = [];
  /** The hashes of each scenario. */
  readonly hashes: Map<string, Set<string>> = new Map();
  readonly columns: Map<string, (OutcomeScore | undefined)[]> = new Map();
  readonly factors: Set<string> = new Set();
  readonly subjects: Set<string> = new Set();
  /** Conversations that have the place of another one; they are not compared. */
  readonly repeated: string[] = [];
  /** The members of each group, as places. */
  readonly groups: Map<string, { readonly group: GroupValues; readonly members: number[] }> = new Map();

  constructor(scores: Iterable<ConversationScore>, { judges, groupsOf }: Pairing) {
    for (const score of scores) {
      const key = pairKey(score, judges);
      if (this.places.has(key)) {
        this.repeated.push(score.conversation);
        continue;
      }
      const place = this.conversations.length;
      this.places.set(key, place);
      this.conversations.push(score.conversation);
      this.items.push(score.item);
      this.scenarios.push(score.scenario);
      this.subjects.add(score.subject);
      const hashes = this.hashes.get(score.scenario) ?? new Set();
      if (hashes.size === 0) this.hashes.set(score.scenario, hashes);
      hashes.add(score.scenarioHash);
      if (score.variant !== null) for (const factor of Object.keys(score.variant)) this.factors.add(factor);
      for (const [name, value] of score.outcomes) {
        let column = this.columns.get(name);
        if (column === undefined) {
          column = [];
          this.columns.set(name, column);
        }
        column[place] = value;
      }
      for (const group of groupsOf?.(score) ?? []) {
        const known = this.groups.get(groupKey(group)) ?? { group, members: [] };
        if (known.members.length === 0) this.groups.set(groupKey(group), known);
        known.members.push(place);
      }
    }
  }

  /** The value of an outcome; undefined if the scenario does not have it. */
  value(name: string, place: number): OutcomeScore | undefined {
    return this.columns.get(name)?.[place];
  }
}

/** What two conversations have in common that are compared with each other. */
function pairKey(score: ConversationScore, judges: boolean): string {
  const { item, variant, arm, replicate, judge } = score;
  const levels = variant === null ? "" : JSON.stringify(Object.entries(variant).sort());
  return `${item}\u0000${levels}\u0000${arm ?? ""}\u0000${replicate}${judges ? `\u0000${judge}` : ""}`;
}
