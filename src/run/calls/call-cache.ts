import type { Spending } from "../../journal/spending.ts";
import type { CallStore, Store } from "../../journal/store/store.ts";
import { explainMiss } from "../../models/cassette/explain-miss.ts";
import { type CallRequest, callRequest, identityOfRequest } from "../../models/cassette/recorded-call.ts";
import type {
  CallContext,
  Model,
  ModelReply,
  ModelRequest,
  SimulatedModel,
  SimulationInput,
} from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { untilAborted } from "../../models/until-aborted.ts";
import { cancelledError } from "./clock.ts";

/** The answers of a project: what was answered once is not asked again, and what is being asked is asked once. */
export class CallCache {
  readonly #calls: CallStore;
  readonly #isFresh: boolean;
  readonly #fail: (error: unknown) => void;
  readonly #underWay = new SharedCalls({ forgets: true });

  /** With `isFresh`, answers are written but not read. `fail` is called if the store throws. */
  constructor(
    calls: CallStore,
    { isFresh, fail }: { readonly isFresh: boolean; readonly fail: (error: unknown) => void },
  ) {
    this.#calls = calls;
    this.#isFresh = isFresh;
    this.#fail = fail;
  }

  /** The answer to a call: a known one, one that somebody is waiting for, or a new one. */
  async answer(call: ModelCall, identity: string, make: () => Promise<MadeCall>): Promise<MadeCall> {
    const known = this.#isFresh ? undefined : this.#inStore((calls) => calls.find(identity));
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
    const kept = { identity, purpose, request: callRequest(model, request, context), reply: lasting };
    this.#inStore((calls) => calls.keep(kept));
  }

  /** A store that throws is no fault of the conversation that happened to use it. */
  #inStore<Result>(use: (calls: CallStore) => Result): Result {
    try {
      return use(this.#calls);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }
}

/** An answer as it came, and whether somebody else had asked for it. */
export interface MadeCall {
  readonly reply: ModelReply;
  readonly attempts: number;
  readonly cached: boolean;
}

/** Answers that several conversations want: whoever asks second gets what the first got. */
export class SharedCalls {
  readonly #answers = new Map<string, Promise<MadeCall>>();
  readonly #forgets: boolean;

  /** Forgetful ones share only what is still being asked. */
  constructor({ forgets = false }: { readonly forgets?: boolean } = {}) {
    this.#forgets = forgets;
  }

  /** The answer to a call by its identity; made if nobody has asked for it yet. */
  async answer(identity: string, signal: AbortSignal, make: () => Promise<MadeCall>): Promise<MadeCall> {
    const known = this.#answers.get(identity);
    if (known === undefined) return this.#make(identity, make);
    try {
      const made = await untilAborted(signal, known, () => cancelledError(signal));
      return { ...made, attempts: 0, cached: true };
    } catch (error) {
      // The other conversation was stopped, which is no reason to stop this one.
      const isOthers = error instanceof ModelError && error.category === "cancelled" && !signal.aborted;
      if (!isOthers) throw error;
      return this.#make(identity, make);
    }
  }

  async #make(identity: string, make: () => Promise<MadeCall>): Promise<MadeCall> {
    const made = make();
    this.#answers.set(identity, made);
    try {
      return await made;
    } finally {
      if (this.#forgets && this.#answers.get(identity) === made) this.#answers.delete(identity);
    }
  }
}

/** A model that can be asked: a real one, or one that plays a part. */
export type AnyModel = Model | SimulatedModel;

/** One call of a model. */
export interface ModelCall {
  readonly model: AnyModel;
  readonly request: ModelRequest;
  readonly context: CallContext;
  /** Unique within the conversation. */
  readonly call: string;
  /** What a simulated model is told. */
  readonly simulation?: SimulationInput;
  /** The answers that conversations share which differ only in the judge. */
  readonly shared?: SharedCalls | undefined;
  /** True to ask even if the answer is known, and to keep it from others. */
  readonly skipsCache?: boolean;
}

/** One use of a tool. */
export interface ToolUse<Used> {
  readonly context: CallContext;
  /** Unique within the conversation. */
  readonly call: string;
  /** `server/tool` */
  readonly tool: string;
  readonly use: (signal: AbortSignal) => Promise<Used>;
}

/** An answer, and what it took. */
export interface Answered {
  readonly reply: ModelReply;
  readonly spending: Spending;
}

/** Why a call is not answered from the store: the nearest call that is, and the first part that differs, in a sentence. */
export function whyMiss(store: Store, request: CallRequest): string {
  if (store.calls.find(identityOfRequest(request)) !== undefined) return "The answer to this call is known.";
  return explainMiss(
    request,
    store.calls.near(request).map((call) => call.request),
  );
}
