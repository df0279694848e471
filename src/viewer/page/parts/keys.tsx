import { type ReactNode, useEffect, useRef } from "react";

/** A key and what it does on the page that is open. */
export interface Key {
  readonly key: string;
  readonly about: string;
  readonly action: () => void;
}

const active = new Set<{ readonly keys: readonly Key[] }>();

/** The keys that work now. */
function activeKeys(): readonly Key[] {
  return [...active].flatMap(({ keys }) => keys);
}

/** Makes keys work while a part of the page is shown. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const holder = {
      get keys() {
        return latest.current;
      },
    };
    active.add(holder);
    return () => {
      active.delete(holder);
    };
  }, []);
}

/** Passes key presses on, except those that write into something or go with Ctrl, Alt or Meta. */
export function useKeyboard(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target;
      if (target instanceof HTMLElement && target.closest("input, select, textarea, dialog") !== null) return;
      const key = activeKeys().findLast((one) => one.key === event.key);
      if (key === undefined) return;
      // A button that has the focus keeps its space bar.
      if (event.key === " " && target instanceof HTMLElement && target.closest("button, a, summary") !== null)
        return;
      event.preventDefault();
      key.action();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  " ": "space",
};

/** The list of keys, as a dialog. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl className="keys">
        {activeKeys().map(({ key, about }) => (
          <div key={key} style={{ display: "contents" }}>
            <dt>
              <kbd>{NAMES[key] ?? key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
        <dt>
          <kbd>tab</kbd>
        </dt>
        <dd>next link, button or explained figure</dd>
      </dl>
      <div className="controls">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
