import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ConversationEntry, ConversationsAnswer } from "../../answers.ts";
import { type EntryFilter, ORDERS } from "../../entry-filter.ts";
import { hashOf } from "../routing.ts";
import { answerPath } from "../source.ts";
import { Alert } from "./controls.tsx";
import { type Loaded, noteScroll, scrollOffset, usePagedList } from "./paged-list.ts";

/** The conversations that match a filter, loaded while scrolling. `remembers` is false for a run that still changes. */
export function useEntries(
  run: string,
  filter: EntryFilter,
  remembers: boolean,
): ReturnType<typeof usePagedList<ConversationsAnswer, ConversationEntry>> {
  const key = answerPath(["runs", run, "conversations"], { ...filter });
  return usePagedList(key, {
    itemsIn: ({ conversations }: ConversationsAnswer) => conversations,
    remembers,
  });
}

/** What a list of conversations shows. */
export interface EntryColumns {
  readonly template: string;
  readonly heads: readonly string[];
  /** The heads over numbers, which stand at the right. */
  readonly numbers?: readonly string[];
  /** The heads by which the list can be sorted. */
  readonly sorts?: readonly string[];
  readonly cells: (entry: ConversationEntry) => readonly ReactNode[];
}

const ROW = 30;

/** A list of conversations of any length: only what can be seen is drawn. */
export function EntryList({
  run,
  loaded,
  more,
  columns,
  order = "",
  onOrder,
}: {
  readonly run: string;
  readonly loaded: Loaded<ConversationEntry>;
  readonly more: () => void;
  readonly columns: EntryColumns;
  readonly order?: string | undefined;
  readonly onOrder?: (order: string | undefined) => void;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { key, items, next } = loaded;
  const [offset] = useState(() => scrollOffset(key));
  const virtual = useVirtualizer({
    count: items.length,
    initialOffset: offset,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (next !== null && next !== undefined && last >= items.length - 30) more();
  }, [last, items.length, next, more]);
  if (loaded.error !== undefined) return <Alert text={loaded.error} />;
  return (
    <div className="entries">
      <div className="entries-head" style={{ gridTemplateColumns: columns.template }}>
        {columns.heads.map((head) => (
          <span key={head} className={columns.numbers?.includes(head) ? "number" : undefined}>
            {columns.sorts?.includes(head) && onOrder !== undefined ? (
              <SortHead head={head} order={order} onOrder={onOrder} />
            ) : (
              head
            )}
          </span>
        ))}
      </div>
      {typeof next === "string" && items.length === 0 && (
        <p className="muted" role="status">
          Looking for conversations …
        </p>
      )}
      <div
        className="virtual"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is scrolled with keys.
        tabIndex={0}
        onScroll={({ currentTarget }) => noteScroll(key, currentTarget.scrollTop)}
      >
        <ul className="bare" aria-label="conversations" style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const entry = items[index] as ConversationEntry;
            return (
              <li key={entry.conversation}>
                <a
                  className="entry"
                  style={{ transform: `translateY(${start}px)`, gridTemplateColumns: columns.template }}
                  href={hashOf(["run", run, "conversation", entry.conversation])}
                >
                  {columns.cells(entry).map((cell, at) => (
                    <span
                      key={columns.heads[at]}
                      className={columns.numbers?.includes(columns.heads[at] ?? "") ? "number" : undefined}
                    >
                      {cell}
                    </span>
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

/** A head by which a list is sorted: first the largest, then the smallest, then as it was run. */
function SortHead({
  head,
  order,
  onOrder,
}: {
  readonly head: string;
  readonly order: string;
  readonly onOrder: (order: string | undefined) => void;
}): ReactNode {
  const next = order === `-${head}` ? head : order === head ? undefined : `-${head}`;
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
      {order === `-${head}` ? " ↓" : order === head ? " ↑" : ""}
    </button>
  );
}
