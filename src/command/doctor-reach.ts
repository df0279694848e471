import { networkFailure } from "../model/network-error.ts";
import type { ProviderKind } from "../model/provider.ts";

/** What came of asking a provider which models it has. Nothing of what it said is kept. */
export type Reach =
  /** It answers with the key, and refuses those who have none. */
  | { readonly type: "accepted" }
  /** It answers; whether the key is right cannot be told, since its list of models is open to everybody. */
  | { readonly type: "open" }
  | { readonly type: "refused"; readonly status: number }
  | { readonly type: "other"; readonly status: number }
  /** `reason` ends a sentence that begins with the name of the server. */
  | { readonly type: "unreachable"; readonly reason: string; readonly isRefused: boolean };

/** Who is asked, and how. */
export interface ReachRequest {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** Those of the configuration. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeLimitMs: number;
}

/** What is left if nothing is wrong with the connection. */
const UNSENDABLE = "cannot be asked, since its key or a header has characters that HTTP does not allow";

/** Asks a provider for its list of models, which costs nothing. */
export async function reachProvider(request: ReachRequest): Promise<Reach> {
  const { kind, key, timeLimitMs } = request;
  const signal = AbortSignal.timeout(timeLimitMs);
  try {
    const status = await statusOf(request, signal, key);
    if (isRefusal(status, kind)) return { type: "refused", status };
    if (status < 200 || status > 299) return { type: "other", status };
    if (key === undefined) return { type: "open" };
    const without = await statusOf(request, signal, undefined).catch(() => undefined);
    return { type: without !== undefined && isRefusal(without, kind) ? "accepted" : "open" };
  } catch (error) {
    // Messages of errors may quote headers, so none is passed on.
    if (signal.aborted)
      return {
        type: "unreachable",
        reason: `did not answer within ${timeLimitMs / 1000} s`,
        isRefused: false,
      };
    const what = networkFailure(error)?.what ?? UNSENDABLE;
    return { type: "unreachable", reason: what, isRefused: what === "refused the connection" };
  }
}

async function statusOf(
  { kind, baseUrl, headers }: ReachRequest,
  signal: AbortSignal,
  key: string | undefined,
): Promise<number> {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/models`;
  const response = await fetch(url, {
    headers: { ...(key === undefined ? {} : keyHeaders(kind, key)), ...versionHeaders(kind), ...headers },
    // A redirection could take the key elsewhere.
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  return response.status;
}

function keyHeaders(kind: ProviderKind, key: string): Readonly<Record<string, string>> {
  if (kind === "anthropic") return { "x-api-key": key };
  return kind === "google" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

function versionHeaders(kind: ProviderKind): Readonly<Record<string, string>> {
  return kind === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
}

/** Google calls a request with a wrong key a bad one; this one has nothing else that could be wrong. */
function isRefusal(status: number, kind: ProviderKind): boolean {
  return status === 401 || status === 403 || (kind === "google" && status === 400);
}
