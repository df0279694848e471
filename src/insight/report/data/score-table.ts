import { memoize } from "../../../core/lazy.ts";
import { itemName, rowText } from "../../../engine/journal/cell.ts";
import type { OutcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
import { type Grouper, type GroupNames, type GroupValues, noteNames } from "./grouping.ts";
import { cellOf } from "./rate-line.ts";

/**
 * The scores of one side of a comparison, column by column: a hundred thousand conversations take a few megabytes. Conversations are
 * known by what two sides have in common: scenario, row, variant, arm, replicate.
 */
export class ScoreTable {
  /** The line of each conversation, by its number; undefined where this side has none. */
  readonly places: (number | undefined)[] = [];
  readonly conversations: string[] = [];
  readonly items: string[] = [];
  /** What a person sees of the row of each. */
  readonly rows: (string | null)[] = [];
  /** The hash of what was asked, where a row is part of it. */
  readonly itemHashes: (string | null)[] = [];
  /** The item, variant and arm of each conversation as one text. */
  readonly cells: string[] = [];
  readonly scenarios: string[] = [];
  /** The hashes of each scenario. */
  readonly hashes: Map<string, Set<string>> = new Map();
  readonly columns: Map<string, (OutcomeScore | undefined)[]> = new Map();
  readonly names: GroupNames = { factors: new Set(), columns: new Set() };
  readonly subjects: Set<string> = new Set();
  readonly judges: Set<string> = new Set();
  /** Conversations that have the place of another one; they are not compared. */
  readonly repeated: string[] = [];
  /** The members of each group, as places. */
  readonly groups: Map<string, { readonly group: GroupValues; readonly members: number[] }> = new Map();

  /** `numbers` are shared by both sides. */
  constructor(
    scores: Iterable<ConversationScore>,
    { numbers, groupsOf }: { readonly numbers: PlaceNumbers; readonly groupsOf: Grouper },
  ) {
    let [scenario, hash]: readonly [string?, string?] = [];
    for (const score of scores) {
      const key = numbers.of(score);
      // A list without holes is quicker.
      while (this.places.length < key) this.places.push(undefined);
      if (this.places[key] !== undefined) {
        this.repeated.push(score.conversation);
        continue;
      }
      const place = this.conversations.length;
      this.places[key] = place;
      this.conversations.push(score.conversation);
      this.items.push(score.item);
      this.rows.push(rowText(score));
      this.itemHashes.push(score.itemHash);
      this.cells.push(cellOf(score));
      this.scenarios.push(score.scenario);
      this.subjects.add(score.subject);
      this.judges.add(score.judge);
      if (score.scenario !== scenario || score.scenarioHash !== hash) {
        ({ scenario, scenarioHash: hash } = score);
        memoize(this.hashes, scenario, () => new Set<string>()).add(hash);
      }
      noteNames(score, this.names);
      for (const [name, value] of score.outcomes)
        memoize(this.columns, name, (): (OutcomeScore | undefined)[] => [])[place] = value;
      for (const group of groupsOf(score))
        memoize(this.groups, JSON.stringify(group), () => ({ group, members: [] })).members.push(place);
    }
  }

  /** The item of a conversation in words. */
  itemName(place: number): string {
    return itemName({ scenario: this.scenarios[place] as string, rowName: this.rows[place] ?? null });
  }

  /** The value of an outcome; undefined if the scenario does not have it. */
  value(name: string, place: number): OutcomeScore | undefined {
    return this.columns.get(name)?.[place];
  }
}

/**
 * Numbers for what two conversations have in common that are compared with each other, counted from 0. Both sides of a comparison share
 * one: a number takes less memory than a text, a hundred thousand times.
 */
export class PlaceNumbers {
  /** By item, and then by what else counts: the text of an item is shared, so that looking for it costs little. */
  readonly #numbers = new Map<string, Map<number | string, number>>();
  #count = 0;
  readonly #judges: boolean;

  constructor(judges: boolean) {
    this.#judges = judges;
  }

  /** The same for conversations with the same scenario, row, variant, arm and replicate. */
  of({ item, variant, arm, replicate, judge }: ConversationScore): number {
    const levels = variant === null ? "" : JSON.stringify(Object.entries(variant).sort());
    const isPlain = variant === null && arm === null && !this.#judges;
    const key = isPlain ? replicate : JSON.stringify([replicate, levels, arm, this.#judges ? judge : null]);
    const own = memoize(this.#numbers, item, () => new Map<number | string, number>());
    let number = own.get(key);
    if (number === undefined) {
      number = this.#count++;
      own.set(key, number);
    }
    return number;
  }
}
