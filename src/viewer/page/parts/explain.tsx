import { type ReactNode, useId } from "react";

/** A word or figure that explains itself in a sentence, to who points at it or moves the focus to it. */
export function Explain({
  text,
  children,
  isAtEnd = false,
}: {
  readonly text: string;
  readonly children: ReactNode;
  /** True near the right edge, where the sentence would not fit. */
  readonly isAtEnd?: boolean;
}): ReactNode {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people who use no mouse need the sentence, too.
    <span className={isAtEnd ? "explain end" : "explain"} tabIndex={0} aria-describedby={id}>
      {children}
      <span role="tooltip" id={id}>
        {text}
      </span>
    </span>
  );
}
