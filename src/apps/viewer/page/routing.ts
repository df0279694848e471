import { useLayoutEffect, useSyncExternalStore } from "react";

/** A page of the viewer: the words of its address and its settings. Everything that a page shows follows from this. */
export interface Route {
  readonly words: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** What every page of a run gets. */
export interface RunPageParts {
  readonly route: Route;
  readonly run: string;
}

/** Settings to change; undefined or empty to remove. */
export type Settings = Readonly<Record<string, string | undefined>>;

/** The part of an address after `#` that names a page. Settings that are undefined or empty are left out. */
export function hashOf(words: readonly string[], settings: Settings = {}): string {
  return `#/${encoded(words, settings)}`;
}

/** Words and settings as a part of an address; settings that are undefined or empty are left out. */
export function encoded(words: readonly string[], settings: Settings): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && value !== "") query.set(name, value);
  const text = query.toString();
  return `${words.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** The page that an address names. An address that cannot be decoded is that of the first page. */
function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  try {
    const words = path
      .split("/")
      .filter((word) => word !== "")
      .map(decodeURIComponent);
    return { words, settings: Object.fromEntries(new URLSearchParams(query)) };
  } catch {
    return { words: [], settings: {} };
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The page that the address names now. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return routeOf(hash);
}

/** Goes to another page. `replaces` leaves no step behind for the back button. */
export function goTo(hash: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  if (!replaces) {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(window.history.state, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/** The scroll position of each entry of the history, by a number that is stored in the entry. */
const scrolled = new Map<number, number>();

/** A new page starts at its top. A page that was visited before is scrolled to its old position as soon as it is high enough. */
export function useScrollMemory(place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top.
  useLayoutEffect(() => {
    window.history.scrollRestoration = "manual";
    const { entry: known } = (window.history.state ?? {}) as { readonly entry?: number };
    const entry = known ?? Date.now();
    if (known === undefined) window.history.replaceState({ entry }, "");
    const wanted = scrolled.get(entry) ?? 0;
    let left = wanted === 0 ? 0 : 90;
    const settle = (): void => {
      window.scrollTo(0, wanted);
      if (left-- > 0 && Math.abs(window.scrollY - wanted) > 1) requestAnimationFrame(settle);
      else left = 0;
    };
    const note = (): void => {
      if (left <= 0) scrolled.set(entry, window.scrollY);
    };
    const giveUp = (): void => {
      left = 0;
    };
    settle();
    window.addEventListener("scroll", note, { passive: true });
    for (const event of ["wheel", "keydown", "pointerdown"]) window.addEventListener(event, giveUp);
    return () => {
      giveUp();
      window.removeEventListener("scroll", note);
      for (const event of ["wheel", "keydown", "pointerdown"]) window.removeEventListener(event, giveUp);
    };
  }, [place]);
}

/** The address of the page with some settings changed. */
export function withSettings(route: Route, changes: Settings): string {
  return hashOf(route.words, { ...route.settings, ...changes });
}

/** Shows the page with some settings changed, without a step for the back button. */
export function changeSettings(route: Route, changes: Settings): void {
  goTo(withSettings(route, changes), { replaces: true });
}
