import { type ReactNode, useState } from "react";
import { countText } from "./figures.tsx";

/** Control characters, invisible formatting and halves of pairs, except line breaks, tabs and the joiners that scripts need. */
const SPECIAL = /[[\p{Cc}\p{Cf}\p{Cs}]--[\n\t\u200c\u200d]]/v;
const SPLIT = /([[\p{Cc}\p{Cf}\p{Cs}]--[\n\t\u200c\u200d]])/v;

/** How much of a text is shown at first. */
const FIRST = 6_000;
/** How much is added each time: a text of megabytes must not block the page. */
const STEP = 100_000;

/** A text as it is, on one line: markup is text, and characters that hide or turn text around are shown as their code. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  return <bdi>{visible(text)}</bdi>;
}

/** The same for a long text of several lines; passages may be marked. */
export function LongText({
  text,
  marks = [],
}: {
  readonly text: string;
  readonly marks?: readonly { readonly passage: string; readonly label: string }[];
}): ReactNode {
  const [shown, setShown] = useState(FIRST);
  const part = text.length > shown ? text.slice(0, shown).toWellFormed() : text;
  const left = text.length - part.length;
  return (
    <div className="long-text" dir="auto">
      {marked(part, marks)}
      {left > 0 && (
        <p>
          <button type="button" className="plain" onClick={() => setShown((before) => before + STEP)}>
            show more ({countText(left)} characters left)
          </button>
        </p>
      )}
    </div>
  );
}

/** Data as indented JSON; a text as it is. */
export function JsonBlock({ value }: { readonly value: unknown }): ReactNode {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "–");
  return (
    <div className="json">
      <LongText text={text} />
    </div>
  );
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** Where the passages stand; of passages that overlap, the first counts. */
function spansIn(
  text: string,
  marks: readonly { readonly passage: string; readonly label: string }[],
): readonly Span[] {
  const found = marks.flatMap(({ passage, label }) => {
    const start = passage === "" ? -1 : text.indexOf(passage);
    return start < 0 ? [] : [{ start, end: start + passage.length, label }];
  });
  const spans: Span[] = [];
  for (const span of found.sort((one, other) => one.start - other.start)) {
    const last = spans.at(-1);
    if (last === undefined || span.start >= last.end) spans.push(span);
    else if (last.start === span.start && last.end === span.end && !last.label.includes(span.label))
      spans[spans.length - 1] = { ...last, label: `${last.label}, ${span.label}` };
  }
  return spans;
}

function marked(
  text: string,
  marks: readonly { readonly passage: string; readonly label: string }[],
): ReactNode {
  const spans = spansIn(text, marks);
  if (spans.length === 0) return visible(text);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end, label } of spans) {
    parts.push(visible(text.slice(at, start)));
    parts.push(
      <mark key={start} title={`states ${label}`}>
        {visible(text.slice(start, end))}
      </mark>,
    );
    at = end;
  }
  parts.push(visible(text.slice(at)));
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name.
    <span key={index}>{part}</span>
  ));
}

/** How many special characters of one text get a box of their own. */
const MOST_BOXES = 2_000;

function visible(text: string): ReactNode {
  const clean = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  if (!SPECIAL.test(clean)) return clean;
  const parts = clean.split(SPLIT);
  if (parts.length > 2 * MOST_BOXES)
    return parts.map((part) => (SPECIAL.test(part) ? "\ufffd" : part)).join("");
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name.
      <span key={index} className="control-character" title="a character that cannot be seen">
        {`U+${(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`}
      </span>
    ),
  );
}
