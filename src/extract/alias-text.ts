import { patternOnFirstUse } from "../value/on-first-use.ts";

/** A text in the form in which aliases are compared. */
export interface AliasText {
  readonly text: string;
  /** Where each character comes from, and at last the length of the original. */
  readonly starts: Int32Array;
}

const clusters = patternOnFirstUse("\\P{M}\\p{M}*|\\p{M}+", "gsu");

/** Lower case, Unicode NFKC, one kind of hyphen, and single spaces also for line breaks. */
export function aliasText(original: string): AliasText {
  const pieces: string[] = [];
  const starts: number[] = [];
  let space = true;
  const put = (text: string, start: number): void => {
    for (let index = 0; index < text.length; index++) {
      const character = text.charAt(index);
      const blank = character <= " " || character === "\u00a0" || character === "\u0085";
      if (blank && space) continue;
      space = blank;
      pieces.push(blank ? " " : character);
      starts.push(start);
    }
  };
  for (const { 0: cluster, index } of original.matchAll(clusters())) put(normalized(cluster), index);
  starts.push(original.length);
  return { text: pieces.join(""), starts: Int32Array.from(starts) };
}

function normalized(cluster: string): string {
  if (cluster.length === 1 && cluster <= "\x7f") return cluster.toLowerCase();
  return cluster
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u2010-\u2015\u2212]/g, "-");
}
