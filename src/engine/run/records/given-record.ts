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

/** Reads a record from data; keys that records do not have are ignored, and null is as good as missing. */
export function readRecord(data: unknown): ReadRecord {
  if (!isRecord(data)) return { problems: [`a record is an object, not ${typeName(data)}`] };
  const problems: string[] = [];
  if ((given(data.messages) === undefined) === (given(data.turns) === undefined))
    problems.push("a record has either `messages` or `turns`");
  for (const key of ["id", "subject"])
    if (given(data[key]) === undefined) problems.push(`\`${key}\` is missing`);
  const read = reader(data, "", problems);
  const record: GivenRecord = {
    id: "",
    subject: "",
    ...read("id", name),
    ...read("subject", name),
    ...read("scenario", name),
    ...(data.row === null ? { row: null } : read("row", name)),
    ...read("variant", levels),
    ...read("arm", name),
    ...read("replicate", replicate),
    ...read("messages", (value) => listOf(value, problems, readMessage)),
    ...read("turns", (value) => listOf(value, problems, readTurn)),
  };
  return problems.length === 0 ? { record } : { problems };
}

/** A value, or in words what it must be. */
type Found<Value> = { readonly value: Value } | string;

/** Reads a key of some data, if it is there. */
type ReadKey = <Key extends string, Value>(
  key: Key,
  read: (value: unknown) => Found<Value>,
) => Partial<Record<Key, Value>>;

function reader(data: UnknownRecord, place: string, problems: string[]): ReadKey {
  return <Key extends string, Value>(key: Key, read: (value: unknown) => Found<Value>) => {
    const found = given(data[key]) === undefined ? undefined : read(data[key]);
    if (typeof found === "string") problems.push(`\`${key}\`${place} must ${found}`);
    // One key, or none.
    return (typeof found === "object" ? { [key]: found.value } : {}) as Partial<Record<Key, Value>>;
  };
}

function given(value: unknown): unknown {
  return value ?? undefined;
}

/** A text; a number is read as one. */
function name(value: unknown): Found<string> {
  if (typeof value === "number" && Number.isFinite(value)) return { value: String(value) };
  if (typeof value === "string" && value !== "") return { value };
  return `be text, not ${value === "" ? "empty" : typeName(value)}`;
}

function text(value: unknown): Found<string> {
  return typeof value === "string" ? { value } : `be text, not ${typeName(value)}`;
}

function levels(value: unknown): Found<Readonly<Record<string, string>>> {
  const found = isRecord(value) ? Object.entries(value) : null;
  const isLevel = (level: unknown): boolean =>
    (typeof level === "string" && level !== "") || typeof level === "number" || typeof level === "boolean";
  if (found?.every(([factor, level]) => !isReservedKey(factor) && isLevel(level)))
    return { value: Object.fromEntries(found.map(([factor, level]) => [factor, String(level)])) };
  return "have a text for each factor, such as { order: a }";
}

function replicate(value: unknown): Found<number> {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return { value };
  return `be an integer from 1 and up, not ${JSON.stringify(value)}`;
}

function values(value: unknown): Found<UnknownRecord> {
  return isRecord(value) && !Object.keys(value).some(isReservedKey) ? { value } : "be an object";
}

function listOf<Item>(
  value: unknown,
  problems: string[],
  read: (item: unknown, number: number, problems: string[]) => Item | undefined,
): Found<readonly Item[]> {
  if (!Array.isArray(value)) return "be a list";
  return {
    value: value.flatMap((item: unknown, index): readonly Item[] => {
      const found = read(item, index + 1, problems);
      return found === undefined ? [] : [found];
    }),
  };
}

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool"];

function readMessage(message: unknown, number: number, problems: string[]): GivenMessage | undefined {
  const content = isRecord(message) ? contentText(message.content) : undefined;
  if (!isRecord(message) || !ROLES.includes(message.role) || content === undefined) {
    problems.push(
      `message ${number} must have a role (system, user, assistant or tool) and a content that is text`,
    );
    return undefined;
  }
  // One of the roles.
  const role = (message.role === "developer" ? "system" : message.role) as GivenMessage["role"];
  return { role, content };
}

function readTurn(turn: unknown, number: number, problems: string[]): GivenTurn | undefined {
  if (!isRecord(turn)) {
    problems.push(`turn ${number} must be an object, not ${typeName(turn)}`);
    return undefined;
  }
  const place = ` of turn ${number}`;
  const read = reader(turn, place, problems);
  /** A verdict may be null: that it could not be read is a finding, too. */
  const truth = <Key extends "verify_result" | "refused">(key: Key): Partial<Record<Key, Truth>> => {
    const value = turn[key];
    const found = value === 1 ? true : value === 0 ? false : value;
    if (found === true || found === false || found === null) return { [key]: found } as Record<Key, Truth>;
    if (value !== undefined)
      problems.push(`\`${key}\`${place} must be true, false or null, not ${JSON.stringify(value)}`);
    return {};
  };
  return {
    ...read("node", text),
    ...read("question", text),
    ...(isRecord(turn.user) ? { user: userOf(turn.user) } : {}),
    ...read("reply", text),
    ...read("parsed", values),
    ...truth("verify_result"),
    ...read("rubric", values),
    ...truth("refused"),
  };
}

/** What is no list of ids says nothing of what was revealed. */
function userOf({ reveals, done }: UnknownRecord): NonNullable<GivenTurn["user"]> {
  const isList = Array.isArray(reveals) && reveals.every((id) => typeof id === "string");
  return {
    ...(isList ? { reveals: reveals as string[] } : {}),
    ...(typeof done === "boolean" ? { done } : {}),
  };
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
