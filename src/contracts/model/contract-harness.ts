import { canonicalJson } from "../../core/values/canonical-json.ts";
import type { CallContext, Model, ModelReply, ModelRequest } from "../../models/model.ts";
import { type ErrorCategory, ModelError } from "../../models/model-error.ts";

/** What the other side of a model was asked, in its own words. */
export interface SeenRequest {
  /** The system prompt as it arrived, and where: `first` is false if anything came before it. */
  readonly instructions?: string;
  readonly first?: boolean;
  /** The texts of all other messages in order. */
  readonly texts: readonly string[];
}

/** A model and its other side: the server, function or person that answers. */
export interface ContractHarness {
  readonly model: Model;
  /** What the other side has been asked so far. Needed unless `without` has "seen". */
  readonly seen?: () => readonly SeenRequest[];
  /** The next call finds no answer, for ever. Needed unless `without` has "stall". */
  readonly stallNext?: () => void;
  /** By category: the next call fails in this way, in words that hold all secrets. Needed unless `without` has "faults". */
  readonly faults?: Readonly<Partial<Record<ErrorCategory, () => void>>>;
  /** The next reply wants this tool to be called. Needed unless `without` has "tools". */
  readonly callToolNext?: (name: string, input: { readonly [key: string]: string }) => void;
  /** What must never be seen: keys, tokens. */
  readonly secrets?: readonly string[];
  readonly close?: () => Promise<void>;
}

/**
 * What some models cannot have: a replay cannot stall, a person has no faults. `echo`: the other side answers with the last
 * user's message in its text. `history`: it is shown the whole conversation and the system prompt, not only the question.
 */
export type ContractAbility = "seen" | "echo" | "history" | "stall" | "faults" | "tools";

/** A case of the contract; `run` throws if the model breaks it. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What a case needs of the harness, and what it does. */
export interface ContractRule {
  readonly name: string;
  readonly needs: readonly ContractAbility[];
  readonly check: (harness: ContractHarness) => Promise<void>;
}

/** Throws unless something holds that the contract asks for. */
export function demand(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(`The contract of models is broken: ${problem}.`);
}

/** The request of a first turn, frozen, so that changing it is an error. */
export function requestOf(text: string, change: Partial<ModelRequest> = {}): ModelRequest {
  return Object.freeze({
    instructions: "You are terse.",
    messages: Object.freeze([Object.freeze({ role: "user" as const, content: text })]),
    ...change,
  });
}

/** A call as the engine makes it. */
export function contextOf(change: Partial<CallContext> = {}): CallContext {
  return {
    signal: new AbortController().signal,
    purpose: "subject",
    scenario: "contract",
    conversation: "contract-1",
    node: "ask",
    turn: 1,
    replicate: 1,
    seed: 7,
    ...change,
  };
}

/** The error of a call that must fail. */
export async function failureOf(reply: Promise<ModelReply>): Promise<ModelError> {
  const failure = await reply.then(
    () => undefined,
    (error: unknown) => error,
  );
  demand(failure !== undefined, "a call that should have failed gave a reply");
  demand(failure instanceof ModelError, `it threw ${String(failure)} instead of a ModelError`);
  return failure;
}

/** An error may be shown to anybody. */
export function demandPresentable(error: ModelError, secrets: readonly string[]): void {
  demand(error.message.trim() !== "", "an error has no message");
  let cause: unknown = error.cause;
  let shown = `${error.message}\n${error.stack}`;
  for (let depth = 0; cause instanceof Error && depth < 10; depth++, cause = cause.cause) {
    shown += `\n${cause.message}\n${cause.stack}\n${canonicalJson({ ...cause })}`;
  }
  for (const secret of secrets) demand(!shown.includes(secret), "an error shows a secret");
}
