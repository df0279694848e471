import { isRecord } from "../../../core/values/json.ts";
import type { Model, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";

/** The line before the facts in the instructions of a simulated user. */
export const FACTS_LINE = "What you know and have not said yet, by id, as JSON:";

/** True for the name of a simulated user that is no model. */
export function isSimulatedUser(reference: string): boolean {
  return /^sim\/user(?:\?|$)/.test(reference);
}

/**
 * Plays a user without a model, for trying scenarios and for tests: `sim/user` reveals one fact after the other, in their order, and is
 * done when none is left. `sim/user?leaks=TEXT` says this text, too, and so breaks a contract that forbids it; with `repairs=true` it
 * keeps to the contract when it is asked again.
 */
export function simulatedUser(reference: string): Model {
  const [, query = ""] = reference.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((key) => key !== "leaks" && key !== "repairs");
  if (unknown !== undefined)
    throw new ModelError(
      "bad_request",
      `${reference}: there is no parameter "${unknown}". A simulated user has leaks and repairs.`,
    );
  const leaks = parameters.get("leaks");
  const repairs = parameters.get("repairs") === "true";
  return {
    name: reference,
    identity: { provider: "sim", model: "user", leaks, repairs },
    account: "sim",
    price: null,
    async reply(request) {
      const isRepair = /^Your last message broke a rule/.test(lastText(request));
      const [next, ...more] = Object.entries(factsIn(request));
      const leaked = leaks === null || (isRepair && repairs) ? [] : [leaks];
      const text = [...(next === undefined ? ["That is all I know."] : [next[1]]), ...leaked].join(" ");
      const object = { text, reveals: next === undefined ? [] : [next[0]], done: more.length === 0 };
      return {
        text: JSON.stringify(object),
        object,
        finish: "stop",
        usage: { inputTokens: 0, outputTokens: 0 },
      };
    },
  };
}

function lastText({ messages }: ModelRequest): string {
  const last = messages.at(-1);
  return last !== undefined && "content" in last ? last.content : "";
}

function factsIn({ instructions = "" }: ModelRequest): Readonly<Record<string, string>> {
  const lines = instructions.split("\n").filter((line) => line !== "");
  const at = lines.indexOf(FACTS_LINE);
  const facts: unknown = at === -1 ? {} : JSON.parse(lines[at + 1] ?? "{}");
  // Written by the run as texts by id.
  return isRecord(facts) ? (facts as Readonly<Record<string, string>>) : {};
}
