import { maskSecretsIn } from "../../../system/secrets/mask-secrets.ts";
import type { Spending } from "../../journal/spending.ts";
import type { CallClaim, CallStore, RunCalls, Store } from "../../journal/store/store.ts";
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
import { untilAborted } from "../../models/to-model-error.ts";
import { cancelledError } from "./clock.ts";

/** How answers are looked for. */
interface CallCacheOptions {
  readonly isFresh: boolean;
  readonly borrowed?: BorrowedCalls | undefined;
  /** The answers that serve only this run. */
  readonly own: () => RunCalls;
  readonly fail: (error: unknown) => void;
}

/** Answers that came with runs from elsewhere, and that this run may use. */
export interface BorrowedCalls {
  /** Where they are looked for, in this order. */
  readonly from: readonly RunCalls[];
  /** Where those that were used are kept: with this run, so that they answer no other. */
  readonly into: () => RunCalls;
}

/** The cache of answers in the store. Identical calls in flight are made once. */
export class CallCache {
  readonly #calls: CallStore;
  readonly #borrowed: BorrowedCalls | undefined;
  readonly #own: () => RunCalls;
  readonly #isFresh: boolean;
  readonly #fail: (error: unknown) => void;
  readonly #inFlight = new SharedCalls({ keepsAnswers: false });

  /** With `isFresh`, answers are written but not read. `fail` is called if the store throws. */
  constructor(calls: CallStore, { isFresh, borrowed, own, fail }: CallCacheOptions) {
    this.#calls = calls;
    this.#borrowed = borrowed;
    this.#own = own;
    this.#isFresh = isFresh;
    this.#fail = fail;
  }

  /** The answer to a call: from the store, from an identical call in flight, or a new one. */
  async answer(call: ModelCall, identity: string, make: () => Promise<MadeCall>): Promise<MadeCall> {
    const isNew = this.#isFresh || call.ignoresStored === true;
    const { isVolatile = false } = call.model;
    const found = isNew ? undefined : isVolatile ? this.#findOwn(identity) : this.#find(identity);
    // A store in this process answers at once, which saves a turn of the event loop.
    const known = found instanceof Promise ? await found : found;
    if (known !== undefined) return fromStore(known);
    const { signal } = call.context;
    return this.#inFlight.answer(identity, signal, async () => {
      const claim =
        isNew || isVolatile || this.#calls.claim === undefined
          ? undefined
          : await this.#claim(identity, signal);
      if (claim?.reply !== undefined) return fromStore(claim.reply);
      try {
        const made = await make();
        this.#keep(call, identity, made);
        return made;
      } finally {
        claim?.release();
      }
    });
  }

  #findOwn(identity: string): ReturnType<RunCalls["find"]> {
    const found = this.#inStore(() => this.#own().find(identity));
    return found instanceof Promise ? found.catch((error: unknown) => this.#failed(error)) : found;
  }

  #find(identity: string): ReturnType<RunCalls["find"]> {
    const found = this.#inStore((calls) => calls.find(identity));
    if (!(found instanceof Promise)) return found ?? this.#inStore(() => this.#borrow(identity));
    return found.then(
      (reply) => reply ?? this.#inStore(() => this.#borrow(identity)),
      (error: unknown) => this.#failed(error),
    );
  }

  /** Other processes that share the store may be making the same call. */
  async #claim(identity: string, signal: AbortSignal): Promise<CallClaim | undefined> {
    try {
      return await this.#calls.claim?.(identity, signal);
    } catch (error) {
      if (signal.aborted) throw cancelledError(signal);
      return this.#failed(error);
    }
  }

  #borrow(identity: string): ModelReply | undefined {
    for (const calls of this.#borrowed?.from ?? []) {
      const call = calls.get(identity);
      if (call === undefined) continue;
      this.#borrowed?.into().keep(call);
      return call.reply;
    }
    return undefined;
  }

  /** Replies that were cut off are not cached. */
  #keep({ model, request, context }: ModelCall, identity: string, { reply }: MadeCall): void {
    if (reply.finish === "length" || reply.cached === true) return;
    const { rateLimit: _, ...lasting } = reply;
    const { purpose } = context;
    const kept = { identity, purpose, request: callRequest(model, request, context), reply: lasting };
    this.#inStore((calls) => (model.isVolatile === true ? this.#own() : calls).keep(kept));
  }

  /** If the store throws, the run fails, not the conversation that used it. */
  #inStore<Result>(use: (calls: CallStore) => Result): Result {
    try {
      return use(this.#calls);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): never {
    this.#fail(error);
    throw error;
  }
}

function fromStore(reply: ModelReply): MadeCall {
  return { reply: maskSecretsIn(reply), attempts: 0, cached: true };
}

/** A reply, and whether it was cached. */
export interface MadeCall {
  readonly reply: ModelReply;
  readonly attempts: number;
  readonly cached: boolean;
}

/** Lets conversations share identical calls: the second one gets the answer of the first. */
export class SharedCalls {
  readonly #answers = new Map<string, Promise<MadeCall>>();
  readonly #keepsAnswers: boolean;

  /** Without `keepsAnswers`, only calls in flight are shared. */
  constructor({ keepsAnswers = true }: { readonly keepsAnswers?: boolean } = {}) {
    this.#keepsAnswers = keepsAnswers;
  }

  /** The answer to the call with this identity; `make` is called if there is none yet. */
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
      if (!this.#keepsAnswers && this.#answers.get(identity) === made) this.#answers.delete(identity);
    }
  }
}

/** A model that can be asked: a real or a simulated one. */
export type AnyModel = Model | SimulatedModel;

/** One call of a model. */
export interface ModelCall {
  readonly model: AnyModel;
  readonly request: ModelRequest;
  readonly context: CallContext;
  /** Unique within the conversation. */
  readonly call: string;
  /** The input of a simulated model. */
  readonly simulation?: SimulationInput;
  /** Shared by conversations that differ only in the judge. */
  readonly shared?: SharedCalls | undefined;
  /** True to ignore the cache, for reading and for writing. */
  readonly skipsCache?: boolean;
  /** True to make the call although the store has an answer; the new one is kept. */
  readonly ignoresStored?: boolean;
  /** True to throw `UNHEARD` rather than ask the model. */
  readonly onlyStored?: boolean;
  /** See `CallContext.session`. */
  readonly session?: string;
  /** Called with what each attempt took, also if there is no answer in the end. */
  readonly onSpent?: (spending: Spending) => void;
}

/** A model with a memory would be asked that has not heard the turns before. */
export const UNHEARD: ModelError = new ModelError(
  "cancelled",
  "The agent remembers conversations and has not heard this one: it begins again.",
);

/** One use of a tool. */
export interface ToolUse<Used> {
  readonly context: CallContext;
  /** Unique within the conversation. */
  readonly call: string;
  /** `server/tool` */
  readonly tool: string;
  readonly use: (signal: AbortSignal) => Promise<Used>;
}

/** Why a call is not answered from the store: the nearest call that is, and the first part that differs, in a sentence. */
export function whyMiss(store: Store, request: CallRequest): string {
  if (store.calls.get(identityOfRequest(request)) !== undefined)
    return "The answer to this call is in the store.";
  return explainMiss(
    request,
    store.calls.near(request).map((call) => call.request),
  );
}
