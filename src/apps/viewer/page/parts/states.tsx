import { type ReactNode, useEffect, useState } from "react";
import type { Answer } from "../source.ts";
import { PlainText } from "./plain-text.tsx";

/** Nothing is said about waiting before this: most answers come sooner. */
const PATIENCE_MS = 200;

/** Shows an answer, or that it is on its way, or why there is none. */
export function Awaited<Data>({
  answer,
  what,
  children,
}: {
  readonly answer: Answer<Data>;
  /** What is waited for: "the run". */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  if (answer.error !== undefined)
    return <Problem message={answer.error.message} code={answer.error.code} what={what} />;
  if (answer.data === undefined) return <Waiting what={what} />;
  return children(answer.data);
}

function Waiting({ what }: { readonly what: string }): ReactNode {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="state" aria-live="polite">
      {isLate && <p className="muted">Loading {what} …</p>}
    </div>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  gone: "The server is gone",
  not_found: "Not found",
  no_run: "The run is gone",
  newer_format: "The store is newer than this viewer",
  refused: "No access",
};

/** Why a page shows nothing, and what to do. */
export function Problem({
  message,
  code,
  what,
}: {
  readonly message: string;
  readonly code: string;
  readonly what: string;
}): ReactNode {
  return (
    <div className="state" role="alert">
      <h1>{TITLES[code] ?? `Cannot show ${what}`}</h1>
      <p>
        <PlainText text={message} />
      </p>
      <p>
        <button type="button" onClick={() => window.location.reload()}>
          Try again
        </button>{" "}
        <a href="#/">All runs</a>
      </p>
    </div>
  );
}

/** A page or list with nothing in it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
