import { useEffect, useState } from "react";
import type { ErrorAnswer } from "../answers.ts";
import { encoded, type Settings } from "./routing.ts";

/** Where answers come from: the server, or the files of an export. */
export interface Source {
  readonly isExport: boolean;
  get(path: string, signal?: AbortSignal): Promise<unknown>;
}

/** Why there is no answer; the message says what to do. */
export class AnswerError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the document says about itself. */
export function factOf(name: string): string {
  return document.querySelector(`meta[name="elenchus-${name}"]`)?.getAttribute("content") ?? "";
}

const GONE =
  "The viewer's server does not answer. It may have been stopped: start it again with elenchus view, and use the new address.";

/** A request that reads is repeated if there is no answer after this time: the server needs milliseconds. */
const RETRY_AFTER_MS = 20_000;

async function fetched(path: string, init: RequestInit): Promise<Response> {
  for (let left = init.method ? 0 : 3; ; left--) {
    const limit = AbortSignal.timeout(RETRY_AFTER_MS);
    try {
      return await fetch(path, { ...init, signal: AbortSignal.any([init.signal ?? limit, limit]) });
    } catch (error) {
      if (left < 1 || !limit.aborted || init.signal?.aborted) throw error;
    }
  }
}

async function ask(path: string, init?: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    // Without the browser's cache: there, an aborted request can delay the next one by seconds.
    response = await fetched(path, {
      ...init,
      cache: "no-store",
      credentials: "same-origin",
      redirect: "error",
    });
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    throw new AnswerError("gone", GONE);
  }
  let answer: unknown;
  try {
    answer = await response.json();
  } catch (error) {
    // An aborted request may end in the middle of its answer.
    if (init?.signal?.aborted) throw error;
    throw new AnswerError("unexpected", `The server answered with status ${response.status}.`);
  }
  if (response.ok) return answer;
  const { error, code } = answer as ErrorAnswer;
  throw new AnswerError(code, error);
}

const server: Source = {
  isExport: false,
  get: (path, signal) => ask(path, signal === undefined ? {} : { signal }),
};

let current: Source = server;

/** The source of this page. */
export function source(): Source {
  return current;
}

/** Replaces the source of this page. */
export function setSource(other: Source): void {
  current = other;
}

/** Changes something on the server. */
export function send(method: "POST" | "DELETE", path: string, body?: unknown): Promise<unknown> {
  const headers = { "x-elenchus-token": factOf("token"), "content-type": "application/json" };
  return ask(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

/** The path of an answer; each word is encoded. */
export function answerPath(words: readonly string[], settings: Settings = {}): string {
  return `/api/${encoded(words, settings)}`;
}

const MOST_KEPT = 60;
const kept = new Map<string, unknown>();

/** Asks for an answer and keeps it, so that going back shows the page at once. */
export async function cachedAnswer(path: string, signal?: AbortSignal): Promise<unknown> {
  const answer = await current.get(path, signal);
  kept.delete(path);
  kept.set(path, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return answer;
}

/** An answer that may not be there yet. */
export interface Answer<Data> {
  readonly data?: Data;
  readonly error?: AnswerError;
}

/** Asks for an answer, and again when `version` changes. What was there before is shown until then. */
export function useAnswer<Data>(path: string | null, version = 0): Answer<Data> {
  const [state, setState] = useState<{ readonly path: string | null; readonly answer: Answer<Data> }>({
    path: null,
    answer: {},
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version asks again for the same path.
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    cachedAnswer(path, abort.signal).then(
      // The server answers each path with one type.
      (data) => {
        if (!abort.signal.aborted) setState({ path, answer: { data: data as Data } });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const known = error instanceof AnswerError ? error : new AnswerError("unexpected", String(error));
        setState({ path, answer: { error: known } });
      },
    );
    return () => abort.abort();
  }, [path, version]);
  if (state.path === path) return state.answer;
  const before = path === null ? undefined : kept.get(path);
  return before === undefined ? {} : { data: before as Data };
}
