import { memoize } from "../../../core/lazy.ts";
import { foldConversation } from "../fold/conversation.ts";
import type { ConversationSummary, Store } from "../store/store.ts";
import { lineOf } from "./run-file.ts";
import { storedRun } from "./stored-run.ts";

/**
 * The conversations of a run as records, one in each line: every turn with its reply and with what was read of it. `grade` reads
 * them, and comes to the same results.
 */
export function* exportRecords(store: Store, name: string): Generator<string> {
  const { run } = storedRun(store, name);
  const arms = new Map<number, ConversationSummary[]>();
  for (const summary of store.conversations(run))
    if (summary.parent !== null) memoize(arms, summary.parent, () => []).push(summary);
  const write = function* (summary: ConversationSummary): Generator<string> {
    const { conversation, index, scenario, row, variant, arm, replicate, subject, judge } = summary;
    const { finishedTurns } = foldConversation(store.events(run, conversation));
    yield lineOf({
      id: conversation,
      scenario,
      row,
      ...(variant === null ? {} : { variant }),
      ...(arm === null ? {} : { arm }),
      replicate,
      subject,
      judge,
      turns: finishedTurns.map(
        ({ node, questionText, reply, parsed, verifyResult, rubric, refused, user }) => ({
          node,
          question: questionText,
          ...(user === undefined ? {} : { user: { reveals: user.reveals, done: user.done } }),
          reply,
          parsed,
          verify_result: verifyResult,
          ...(Object.keys(rubric).length === 0 ? {} : { rubric }),
          ...(refused === null ? {} : { refused }),
        }),
      ),
    });
    // Arms come right after what they continue.
    for (const continued of arms.get(index) ?? []) yield* write(continued);
  };
  for (const summary of store.conversations(run)) if (summary.parent === null) yield* write(summary);
}
