import type { Truth } from "../../../core/logic/kleene.ts";
import { isRecord, isReservedKey, typeName, type UnknownRecord } from "../../../core/values/json.ts";

/** A message of a conversation that exists already. */
export interface GivenMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

/** A turn of a conversation that exists already: its reply, what others have read of it, or both. */
export interface GivenTurn {
  /** The node that was asked; without it, the node that the scenario asks. */
  readonly node?: string;
  /** The text that was asked; compared with the scenario's if it is there. */
  readonly question?: string;
  readonly reply?: string;
  /** What the simulated user did when it wrote the question. */
  readonly user?: { readonly reveals?: readonly string[]; readonly done?: boolean };
  /** What was read of the reply. It is verified with the template, unless there is a verdict. */
  readonly parsed?: UnknownRecord;
  readonly verify_result?: Truth;
  /** The values of traits. */
  readonly rubric?: UnknownRecord;
  readonly refused?: Truth;
}

/** A conversation that exists already: as messages, or as turns. */
export interface GivenRecord {
  readonly id: string;
  /** The scenario that it belongs to; needed if there are several. */
  readonly scenario?: string;
  /** The id of its row (default: the id of the record); null if it has none. */
  readonly row?: string | null;
  /** The level of each factor. */
  readonly variant?: Readonly<Record<string, string>>;
  /** The arm of a fork. */
  readonly arm?: string;
  /** From 1 (default 1). */
  readonly replicate?: number;
  readonly subject: string;
  readonly messages?: readonly GivenMessage[];
  readonly turns?: readonly GivenTurn[];
}

/** The replies of a conversation that exists already, and those of its arms. */
export interface PlannedRecord extends Pick<GivenRecord, "messages" | "turns"> {
  readonly arms?: ReadonlyMap<string, GivenRecord> | undefined;
}

/** A record, or what is wrong with it. */
export type ReadRecord = { readonly record: GivenRecord } | { readonly problems: readonly string[] };

/** Reads a record from data; keys that records do not have are ignored. */
export function readRecord(data: unknown): ReadRecord {
  if (!isRecord(data)) return { problems: [`a record is an object, not ${typeName(data)}`] };
  const reader = new RecordReader(data);
  const { messages, turns } = data;
  if ((messages === undefined) === (turns === undefined))
    reader.problem("a record has either `messages` or `turns`");
  const record: GivenRecord = {
    id: reader.name("id", true) ?? "",
    subject: reader.name("subject", true) ?? "",
    ...given("scenario", reader.name("scenario")),
    ...(data.row === null ? { row: null } : given("row", reader.name("row"))),
    ...given("variant", reader.variant()),
    ...given("arm", reader.name("arm")),
    ...given("replicate", reader.replicate()),
    ...given("messages", messages === undefined ? undefined : reader.messages(messages)),
    ...given("turns", turns === undefined ? undefined : reader.turns(turns)),
  };
  return reader.problems.length === 0 ? { record } : { problems: reader.problems };
}

function given<Key extends string, Value>(
  key: Key,
  value: Value | null | undefined,
): Partial<Record<Key, Value>> {
  // One key, or none.
  return (value === undefined || value === null ? {} : { [key]: value }) as Partial<Record<Key, Value>>;
}

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool"];

class RecordReader {
  readonly problems: string[] = [];
  readonly #data: UnknownRecord;

  constructor(data: UnknownRecord) {
    this.#data = data;
  }

  problem(text: string): void {
    this.problems.push(text);
  }

  /** A text; a number is read as one. */
  name(key: string, isNeeded = false): string | undefined {
    const value = this.#data[key];
    if (value === undefined || value === null) {
      if (isNeeded) this.problem(`\`${key}\` is missing`);
      return undefined;
    }
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
    if (typeof value === "string" && value !== "") return value;
    this.problem(`\`${key}\` must be text, not ${value === "" ? "empty" : typeName(value)}`);
    return undefined;
  }

