import { fillTexts } from "../../../core/liquid/fill-texts.ts";
import type { TextScope } from "../../../core/liquid/text-template.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { SimulatedUser } from "../../../core/scenario/simulated-user.ts";
import { itemsOf } from "../../../core/values/growing-list.ts";
import type { Message } from "../../models/message.ts";
import type { ConversationState, SimulateEffect } from "./conversation-state.ts";
import { lastUser } from "./turn-texts.ts";
import { contractOf, truthsOf, type UserContract, type UserMessage, wordsIn } from "./user-contract.ts";

/** The next message of a simulated user if it is known word for word, else what to ask the simulator; or what is wrong. */
export function nextOfUser(
  definition: ScenarioDefinition,
  state: ConversationState,
  {
    user,
    scope,
    place,
  }: {
    readonly user: SimulatedUser;
    readonly scope: TextScope;
    readonly place: Pick<SimulateEffect, "turn" | "node">;
  },
): { readonly written: UserMessage } | SimulateEffect | { readonly problem: string } {
  const filled = fillTexts(user, scope);
  const before = lastUser(state);
  const contract = contractOf(filled, {
    revealed: before?.revealed ?? [],
    truths: truthsOf(definition),
  });
  if ("problem" in contract) return contract;
  const { opening, simulator } = filled;
  if (opening !== undefined && scope.visit === 0)
    return { written: { text: opening, reveals: toldBy(opening, contract), done: false } };
  return {
    type: "simulate",
    ...place,
    contract,
    messages: seenByUser(state),
    ...(simulator === undefined ? {} : { simulator }),
  };
}

/** The facts that a text has word for word. */
function toldBy(text: string, { facts }: UserContract): readonly string[] {
  const words = wordsIn(text);
  return Object.entries(facts).flatMap(([id, fact]) => (words.includes(wordsIn(fact)) ? [id] : []));
}

const BEGINNING: Message = Object.freeze({ role: "user", content: "(The conversation begins.)" });

/** The conversation from the side of the user. */
function seenByUser({ history, spoken }: ConversationState): readonly Message[] {
  const turned = history.flatMap((message): readonly Message[] =>
    message.role === "user"
      ? [{ role: "assistant", content: message.content }]
      : message.role === "assistant"
        ? [{ role: "user", content: message.content }]
        : [],
  );
  const said = itemsOf(spoken).flatMap(({ question, reply }): readonly Message[] => [
    { role: "assistant", content: question },
    { role: "user", content: reply },
  ]);
  return [BEGINNING, ...turned, ...said];
}
