import { Cassette } from "../../models/cassette/cassette.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { CallStore } from "./store.ts";

/** The answered calls of a store in memory. */
export class MemoryCalls implements CallStore {
  #calls = new Cassette();
  readonly #keptAt = new Map<string, number>();

  get size(): number {
    return this.#calls.size;
  }

  find(identity: string): ReturnType<CallStore["find"]> {
    return this.#calls.replyTo(identity);
  }

  get(identity: string): RecordedCall | undefined {
    return this.#calls.get(identity);
  }

  keep(call: RecordedCall): void {
    if (this.#calls.set(call)) this.#keptAt.set(call.identity, Date.now());
  }

  near(request: RecordedCall["request"], limit = 50): readonly RecordedCall[] {
    return this.#calls.near(request).slice(0, limit);
  }

  /** Removes calls that were kept before a time. */
  removeBefore(time: number): void {
    const left = new Cassette();
    for (const call of this.#calls) {
      if ((this.#keptAt.get(call.identity) ?? 0) >= time) left.set(call);
      else this.#keptAt.delete(call.identity);
    }
    this.#calls = left;
  }
}