  variant(): Readonly<Record<string, string>> | undefined {
    const { variant } = this.#data;
    if (variant === undefined || variant === null) return undefined;
    const levels = isRecord(variant) ? Object.entries(variant) : [];
    if (isRecord(variant) && levels.every(([factor, level]) => !isReservedKey(factor) && isName(level)))
      return Object.fromEntries(levels.map(([factor, level]) => [factor, String(level)]));
    this.problem("`variant` must have a text for each factor, such as { order: a }");
    return undefined;
  }

  replicate(): number | undefined {
    const { replicate } = this.#data;
    if (replicate === undefined || replicate === null) return undefined;
    if (typeof replicate === "number" && Number.isSafeInteger(replicate) && replicate >= 1) return replicate;
    this.problem(`\`replicate\` must be an integer from 1 and up, not ${JSON.stringify(replicate)}`);
    return undefined;
  }

  messages(value: unknown): readonly GivenMessage[] {
    if (!Array.isArray(value)) return this.#no("`messages` must be a list", []);
    return value.flatMap((message: unknown, index) => {
      const content = isRecord(message) ? contentText(message.content) : undefined;
      if (isRecord(message) && ROLES.includes(message.role) && content !== undefined) {
        const role = message.role === "developer" ? "system" : message.role;
        // One of the roles.
        return [{ role: role as GivenMessage["role"], content }];
      }
      this.problem(
        `message ${index + 1} must have a role (system, user, assistant or tool) and a content that is text`,
      );
      return [];
    });
  }

  turns(value: unknown): readonly GivenTurn[] {
    if (!Array.isArray(value)) return this.#no("`turns` must be a list", []);
    return value.map((turn: unknown, index) => {
      if (!isRecord(turn)) return this.#no(`turn ${index + 1} must be an object, not ${typeName(turn)}`, {});
      const place = `of turn ${index + 1}`;
      return {
        ...given("node", this.#text(turn.node, `\`node\` ${place}`)),
        ...given("question", this.#text(turn.question, `\`question\` ${place}`)),
        ...given("user", userOf(turn.user)),
        ...given("reply", this.#text(turn.reply, `\`reply\` ${place}`)),
        ...given("parsed", this.#values(turn.parsed, `\`parsed\` ${place}`)),
        ...this.#truth("verify_result", turn, place),
        ...given("rubric", this.#values(turn.rubric, `\`rubric\` ${place}`)),
        ...this.#truth("refused", turn, place),
      };
    });
  }

  #text(value: unknown, name: string): string | undefined {
    if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
    return this.#no(`${name} must be text, not ${typeName(value)}`, undefined);
  }

  #values(value: unknown, name: string): UnknownRecord | undefined {
    if (value === undefined || value === null) return undefined;
    if (isRecord(value) && !Object.keys(value).some(isReservedKey)) return value;
    return this.#no(`${name} must be an object`, undefined);
  }

  /** A verdict may be null: that it could not be read is a finding, too. */
  #truth<Key extends "verify_result" | "refused">(
    key: Key,
    turn: UnknownRecord,
    place: string,
  ): Partial<Record<Key, Truth>> {
    const value = turn[key];
    if (value === undefined) return {};
    const truth = value === 1 ? true : value === 0 ? false : value;
    if (truth === true || truth === false || truth === null) return { [key]: truth } as Record<Key, Truth>;
    return this.#no(`\`${key}\` ${place} must be true, false or null, not ${JSON.stringify(value)}`, {});
  }

  #no<Value>(problem: string, value: Value): Value {
    this.problem(problem);
    return value;
  }
}

/** What is no list of ids says nothing of what was revealed. */
function userOf(value: unknown): GivenTurn["user"] {
  if (!isRecord(value)) return undefined;
  const { reveals, done } = value;
  const isList = Array.isArray(reveals) && reveals.every((id) => typeof id === "string");
  return {
    ...(isList ? { reveals: reveals as string[] } : {}),
    ...(typeof done === "boolean" ? { done } : {}),
  };
}

function isName(value: unknown): boolean {
  return (
    (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "boolean"
  );
}

/** The text of a message: as it is, or in parts. A message that only calls tools has none. */
function contentText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return undefined;
  const parts = content.map((part: unknown) =>
    isRecord(part) && typeof part.text === "string" ? part.text : undefined,
  );
  return parts.includes(undefined) ? undefined : parts.join("");
}
