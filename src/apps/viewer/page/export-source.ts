import { isFinished } from "../../../core/state/state.ts";
import type { ConversationEntry, ConversationsAnswer, PairsAnswer } from "../answers.ts";
import type { EntryFilter } from "../entry-filter.ts";
import { CHUNK, type ExportedConversation, unpackCall } from "../packed-calls.ts";
import { AnswerError, factOf, type Source } from "./source.ts";

const PAGE = 100;

/** Answers from the files of an export, or from the parts of the document itself. */
export function exportSource(): Source {
  const parts = new Map<string, Promise<unknown>>();
  const part = <Data>(name: string): Promise<Data> => {
    let known = parts.get(name);
    if (known === undefined) {
      known = loadPart(name);
      parts.set(name, known);
    }
    // Each part has one type of data.
    return known as Promise<Data>;
  };
  return {
    isExport: true,
    get: async (path) => {
      const answers = await part<Readonly<Record<string, unknown>>>("answers");
      if (Object.hasOwn(answers, path)) return answers[path];
      const entries = await part<readonly ConversationEntry[]>("entries");
      const url = new URL(path, "http://export");
      const [, , , run = "", kind = "", name, more, call = ""] = url.pathname
        .split("/")
        .map(decodeURIComponent);
      if (run === factOf("run")) {
        if (kind === "conversations" && name !== undefined) {
          const place = entries.findIndex(({ conversation }) => conversation === name);
          if (place < 0) throw new AnswerError("not_found", "There is no such conversation in this export.");
          const chunk = await part<readonly ExportedConversation[]>(
            `conversations-${Math.floor(place / CHUNK)}`,
          );
          const found = chunk.find(({ answer }) => answer.conversation === name);
          if (more !== "calls") return found?.answer;
          const none = { request: null, reply: null };
          return (found?.calls && unpackCall(found.calls, call)) ?? none;
        }
        const query = Object.fromEntries(url.searchParams);
        if (kind === "conversations") return pageOf(entries, query);
        if (kind === "pairs") return pairsOf(entries, query);
      }
      throw new AnswerError("not_found", "This is not part of the export.");
    },
  };
}

async function loadPart(name: string): Promise<unknown> {
  const inDocument = document.getElementById(`data-${name}`)?.textContent;
  const text = inDocument ?? (await loadScript(name));
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** A page from a disk may not read files, but it may load scripts beside it, and these call this page. */
function loadScript(name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const waiting = window as unknown as { elenchusData?: (name: string, text: string) => void };
    waiting.elenchusData = (given, text) => waiters.get(given)?.(text);
    waiters.set(name, (text) => {
      waiters.delete(name);
      script.remove();
      resolve(text);
    });
    script.src = `./data/${encodeURIComponent(name)}.js`;
    script.onerror = () =>
      reject(
        new AnswerError(
          "not_found",
          `The file data/${name}.js of this export is missing. Copy the whole folder.`,
        ),
      );
    document.head.append(script);
  });
}

const waiters = new Map<string, (text: string) => void>();

function pageOf(
  entries: readonly ConversationEntry[],
  query: Readonly<Record<string, string>>,
): ConversationsAnswer {
  const found = entries.filter((entry) => matches(entry, query));
  const matching = sorted(found, query.order);
  const start = Number(query.after ?? 0);
  const end = start + PAGE;
  return { conversations: matching.slice(start, end), next: end < matching.length ? String(end) : null };
}

/** In the order of the run, or as the server sorts; what has not ended has no other place. */
function sorted(
  entries: readonly ConversationEntry[],
  order: string | undefined,
): readonly ConversationEntry[] {
  const key = SORT_KEYS[order?.replace(/^-/, "") ?? ""];
  if (key === undefined) return order === "last" ? [...entries].reverse() : entries;
  const sign = order?.startsWith("-") ? -1 : 1;
  return entries
    .filter(({ status }) => status !== null)
    .sort((one, other) => sign * (key(one) - key(other) || one.index - other.index));
}

const SORT_KEYS: Readonly<Record<string, (entry: ConversationEntry) => number>> = {
  turns: ({ turns }) => turns.length,
  cost: ({ cost }) => cost ?? -1,
  time: ({ startedAt, endedAt }) => (startedAt === null || endedAt === null ? -1 : endedAt - startedAt),
};

/** What is not decided, whatever the reason. */
const OPEN: ReadonlySet<string> = new Set(["inconclusive", "error"]);

/** True of a conversation that a filter lets through; the same filter as the server's. */
function matches(entry: ConversationEntry, filter: EntryFilter): boolean {
  for (const key of ["scenario", "subject", "judge", "arm"] as const)
    if (filter[key] !== undefined && filter[key] !== entry[key]) return false;
  if (filter.row !== undefined && filter.row !== (entry.row ?? String(entry.rowIndex))) return false;
  if (filter.status !== undefined && !hasStatus(entry, filter.status)) return false;
  if (filter.outcome !== undefined) {
    const at = filter.outcome.lastIndexOf(":");
    const score = entry.outcomes[filter.outcome.slice(0, at)];
    const wanted = filter.outcome.slice(at + 1);
    const isMeant =
      wanted === "decided"
        ? score !== undefined && typeof score !== "string"
        : wanted === "inconclusive"
          ? OPEN.has(String(score))
          : String(score) === wanted;
    if (!isMeant) return false;
  }
  const { node, verdict, edge } = filter;
  if (node === undefined && verdict === undefined && edge === undefined) return true;
  return entry.turns.some(
    ([id, found, taken]) =>
      (node === undefined || id === node) &&
      (verdict === undefined || found === verdict) &&
      (edge === undefined || String(taken) === edge),
  );
}

function hasStatus({ status }: ConversationEntry, wanted: string): boolean {
  if (wanted === "running") return status === null;
  if (wanted === "cut_short") return status !== null && !isFinished(status);
  return status === wanted;
}

function pairsOf(
  entries: readonly ConversationEntry[],
  query: Readonly<Record<string, string>>,
): PairsAnswer {
  const { a = "", b = "", outcome, side, scenario, after = "0", limit = "50" } = query;
  const others = new Map(
    entries.filter(({ subject }) => subject === b).map((entry) => [pairKey(entry), entry]),
  );
  const pairs = entries.flatMap((one) => {
    const other = one.subject === a ? others.get(pairKey(one)) : undefined;
    if (other === undefined || (scenario !== undefined && one.scenario !== scenario)) return [];
    if (outcome === undefined) return [{ a: one, b: other }];
    const [left, right] = [one.outcomes[outcome], other.outcomes[outcome]];
    if (typeof left !== "boolean" || typeof right !== "boolean" || left === right) return [];
    return side === undefined || (side === "a") === left ? [{ a: one, b: other }] : [];
  });
  const end = Number(after) + Number(limit);
  return { pairs: pairs.slice(Number(after), end), next: end < pairs.length ? String(end) : null };
}

function pairKey({ scenario, judge, replicate, row, rowIndex, variant, arm }: ConversationEntry): string {
  return JSON.stringify([scenario, judge, replicate, row ?? rowIndex ?? null, variant ?? null, arm ?? null]);
}
