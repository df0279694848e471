import type { RealmLimits } from "./realm.ts";

/** What can be asked of the thread, as JSON; a call, which must be quick, is `<realm> <function> <arguments>` instead. */
export type SandboxRequest =
  | { readonly type: "open"; readonly realm: number; readonly limits: RealmLimits }
  | { readonly type: "compile"; readonly realm: number; readonly fn: number; readonly source: string }
  | { readonly type: "close"; readonly realm: number };

/** The answer if the thread has never heard of the realm or the function, because it is a new one. */
export const UNKNOWN = "?";

/** Starts the answer where the engine broke down. The thread has forgotten the realm then. */
export const BROKEN = "x";
