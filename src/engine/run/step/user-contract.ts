import { fillTexts } from "../../../core/liquid/fill-texts.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { SimulatedUser } from "../../../core/scenario/simulated-user.ts";
import type { UserState } from "../../../core/state/state.ts";
import { isRecord, type UnknownRecord } from "../../../core/values/json.ts";

/** What a simulated user may say in one turn. */
export interface UserContract {
  readonly instructions: string;
  /** All facts, by id. */
  readonly facts: Readonly<Record<string, string>>;
  /** The ids of the facts that were revealed before. */
  readonly revealed: readonly string[];
  readonly mayReveal: number;
  readonly never: readonly string[];
  /** Right answers, which the user must not give away. */
  readonly truths: readonly string[];
  readonly done?: string;
}

/** What a simulated user wrote. */
export interface UserMessage {
  readonly text: string;
  /** The ids of the facts that it reveals. */
  readonly reveals: readonly string[];
  readonly done: boolean;
}

/** The contract of a user whose texts are rendered; or what is wrong with it. */
export function contractOf(
  user: SimulatedUser,
  { revealed, truths }: Pick<UserContract, "revealed" | "truths">,
): UserContract | { readonly problem: string } {
  const facts = factsOf(user.facts);
  if (facts === undefined)
    return { problem: "The facts of the simulated user must be texts by id, or a list of texts." };
  const never: unknown = user.never ?? [];
  const texts = typeof never === "string" ? [never] : never;
  if (!Array.isArray(texts) || !texts.every((one) => typeof one === "string"))
    return { problem: "`never` of the simulated user must be a list of texts." };
  const { instructions, mayReveal = 1, done } = user;
  const contract = { instructions, facts, revealed, mayReveal, never: texts, truths };
  return done === undefined ? contract : { ...contract, done };
}

/** A list of facts is numbered from 1. */
function factsOf(facts: unknown): Readonly<Record<string, string>> | undefined {
  if (facts === undefined || facts === null || facts === "") return {};
  const entries = Array.isArray(facts)
    ? facts.map((fact: unknown, index) => [String(index + 1), fact] as const)
    : isRecord(facts)
      ? Object.entries(facts)
      : undefined;
  if (entries === undefined || !entries.every(([, fact]) => typeof fact === "string")) return undefined;
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Shorter truths, such as letters, stand in too many innocent sentences. */
const SHORTEST_TRUTH = 4;

/** The right answers of a scenario, as far as they are texts that the row alone decides. */
export function truthsOf({ nodes, given = {} }: ScenarioDefinition): readonly string[] {
  const texts = Object.values(nodes).flatMap(({ question }) => [
    question.rawAnswer,
    ...Object.values(question.template?.fields ?? {}).map(({ truth }) => truth),
  ]);
  const filled = texts.map((text) => {
    try {
      return typeof text === "string" ? fillTexts(text, { ...given }) : undefined;
    } catch (error) {
      if (error instanceof TextError) return undefined;
      throw error;
    }
  });
  return [...new Set(filled)].filter(
    (text): text is string => typeof text === "string" && wordsIn(text).length >= SHORTEST_TRUTH + 2,
  );
}

/** What is known of a user after a message. */
export function userAfter({ reveals, done }: UserMessage, before: UserState | undefined): UserState {
  const known = before?.revealed ?? [];
  return { done, reveals, revealed: [...known, ...reveals.filter((id) => !known.includes(id))] };
}

/** Reads the answer of a simulator; a text if it cannot be read. */
export function readUserMessage(answer: unknown, contract: UserContract): UserMessage | string {
  if (!isRecord(answer)) return "the answer must be a JSON object with text, reveals and done";
  const { text, reveals = [], done = false }: UnknownRecord = answer;
  if (typeof text !== "string") return "`text` is missing";
  if (!Array.isArray(reveals) || !reveals.every((id) => typeof id === "string"))
    return "`reveals` must be a list of ids of facts";
  if (typeof done !== "boolean") return "`done` must be true or false";
  const unknown = reveals.find((id) => !Object.hasOwn(contract.facts, id));
  if (unknown !== undefined) return `there is no fact ${JSON.stringify(unknown)}`;
  return { text: text.trim(), reveals: [...new Set(reveals as string[])], done };
}

/** How a message breaks its contract, in a clause; undefined if it does not. */
export function breachOf(
  { text, reveals }: UserMessage,
  contract: UserContract,
  /** What was said before, by anyone: words that are known give nothing away. */
  said: readonly string[],
): string | undefined {
  const { facts, revealed, mayReveal, never, truths } = contract;
  if (text === "") return "the text is empty";
  if (/^\s*(?:assistant|system|ai|model)\s*:/i.test(text) || /\bas an ai\b/i.test(text))
    return "the text is in the role of the assistant";
  const fresh = reveals.filter((id) => !revealed.includes(id));
  if (fresh.length > mayReveal)
    return `it reveals ${fresh.length} new facts (${fresh.join(", ")}), and may reveal ${mayReveal}`;
  const words = wordsIn(text);
  const forbidden = never.find((one) => words.includes(wordsIn(one)));
  if (forbidden !== undefined) return `it says ${JSON.stringify(forbidden)}, which must never be said`;
  const open = [...said, ...[...revealed, ...reveals].map((id) => facts[id] ?? "")].map(wordsIn);
  for (const [id, fact] of Object.entries(facts)) {
    if (revealed.includes(id) || reveals.includes(id)) continue;
    if (tells(words, wordsIn(fact), open))
      return `it says what fact ${JSON.stringify(id)} says, without naming it in \`reveals\``;
  }
  const told = truths.find(
    (truth) => words.includes(wordsIn(truth)) && !open.some((one) => one.includes(wordsIn(truth))),
  );
  return told === undefined ? undefined : "it gives the right answer away";
}

/** So many words in a row of a fact are its wording. */
const WORDING = 6;

/** True if a text has the wording of a fact: all of it, or many words in a row that were not said before. */
function tells(words: string, fact: string, open: readonly string[]): boolean {
  const isNew = (part: string): boolean => words.includes(part) && !open.some((one) => one.includes(part));
  if (fact.trim() === "") return false;
  const list = fact.trim().split(" ");
  if (list.length <= WORDING) return isNew(fact);
  return list.some(
    (_, at) => at + WORDING <= list.length && isNew(` ${list.slice(at, at + WORDING).join(" ")} `),
  );
}

/** A text as words with single spaces between and around them, in lower case. */
export function wordsIn(text: string): string {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return ` ${words.join(" ")} `;
}
