import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ConversationEntry, ConversationsAnswer } from "../../answers.ts";
import { type EntryFilter, ORDERS } from "../../entry-filter.ts";
import { hashOf } from "../routing.ts";
import { AnswerError, answerPath, cachedAnswer } from "../source.ts";
import { costText, durationText } from "./figures.tsx";
import { statusLook, VerdictMark, VerdictStrip } from "./marks.tsx";
import { PlainText } from "./plain-text.tsx";

const ROW = 30;

interface Loaded {
  /** Which list it is. */
  readonly key: string;
  readonly entries: readonly ConversationEntry[];
  /** What to ask for next; null at the end, undefined before the first page. */
  readonly next: string | null | undefined;
  readonly error?: string;
}

/** The last lists with their scroll positions, so that going back shows them as they were. */
const remembered = new Map<string, { loaded: Loaded; offset: number }>();
const MOST_REMEMBERED = 10;

function remember(loaded: Loaded): void {
  const offset = remembered.get(loaded.key)?.offset ?? 0;
  remembered.delete(loaded.key);
  remembered.set(loaded.key, { loaded, offset });
  for (const oldest of remembered.keys()) {
    if (remembered.size <= MOST_REMEMBERED) break;
    remembered.delete(oldest);
  }
}

/** The conversations that match a filter, loaded page by page while scrolling. `remembers` is false for a run that still changes. */
export function useEntries(
  run: string,
  filter: EntryFilter,
  remembers: boolean,
): { readonly loaded: Loaded; readonly more: () => void } {
  const key = answerPath(["runs", run, "conversations"], { ...filter });
  const known = remembers ? remembered.get(key)?.loaded : undefined;
  const [state, setState] = useState<Loaded>();
  const busy = useRef<string>(undefined);
  const loaded = useMemo(
    () => (state?.key === key ? state : (known ?? { key, entries: [], next: undefined })),
    [key, state, known],
  );
  const more = useCallback(() => {
    const { next, entries } = loaded;
    if (next === null || loaded.error !== undefined) return;
    const path = next === undefined ? key : `${key}${key.includes("?") ? "&" : "?"}after=${next}`;
    if (busy.current === path) return;
    busy.current = path;
    cachedAnswer(path).then(
      (answer) => {
        // The server answers this path with a page of conversations.
        const page = answer as ConversationsAnswer;
        const now = { key, entries: [...entries, ...page.conversations], next: page.next };
        remember(now);
        setState(now);
      },
      (error: unknown) => {
        const message = error instanceof AnswerError ? error.message : String(error);
        setState({ key, entries, next: null, error: message });
      },
    );
  }, [key, loaded]);
  useEffect(() => {
    if (loaded.next === undefined) more();
  }, [loaded, more]);
  return { loaded, more };
}

/** What a list of conversations shows. */
export interface EntryColumns {
  readonly template: string;
  readonly heads: readonly string[];
  /** The heads over numbers, which stand at the right. */
  readonly numbers?: readonly string[];
  /** By which order a head sorts, if it does. */
  readonly sorts?: Readonly<Record<string, string>>;
  readonly cells: (entry: ConversationEntry) => readonly ReactNode[];
}

/** A list of conversations of any length: only what can be seen is drawn. */
export function EntryList({
  run,
  loaded,
  more,
  columns,
  settings = {},
  order = "",
  onOrder,
}: {
  readonly run: string;
  readonly loaded: Loaded;
  readonly more: () => void;
  readonly columns: EntryColumns;
  /** Settings of the page of each conversation. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly order?: string | undefined;
  readonly onOrder?: (order: string | undefined) => void;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { key, entries, next } = loaded;
  const [offset] = useState(() => remembered.get(key)?.offset ?? 0);
  const virtual = useVirtualizer({
    count: entries.length,
    initialOffset: offset,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (next !== null && next !== undefined && last >= entries.length - 30) more();
  }, [last, entries.length, next, more]);
  if (loaded.error !== undefined)
    return (
      <p className="notice bad" role="alert">
        {loaded.error}
      </p>
    );
  return (
    <div className="entries">
      <div className="entries-head" style={{ gridTemplateColumns: columns.template }}>
        {columns.heads.map((head) => (
          <span key={head} className={columns.numbers?.includes(head) ? "number" : undefined}>
            <Head head={head} by={columns.sorts?.[head]} order={order} onOrder={onOrder} />
          </span>
        ))}
      </div>
      {typeof next === "string" && entries.length === 0 && (
        <p className="muted" role="status">
          Looking for conversations …
        </p>
      )}
      <div
        className="virtual"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is scrolled with keys.
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          const list = remembered.get(key);
          if (list !== undefined) list.offset = currentTarget.scrollTop;
        }}
      >
        <ul className="bare" aria-label="conversations" style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const entry = entries[index] as ConversationEntry;
            return (
              <li key={entry.conversation}>
                <a
                  className="entry"
                  style={{ transform: `translateY(${start}px)`, gridTemplateColumns: columns.template }}
                  href={hashOf(["run", run, "conversation", entry.conversation], settings)}
                >
                  {columns.cells(entry).map((cell, at) => (
                    <span key={columns.heads[at]}>{cell}</span>
                  ))}
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

/** A head by which a list can be sorted: first the largest, then the smallest, then as it was run. */
function Head({
  head,
  by,
  order,
  onOrder,
}: {
  readonly head: string;
  readonly by: string | undefined;
  readonly order: string;
  readonly onOrder: ((order: string | undefined) => void) | undefined;
}): ReactNode {
  if (by === undefined || onOrder === undefined) return head;
  const next = order === `-${by}` ? by : order === by ? undefined : `-${by}`;
  const title = next === undefined ? "as run" : ORDERS[next];
  return (
    <button
      type="button"
      className="plain"
      title={title}
      aria-label={`${head}: ${title}`}
      onClick={() => onOrder(next)}
    >
      {head}
      {order === `-${by}` ? " ↓" : order === by ? " ↑" : ""}
    </button>
  );
}

/** What distinguishes a conversation within its scenario and subject, in words. */
export function placeOf({ row, rowIndex, variant, arm, replicate }: Partial<ConversationEntry>): string {
  return [
    ...(row === undefined ? (rowIndex === undefined ? [] : [`row ${rowIndex + 1}`]) : [`row ${row}`]),
    ...Object.entries(variant ?? {}).map(([factor, level]) => `${factor} ${level}`),
    ...(arm === undefined ? [] : [`arm ${arm}`]),
    `replicate ${replicate}`,
  ].join(", ");
}

/** How a conversation ended and what was said about its turns. */
export function entryCells(entry: ConversationEntry): readonly ReactNode[] {
  return [
    <PlainText key="scenario" text={entry.scenario} />,
    <PlainText key="subject" text={entry.subject} />,
    <PlainText key="place" text={placeOf(entry)} />,
    <VerdictStrip key="turns" verdicts={entry.turns.map(([, verdict]) => verdict)} />,
    <span key="time" className="number">
      {entry.startedAt === null || entry.endedAt === null
        ? "–"
        : durationText(entry.endedAt - entry.startedAt)}
    </span>,
    <span key="cost" className="number">
      {entry.cost === null ? "–" : costText(entry.cost)}
    </span>,
    <VerdictMark key="status" look={statusLook(entry.status)} hasWord />,
  ];
}
