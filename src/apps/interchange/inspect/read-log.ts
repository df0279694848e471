import { isRecord } from "../../../core/values/json.ts";
import { readZip, ZipError } from "./zip-file.ts";

/** A log that cannot be read, and why. */
export class InspectLogError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "InspectLogError";
  }
}

/** A conversation of a log, as `gradeRecords` takes it. */
export interface InspectRecord {
  readonly id: string;
  readonly subject: string;
  readonly replicate: number;
  readonly scenario?: string;
  readonly row?: string | null;
  readonly variant?: Readonly<Record<string, string>>;
  readonly arm?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
}

/** The version of logs that Inspect writes; a higher one may mean anything. */
const NEWEST_VERSION = 2;

/** Samples with more are not of a conversation. */
const LARGEST_SAMPLE = 100_000_000;

/** How many times its size an archive may unpack to: logs of models have about ten, and one made to fill a disk a thousand. */
const MOST_PACKED = 100;

/**
 * The conversations of an Inspect log (`.eval` or `.json`) as records: what was said by the user, and each final answer.
 * Samples are unpacked one by one. Throws `InspectLogError`.
 */
export function readInspectLog(content: Uint8Array): Iterable<InspectRecord> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const isArchive = bytes.subarray(0, 2).toString("latin1") === "PK";
  const { header, samples } = isArchive ? archived(bytes) : plain(bytes);
  if (!isRecord(header) || !isRecord(header.eval) || typeof header.eval.task !== "string")
    throw new InspectLogError(`It is not a log of Inspect: it has no "eval" with a task.`);
  if (typeof header.version === "number" && header.version > NEWEST_VERSION)
    throw new InspectLogError(
      `It is a log of version ${header.version}; versions up to ${NEWEST_VERSION} can be read.`,
    );
  const { model, solver } = header.eval;
  const log = { subject: String(model ?? "unknown"), isOwn: solver === "elenchus" };
  return {
    *[Symbol.iterator]() {
      for (const sample of samples()) yield recordOf(sample, log);
    },
  };
}

interface OpenLog {
  readonly header: unknown;
  readonly samples: () => Iterable<unknown>;
}

function archived(bytes: Buffer): OpenLog {
  const entries = unpacked(() => readZip(bytes));
  const header = entries.get("header.json") ?? entries.get("_journal/start.json");
  if (header === undefined) throw new InspectLogError("It is a ZIP archive, but not a log of Inspect.");
  const names = [...entries.keys()].filter((name) => /^samples\/.*\.json$/.test(name));
  const most = MOST_PACKED * bytes.length + LARGEST_SAMPLE;
  return {
    header: parse(
      unpacked(() => header.text(LARGEST_SAMPLE)),
      "header.json",
    ),
    *samples() {
      let total = 0;
      for (const name of names) {
        const text = unpacked(() => entries.get(name)?.text(LARGEST_SAMPLE) ?? "");
        total += text.length;
        if (total > most)
          throw new InspectLogError(
            `The archive is not read to its end: it unpacks to more than ${MOST_PACKED} times its size.`,
          );
        yield parse(text, name);
      }
    },
  };
}

function unpacked<Content>(unpack: () => Content): Content {
  try {
    return unpack();
  } catch (error) {
    if (error instanceof ZipError)
      throw new InspectLogError(`The archive cannot be read: ${error.message}.`, { cause: error });
    throw error;
  }
}

function plain(bytes: Buffer): OpenLog {
  const header = parse(new TextDecoder().decode(bytes), "the file");
  const samples = isRecord(header) && Array.isArray(header.samples) ? header.samples : [];
  return { header, samples: () => samples };
}

/** JSON in which Inspect writes NaN and Infinity as bare words. */
function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (first) {
    try {
      return JSON.parse(withoutNaN(text));
    } catch {
      throw new InspectLogError(
        `${name} is not JSON: ${first instanceof Error ? first.message : "it is damaged"}.`,
      );
    }
  }
}

/** Replaces bare words outside of texts. */
function withoutNaN(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g, (match) =>
    match.startsWith('"') ? match : "null",
  );
}

interface LogOrigin {
  readonly subject: string;
  /** True for a log that was exported from here: its metadata say which scenario, row and variant a sample belongs to. */
  readonly isOwn: boolean;
}

function recordOf(sample: unknown, { subject, isOwn }: LogOrigin): InspectRecord {
  if (!isRecord(sample)) throw new InspectLogError("A sample is not an object.");
  const id = String(sample.id);
  const epoch = typeof sample.epoch === "number" ? sample.epoch : 1;
  const messages = Array.isArray(sample.messages) ? sample.messages.filter(isRecord) : [];
  // A sample that broke off before its first message is one conversation that cannot be graded, and no reason to refuse the others.
  if (messages.length === 0 && !isRecord(sample.error) && !isRecord(sample.limit))
    throw new InspectLogError(`Sample ${id} has no messages, so there is nothing to grade.`);
  // Metadata of other logs may have the same keys and mean something else.
  const metadata = isOwn && isRecord(sample.metadata) ? sample.metadata : {};
  const attachments = isRecord(sample.attachments) ? sample.attachments : {};
  const own = typeof metadata.scenario === "string" ? { scenario: metadata.scenario } : {};
  return {
    id: typeof metadata.conversation === "string" ? metadata.conversation : `${id} (epoch ${epoch})`,
    subject,
    replicate: epoch,
    ...own,
    ...(metadata.scenario === undefined
      ? { row: id }
      : { row: typeof metadata.row === "string" ? metadata.row : null }),
    ...(isRecord(metadata.variant) ? { variant: metadata.variant as Readonly<Record<string, string>> } : {}),
    ...(typeof metadata.arm === "string" ? { arm: metadata.arm } : {}),
    messages: conversationOf(messages, attachments),
  };
}

/** Questions, and the last answer to each: what models and tools said in between is no reply. */
function conversationOf(
  messages: readonly Readonly<Record<string, unknown>>[],
  attachments: Readonly<Record<string, unknown>>,
): InspectRecord["messages"] {
  const said: { role: "user" | "assistant"; content: string }[] = [];
  for (const { role, content } of messages) {
    if (role !== "user" && role !== "assistant") continue;
    const written = { role, content: contentOf(content, attachments) } as const;
    if (role === "assistant" && said.at(-1)?.role === "assistant") said.pop();
    said.push(written);
  }
  return said;
}

function contentOf(content: unknown, attachments: Readonly<Record<string, unknown>>): string {
  if (typeof content === "string") {
    const hash = /^attachment:\/\/(\w+)$/.exec(content)?.[1];
    const attached = hash === undefined ? undefined : attachments[hash];
    return typeof attached === "string" ? attached : content;
  }
  if (!Array.isArray(content)) return "";
  return content
    .filter(isRecord)
    .filter(({ type }) => type === "text")
    .map(({ text }) => contentOf(text, attachments))
    .join("\n");
}
