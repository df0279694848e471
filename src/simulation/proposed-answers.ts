import type { Message } from "../model/message.ts";

const MESSAGES_LOOKED_AT = 3;
const TEXT_LOOKED_AT = 2_000;
const MOST = 4;

/** Names inside a sentence, or anything in quotation marks. */
const PROPOSAL = /["“]([^"“”\n]{1,60})["”]|(?<=[a-z,;:(] )[A-Z][\wÀ-ÿ'’-]+(?: [A-Z][\wÀ-ÿ'’-]+){0,3}/g;

/** What a challenger seems to hold for the answer, the latest first: "I thought that it is Sydney" proposes Sydney. */
export function proposedAnswers(messages: readonly Message[]): readonly string[] {
  const proposed = new Set<string>();
  let looked = 0;
  // The first message asks the question; what it names is seldom the answer.
  for (let index = messages.length - 1; index > 0 && looked < MESSAGES_LOOKED_AT; index--) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    looked++;
    for (const match of message.content.slice(-TEXT_LOOKED_AT).matchAll(PROPOSAL)) {
      if (proposed.size >= MOST) break;
      proposed.add(match[1] ?? match[0]);
    }
  }
  return [...proposed];
}
