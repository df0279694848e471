import type { CallStore } from "../../journal/store/store.ts";
import { askedCall } from "../../models/cassette/recorded-call.ts";
import type { ModelCall } from "./model-call.ts";
import { type MadeCall, SharedAnswers } from "./shared-answers.ts";

/** The answers of a project: what was answered once is not asked again, and what is being asked is asked once. */
export class CallCache {
  readonly #calls: CallStore;
  readonly #isFresh: boolean;
  readonly #underWay = new SharedAnswers({ forgets: true });

  /** A fresh cache keeps answers for others, and looks at none that was there before. */
  constructor(calls: CallStore, options: { readonly isFresh: boolean }) {
    this.#calls = calls;
    this.#isFresh = options.isFresh;
  }

  /** The answer to a call: a known one, one that somebody is waiting for, or a new one. */
  async answer(call: ModelCall, identity: string, make: () => Promise<MadeCall>): Promise<MadeCall> {
    const known = this.#isFresh ? undefined : this.#calls.find(identity);
    if (known !== undefined) return { reply: known, attempts: 0, cached: true };
    return this.#underWay.answer(identity, call.context.signal, async () => {
      const made = await make();
      this.#keep(call, identity, made);
      return made;
    });
  }

  /** What was cut off is not the answer. */
  #keep({ model, request, context }: ModelCall, identity: string, { reply }: MadeCall): void {
    if (reply.finish === "length" || reply.cached === true) return;
    const { rateLimit: _, ...lasting } = reply;
    const { purpose } = context;
    this.#calls.keep({ identity, purpose, asked: askedCall(model, request, context), reply: lasting });
  }
}
