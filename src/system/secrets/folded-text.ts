import { lazy } from "../../core/lazy.ts";

/** A part of a text, its end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * What each character becomes: small letters, wide forms as ASCII, and 0 for what is left out: white space, what takes no room, the
 * quotes and backslashes that texts inside texts gain, and what stands between the items of a list: `73:6b:2d`, `["s","k"]`, `=73=6B`.
 * Filling the table takes 5 ms, which importing the library need not wait for.
 */
const foldedCodes = lazy(() => {
  const codes = new Uint16Array(65_536);
  for (let code = 0x21; code < codes.length; code++) codes[code] = code;
  for (let code = 0x41; code <= 0x5a; code++) codes[code] = code + 0x20;
  for (let code = 0xff01; code <= 0xff5e; code++) codes[code] = codes[code - 0xfee0] ?? 0;
  for (const code of [0x22, 0x27, 0x5c, 0x60, 0xad, 0x3000, 0x3164, 0xfeff, 0xfffc]) codes[code] = 0;
  for (const between of ",:;|*=[]") codes[between.charCodeAt(0)] = 0;
  for (const [first, last] of [
    [0x7f, 0xa0],
    // Marks on the letter before.
    [0x300, 0x36f],
    [0x180b, 0x180f],
    [0xfe00, 0xfe0f],
    [0x2000, 0x200f],
    [0x2028, 0x202f],
    [0x205f, 0x206f],
  ] as const)
    codes.fill(0, first, last + 1);
  return codes;
});

/** Texts are folded one after the other, so one buffer serves all. A larger one is not kept. */
const kept = new Uint16Array(65_536);

/** Codes that were folded from a text; those behind `length` are from other texts. The next text overwrites them. */
export interface FoldedText {
  readonly codes: Uint16Array;
  readonly length: number;
}

/** A text as it is compared with secrets: without case, white space and quotes. */
export function folded(text: string): FoldedText {
  const table = foldedCodes();
  const codes = text.length <= kept.length ? kept : new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = table[text.charCodeAt(index)] as number;
    codes[length] = code;
    // Without a branch: what is left out is overwritten.
    length += code === 0 ? 0 : 1;
  }
  return { codes, length };
}

/** The same as a string. */
export function foldedString(text: string): string {
  return stringOf(folded(text));
}

/** A part of a folded text as a string. */
export function stringOf({ codes, length }: FoldedText, start = 0, end: number = length): string {
  let result = "";
  for (let from = start; from < end; from += 4096)
    result += String.fromCharCode(...codes.subarray(from, Math.min(end, from + 4096)));
  return result;
}

/** Where the characters of a folded text stand in the text. Few texts have secrets, so this is made only for them. */
export function foldedPlaces(text: string): Uint32Array {
  const table = foldedCodes();
  const places = new Uint32Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index++)
    if (table[text.charCodeAt(index)] !== 0) places[length++] = index;
  return places;
}
