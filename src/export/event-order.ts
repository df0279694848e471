import type { Cell, RunEvent, RunStart } from "../journal/run-event.ts";
import { canonicalJson } from "../value/canonical-json.ts";

/** Follows the events of a run's file: conversation after conversation, each in one piece, in the order of results. */
export class EventOrder {
  readonly #start: RunStart;
  readonly #seen = new Set<string>();
  #conversation: string | undefined;
  #cell: Cell | undefined;

  constructor(start: RunStart) {
    this.#start = start;
  }

  /** Why the event cannot stand here; undefined if it can. */
  problem(event: RunEvent): string | undefined {
    if (event.type === "run-start") return "a run starts once, in the first line";
    if (!("conversation" in event) || event.conversation === undefined) {
      this.#conversation = undefined;
      return undefined;
    }
    if (event.type === "conversation-start") return this.#begin(event.conversation, event.cell);
    if (event.conversation !== this.#conversation) return "it belongs to another conversation";
    if (event.type === "conversation-end" && canonicalJson(event.cell) !== canonicalJson(this.#cell))
      return "its cell is not the one that the conversation began with";
    return undefined;
  }

  #begin(conversation: string, cell: Cell): string | undefined {
    const { scenarios, subjects, judges } = this.#start;
    if (this.#seen.has(conversation)) return "the conversation has begun before";
    if (this.#cell !== undefined && cell.index <= this.#cell.index)
      return "the conversation comes after one that stands behind it in the results";
    if (!Object.hasOwn(scenarios, cell.scenario)) return "the run has no such scenario";
    if (!subjects.includes(cell.subject)) return "the run has no such subject";
    if (!judges.includes(cell.judge)) return "the run has no such judge";
    this.#seen.add(conversation);
    this.#conversation = conversation;
    this.#cell = cell;
    return undefined;
  }
}
