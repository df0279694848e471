import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { AnswerError, cachedAnswer } from "../source.ts";

/** As much of a list as has been loaded. */
export interface Loaded<Item> {
  /** The path of its first page: which list it is. */
  readonly key: string;
  readonly items: readonly Item[];
  /** What to ask for next; null at the end, undefined before the first page. */
  readonly next: string | null | undefined;
  readonly error?: string;
}

/** The last lists with their scroll positions, so that going back shows them as they were. */
const remembered = new Map<string, { readonly loaded: Loaded<unknown>; offset: number }>();
const MOST_REMEMBERED = 10;

function remember(loaded: Loaded<unknown>): void {
  const offset = scrollOffset(loaded.key);
  remembered.delete(loaded.key);
  remembered.set(loaded.key, { loaded, offset });
  for (const oldest of remembered.keys()) {
    if (remembered.size <= MOST_REMEMBERED) break;
    remembered.delete(oldest);
  }
}

/** How far a list was scrolled when it was shown last. */
export function scrollOffset(key: string): number {
  return remembered.get(key)?.offset ?? 0;
}

/** Notes how far a list is scrolled. */
export function noteScroll(key: string, offset: number): void {
  const list = remembered.get(key);
  if (list !== undefined) list.offset = offset;
}

interface PagedOptions<Page, Item> {
  readonly itemsIn: (page: Page) => readonly Item[];
  /** How many more items are wanted at a time: a page of a large run may have none (default: 1). */
  readonly atLeast?: number;
  /** False for a list that still changes. */
  readonly remembers?: boolean;
}

/** A list of the server, loaded page by page. */
export function usePagedList<Page extends { readonly next: string | null }, Item>(
  key: string,
  { itemsIn, atLeast = 1, remembers = false }: PagedOptions<Page, Item>,
): { readonly loaded: Loaded<Item>; readonly more: () => void } {
  const [state, setState] = useState<Loaded<Item>>();
  const shown = useRef(key);
  shown.current = key;
  const busy = useRef<string>(undefined);
  // A key has one kind of items.
  const known = remembers ? (remembered.get(key)?.loaded as Loaded<Item> | undefined) : undefined;
  const loaded = useMemo(
    (): Loaded<Item> => (state?.key === key ? state : (known ?? { key, items: [], next: undefined })),
    [key, state, known],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the options of a list do not change.
  const more = useCallback(() => {
    const load = ({ items, next }: Loaded<Item>, wanted: number): void => {
      const path = next === undefined ? key : `${key}${key.includes("?") ? "&" : "?"}after=${next}`;
      if (busy.current === path) return;
      busy.current = path;
      cachedAnswer(path).then(
        (answer) => {
          // The server answers this path with a page of the list.
          const page = answer as Page;
          const now = { key, items: [...items, ...itemsIn(page)], next: page.next };
          remember(now);
          if (shown.current !== key) return;
          setState(now);
          if (now.next !== null && now.items.length < wanted) load(now, wanted);
        },
        (error: unknown) => {
          const message = error instanceof AnswerError ? error.message : String(error);
          if (shown.current === key) setState({ key, items, next: null, error: message });
        },
      );
    };
    if (loaded.next !== null) load(loaded, loaded.items.length + atLeast);
  }, [key, loaded]);
  useEffect(() => {
    if (loaded.next === undefined) more();
  }, [loaded, more]);
  return { loaded, more };
}
