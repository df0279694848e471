import { type ReactNode, useEffect, useRef, useState } from "react";
import type { RunEntry } from "../../answers.ts";
import { answerPath, send } from "../source.ts";
import { countedText } from "./figures.tsx";
import { PlainText } from "./plain-text.tsx";

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
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  useEffect(() => dialog.current?.showModal(), []);
  const remove = (): void => {
    send("DELETE", answerPath(["runs", run.run])).then(
      () => {
        onDeleted();
        dialog.current?.close();
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="delete-title">
      <h2 id="delete-title">
        Delete run <PlainText text={run.run} />?
      </h2>
      <p>
        {countedText(run.ended, "conversation")} with all replies and verdicts are deleted permanently.
        Answers of models stay in the store, so that other runs can use them.
      </p>
      {problem !== undefined && (
        <p className="notice bad" role="alert">
          {problem}
        </p>
      )}
      <div className="controls">
        <button type="button" onClick={() => dialog.current?.close()}>
          Keep it
        </button>
        <button type="button" className="danger" onClick={remove} disabled={run.state === "running"}>
          Delete
        </button>
      </div>
      {run.state === "running" && <p className="muted">It is being written: stop it first.</p>}
    </dialog>
  );
}
