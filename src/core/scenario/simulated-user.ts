import {
  described,
  either,
  integerFrom,
  list,
  nonEmptyText,
  object,
  record,
  type ShapeRule,
  type TypeOf,
  text,
} from "../schema/shape.ts";
import { isRecord, isReservedKey, type UnknownRecord } from "../values/json.ts";

/** Stands for the text that a simulated user writes. */
export const USER_WRITES = "(written by the simulated user)";

const userRule: ShapeRule = ({ facts, mayReveal }, report) => {
  if (isRecord(facts))
    for (const id of Object.keys(facts)) if (isReservedKey(id)) report("facts", { code: "reserved_id", id });
  if (typeof mayReveal === "number" && facts === undefined)
    report("mayReveal", {
      code: "invalid_parameter",
      message: "There are no facts that could be revealed; write them in `facts`.",
    });
};

/** A simulated user, as nodes have it. */
export const SIMULATED_USER = object(
  "a simulated user",
  { instructions: described(nonEmptyText, "Who the user is, and what he or she wants.") },
  {
    description: "A model writes the question of this node, as a user; code checks what it may say.",
    rule: userRule,
    optional: {
      facts: described(
        either(record(text), list(text), nonEmptyText),
        "What the user may reveal, by id, or a column of the row.",
      ),
      mayReveal: described(integerFrom(0), "How many facts may be new in one message (default 1)."),
      never: described(
        either(list(nonEmptyText), nonEmptyText),
        "Texts that must not occur, or a column of the row.",
      ),
      opening: described(nonEmptyText, "The first message, word for word."),
      done: described(nonEmptyText, "When the user is done, in words."),
      simulator: described(nonEmptyText, "Another model than the run's."),
    },
  },
);

/** A user whom a model plays, and the contract that code checks. */
export interface SimulatedUser extends TypeOf<typeof SIMULATED_USER> {}

/** A node with a simulated user has no text of its own, and often nothing to verify. */
export function withUserQuestion(node: unknown): unknown {
  if (!isRecord(node) || !isRecord(node.user)) return node;
  const question: UnknownRecord = isRecord(node.question) ? node.question : {};
  if (node.question !== undefined && !isRecord(node.question)) return node;
  return { ...node, question: { question: USER_WRITES, rawAnswer: "", ...question } };
}
