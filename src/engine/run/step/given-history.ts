import { fillTexts } from "../../../core/liquid/fill-texts.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { typeName } from "../../../core/values/json.ts";
import type { Message } from "../../models/message.ts";
import { isSpokenMessage } from "./agent-view.ts";

/** The messages before the first turn, with the values of the row; or why there are none. */
export function givenHistory({
  history,
  given = {},
}: ScenarioDefinition): readonly Message[] | { readonly problem: string } {
  if (history === undefined) return [];
  try {
    const filled: unknown = fillTexts(history, { ...given });
    // A column without history is empty.
    if (filled === null || filled === "") return [];
    if (!Array.isArray(filled))
      return { problem: `The history must be a list of messages, not ${typeName(filled)}.` };
    const wrong = filled.findIndex((message) => !isSpokenMessage(message));
    if (wrong === -1)
      return filled.map(({ role, content }: Message & { content: string }) => asMessage(role, content));
    return {
      problem: `Message ${wrong + 1} of the history must have a role (user or assistant) and a content that is text.`,
    };
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return { problem: `The history cannot be rendered: ${error.message}.` };
  }
}

function asMessage(role: string, content: string): Message {
  return Object.freeze(role === "user" ? { role: "user", content } : { role: "assistant", content });
}
