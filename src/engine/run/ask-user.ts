import type { JsonObject } from "../../core/values/json.ts";
import { parseLenientJson } from "../grading/judge/lenient-json.ts";
import { failureOf } from "../journal/failure.ts";
import type { TurnUser } from "../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { Message } from "../models/message.ts";
import type { ModelRequest } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import { FACTS_LINE } from "../models/simulated/simulated-user.ts";
import { callContext } from "./ask-subject.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import type { ConversationContext, RunContext } from "./run-context.ts";
import type { UserTurn } from "./run-options.ts";
import type { SimulateEffect } from "./step/conversation-state.ts";
import { breachOf, readUserMessage, type UserContract, type UserMessage } from "./step/user-contract.ts";

/** The next message of the simulated user: from a record, from the run that is graded again, or from the simulator. */
export async function userTurn(driver: ConversationContext, effect: SimulateEffect): Promise<UserTurn> {
  const { turn, node } = effect;
  const known = driver.plan.replies?.user(effect) ?? null;
  if (known !== null) return "stop" in known ? known : { ...known, spending: NOTHING_SPENT };
  const place = { stage: "simulator", node, turn } as const;
  const answer = await askUser(driver, effect);
  if ("text" in answer) return answer;
  const { spending } = answer;
  if ("fault" in answer) {
    const message = `The simulated user broke its contract: ${answer.fault}`;
    return {
      stop: { status: "simulator_fault", failure: { category: "contract", ...place, message }, spending },
    };
  }
  const failure = failureOf(answer.error, place);
  return {
    stop: { status: failure.category === "budget" ? "budget_exhausted" : "error", failure, spending },
  };
}

/** What the simulated user says; how it broke its contract twice; or why it could not be asked. */
type UserAnswer =
  | Pick<TurnUser, "text" | "reveals" | "done" | "repaired" | "spending">
  | { readonly fault: string; readonly spending: Spending }
  | { readonly error: unknown; readonly spending: Spending };

/** Asks the simulator for the next message of the user. A message that breaks the contract is asked for once more. */
async function askUser(driver: ConversationContext, effect: SimulateEffect): Promise<UserAnswer> {
  const { run, plan, signal } = driver;
  const { contract, messages, turn } = effect;
  const model = simulatorAt(driver, effect);
  let spending: Spending = NOTHING_SPENT;
  let said: readonly Message[] = messages;
  const breaches: string[] = [];
  try {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { text, object } = await run.caller.call({
        model,
        request: userRequest(contract, said),
        context: callContext(driver, effect, { purpose: "simulator", signal }),
        call: `${turn}.simulator.${attempt}`,
        shared: plan.shared,
        session: driver.session,
        onSpent: (spent) => {
          spending = addSpending(spending, spent);
        },
      });
      const read = readMessage(object ?? text, contract);
      const breach = typeof read === "string" ? read : breachOf(read, contract, spokenIn(messages));
      if (breach === undefined && typeof read !== "string")
        return { ...read, ...(attempt === 1 ? {} : { repaired: breaches[0] ?? "" }), spending };
      breaches.push(breach ?? "");
      said = [
        ...messages,
        { role: "assistant", content: text },
        {
          role: "user",
          content: `Your last message broke a rule: ${breach}. Write it again, within the rules.`,
        },
      ];
    }
  } catch (error) {
    return { error, spending };
  }
  return { fault: `${breaches.join("; and again: ")}.`, spending };
}

/** What a simulator is asked. */
export function userRequest(contract: UserContract, messages: readonly Message[]): ModelRequest {
  return { instructions: instructionsOf(contract), messages, schema: schemaOf(contract) };
}

/** The simulator of a turn: that of the run, or the one that the node names. */
export function simulatorAt(
  { run }: { readonly run: Pick<RunContext, "simulator" | "simulators"> },
  { simulator }: Pick<SimulateEffect, "simulator">,
): AnyModel {
  const model = simulator === undefined ? run.simulator : run.simulators.get(simulator);
  // Runs with simulated users have one, or are refused.
  if (model === undefined || model === null) throw new ModelError("internal", "There is no simulator.");
  return model;
}

function readMessage(answer: unknown, contract: UserContract): UserMessage | string {
  if (typeof answer !== "string") return readUserMessage(answer, contract);
  const start = answer.indexOf("{");
  const found = start === -1 ? undefined : parseLenientJson(answer, start);
  return readUserMessage(found?.ok === true ? found.value : undefined, contract);
}

function spokenIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => ("content" in message ? [message.content] : []));
}

/** The instructions of the simulator. The facts are data. */
function instructionsOf({ instructions, facts, revealed, mayReveal, never, done }: UserContract): string {
  const open = Object.fromEntries(Object.entries(facts).filter(([id]) => !revealed.includes(id)));
  const known = Object.fromEntries(Object.entries(facts).filter(([id]) => revealed.includes(id)));
  return [
    "You play a user who talks with an assistant. You are the user, never the assistant.",
    instructions,
    ...(Object.keys(facts).length === 0
      ? []
      : [
          `What you have said already: ${JSON.stringify(known)}`,
          FACTS_LINE,
          JSON.stringify(open),
          `In one message you may reveal at most ${mayReveal} of these, and only by answering what the assistant asks. Name each in \`reveals\`. Say nothing of the others, not even in other words.`,
        ]),
    ...(never.length === 0 ? [] : [`Never say: ${JSON.stringify(never)}`]),
    `Set \`done\` to true ${done === undefined ? "when you have nothing left to say" : `when this holds: ${done}`}.`,
    'Answer with JSON: { "text": "your message", "reveals": ["id"], "done": false }',
  ].join("\n\n");
}

function schemaOf({ facts }: UserContract): JsonObject {
  const ids = Object.keys(facts);
  return {
    type: "object",
    additionalProperties: false,
    required: ["text", "reveals", "done"],
    properties: {
      text: { type: "string", description: "the message of the user" },
      reveals: {
        type: "array",
        items: ids.length === 0 ? { type: "string" } : { type: "string", enum: ids },
      },
      done: { type: "boolean" },
    },
  };
}
