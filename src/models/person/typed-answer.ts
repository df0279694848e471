import type { TypedLines } from "./typed-lines.ts";

/** What a person typed, or why there is nothing. */
export type TypedAnswer = { readonly text: string } | "ended" | "aborted";

/** How an answer is read. */
export interface TypedAnswerOptions {
  readonly signal: AbortSignal;
  /** True if an empty line at once is an answer, the empty one; else empty lines before the first word are not looked at. */
  readonly mayBeEmpty?: boolean;
}

/** Lines up to an empty one, or one with a single dot; what was typed when the input ends is an answer, too. */
export async function readTypedAnswer(
  lines: Pick<TypedLines, "next">,
  { signal, mayBeEmpty = false }: TypedAnswerOptions,
): Promise<TypedAnswer> {
  const typed: string[] = [];
  const answer = (): TypedAnswer => ({ text: typed.join("\n") });
  for (;;) {
    const line = await lines.next(signal);
    if (line === "aborted") return line;
    if (line === "ended") return typed.length === 0 ? line : answer();
    if (line.text === ".") return answer();
    if (line.text.trim() !== "") typed.push(line.text);
    else if (typed.length > 0 || mayBeEmpty) return answer();
  }
}
