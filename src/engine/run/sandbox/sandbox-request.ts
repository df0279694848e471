import type { RealmAnswer, RealmLimits } from "./realm.ts";

/** What can be asked of a thread. */
export type SandboxRequest =
  | { readonly type: "open"; readonly realm: number; readonly limits: RealmLimits }
  | { readonly type: "compile"; readonly realm: number; readonly fn: number; readonly source: string }
  /** `values` are the arguments as a JSON array; `seed` is what its random numbers depend on besides the realm and the source. */
  | {
      readonly type: "call";
      readonly realm: number;
      readonly fn: number;
      readonly values: string;
      readonly seed: readonly string[];
    }
  | { readonly type: "close"; readonly realm: number };

/** What a thread answers, and how long it took. */
export interface SandboxReply {
  readonly answer: RealmAnswer;
  readonly ms: number;
}

/** The answer if the thread does not know the realm or the function, because the thread was restarted. */
export const UNKNOWN = "?";

/** Starts the answer if the engine crashed. The realm is gone then. */
export const BROKEN = "x";
