/** Where two texts differ, each shortened to that place. */
export interface TextDifference {
  readonly here: string;
  readonly there: string;
}

const CONTEXT = 20;
const SHOWN = 60;

/** The first and the last place where two texts differ, with some text around them. */
export function textDifference(here: string, there: string): TextDifference {
  const most = Math.min(here.length, there.length);
  let start = 0;
  while (start < most && here[start] === there[start]) start++;
  let same = 0;
  while (same < most - start && here[here.length - 1 - same] === there[there.length - 1 - same]) same++;
  return {
    here: excerpt(here, start, here.length - same),
    there: excerpt(there, start, there.length - same),
  };
}

function excerpt(text: string, start: number, end: number): string {
  const from = Math.max(0, start - CONTEXT);
  const to = Math.min(text.length, Math.min(end, start + SHOWN) + CONTEXT);
  return JSON.stringify(`${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`);
}
