import { type ReactNode, useEffect, useRef, useState } from "react";
import type { RunEntry } from "../../answers.ts";
import { answerPath, send } from "../source.ts";
import { countedText } from "./figures.tsx";
import { PlainText } from "./plain-text.tsx";

/** A list with a label, from which one value is chosen. A value that is not among the options is one of them, too. */
export function Choice({
  name,
  value = "",
  options,
  words = (option) => option,
  none,
  isNameHidden = false,
  onChange,
}: {
  readonly name: string;
  readonly value?: string | undefined;
  readonly options: readonly string[];
  /** What an option is called. */
  readonly words?: (option: string) => string;
  /** What the choice of nothing is called; without it, something must be chosen. */
  readonly none?: string;
  /** True if only screen readers get the name. */
  readonly isNameHidden?: boolean;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const isKnown = options.includes(value) || (value === "" && none !== undefined);
  const known = isKnown ? options : [value, ...options];
  return (
    <label>
      {isNameHidden ? <span className="hidden">{name}</span> : name}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {known.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A key and what it does on the page that is open. */
export interface Key {
  readonly key: string;
  readonly about: string;
  readonly action: () => void;
}

const active = new Set<{ readonly current: readonly Key[] }>();

/** The keys that work now. */
function activeKeys(): readonly Key[] {
  return [...active].flatMap(({ current }) => current);
}

/** Makes keys work while a part of the page is shown. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    active.add(latest);
    return () => {
      active.delete(latest);
    };
  }, []);
}

/** Passes key presses on, except those that write into something or go with Ctrl, Alt or Meta. */
export function useKeyboard(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target instanceof HTMLElement ? event.target : undefined;
      // A button that has the focus keeps its space bar.
      const kept = `input, select, textarea, dialog${event.key === " " ? ", button, a, summary" : ""}`;
      const key = activeKeys().findLast((one) => one.key === event.key);
      if (key === undefined || target?.closest(kept)) return;
      event.preventDefault();
      key.action();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

const KEY_NAMES: Readonly<Record<string, string>> = { ArrowLeft: "←", ArrowRight: "→", " ": "space" };

/** A dialog that is open as long as it is drawn. */
function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: (close: () => void) => ReactNode;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}

/** The list of keys. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const keys = [...activeKeys(), { key: "tab", about: "next link, button or explained figure" }];
  return (
    <Dialog title="Keys" onClose={onClose}>
      {(close) => (
        <>
          <dl className="keys">
            {keys.map(({ key, about }) => (
              <div key={key} style={{ display: "contents" }}>
                <dt>
                  <kbd>{KEY_NAMES[key] ?? key}</kbd>
                </dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
          <div className="controls">
            <button type="button" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Asks before a run is deleted. */
export function ConfirmDelete({
  run,
  onClose,
  onDeleted,
}: {
  readonly run: RunEntry;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}): ReactNode {
  const [problem, setProblem] = useState<string>();
  const remove = async (close: () => void): Promise<void> => {
    try {
      await send("DELETE", answerPath(["runs", run.run]));
      onDeleted();
      close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const title = (
    <>
      Delete run <PlainText text={run.run} />?
    </>
  );
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <p>
            {countedText(run.ended, "conversation")} with all replies and verdicts are deleted permanently.
            Answers of models stay in the store, so that other runs can use them.
          </p>
          {problem !== undefined && <Alert text={problem} />}
          <div className="controls">
            <button type="button" onClick={close}>
              Keep it
            </button>
            <button
              type="button"
              className="danger"
              onClick={() => void remove(close)}
              disabled={run.state === "running"}
            >
              Delete
            </button>
          </div>
          {run.state === "running" && <p className="muted">It is being written: stop it first.</p>}
        </>
      )}
    </Dialog>
  );
}

/** Something that went wrong, said at once. */
export function Alert({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="notice bad" role="alert">
      <PlainText text={text} />
    </p>
  );
}
