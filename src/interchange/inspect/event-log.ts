import type { JsonObject } from "../../core/values/json.ts";

/** Events in order of time, inside of spans. */
export class EventLog {
  readonly events: JsonObject[] = [];
  now: number;
  readonly #name: string;
  readonly #start: number;
  readonly #spans: string[] = [];

  constructor(name: string, start: number) {
    this.#name = name;
    this.#start = start;
    this.now = start;
  }

  add(event: string, at: number, parts: JsonObject): void {
    // Judges may answer late: order is what counts.
    this.now = Math.max(this.now, at);
    this.events.push({
      event,
      uuid: `${this.#name}.e${this.events.length + 1}`,
      span_id: this.#spans.at(-1) ?? null,
      timestamp: isoTime(this.now),
      working_start: (this.now - this.#start) / 1000,
      ...parts,
    });
  }

  span(
    key: string,
    {
      type,
      name = key,
      parent,
      at,
    }: { readonly type: string; readonly name?: string; readonly parent: string | null; readonly at: number },
    inside: (id: string) => void,
  ): void {
    const id = `${this.#name}.${key}`;
    this.#spans.push(id);
    this.add("span_begin", at, { id, parent_id: parent, type, name });
    inside(id);
    this.add("span_end", this.now, { id });
    this.#spans.pop();
  }
}

/** ISO 8601 in UTC. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}
