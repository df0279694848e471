import { lazyPattern, memoize } from "../../../core/lazy.ts";
import { cleanText, lowerCase } from "../../../core/text/clean-text.ts";
import type { Place } from "./reply-text.ts";

interface AliasNode {
  readonly next: Map<string, AliasNode>;
  /** The values that the alias ending here stands for, and the spelling it insists on. */
  values?: Set<string>;
  spelling?: string;
}

/** Aliases prepared for search: a tree of their characters. */
export interface AliasTree {
  readonly root: AliasNode;
  /** True for each ASCII character that an alias begins with: most characters begin none. */
  readonly begins: readonly boolean[];
}

/** Names that are also everyday words: "US", "WHO" and "May" are meant only if they are written that way. */
const EVERYDAY = new Set(
  "a i us it who in or is as at be do he me no so we an am and all was has can may march will mark on to of by for if up go my our his her its are not but out off how why any one new old now art case set led aids".split(
    " ",
  ),
);

const trees = new WeakMap<object, AliasTree>();

/** Prepares aliases, once for each rule; each value is an alias of itself. */
export function aliasTree(values: Readonly<Record<string, readonly string[]>>): AliasTree {
  return memoize(trees, values, () => newTree(values));
}

function newTree(values: Readonly<Record<string, readonly string[]>>): AliasTree {
  const root: AliasNode = { next: new Map() };
  for (const [value, aliases] of Object.entries(values)) {
    for (const alias of [value, ...aliases]) addAlias(root, alias, value);
  }
  return { root, begins: Array.from({ length: 128 }, (_, code) => root.next.has(String.fromCharCode(code))) };
}

function addAlias(root: AliasNode, alias: string, value: string): void {
  const written = cleanText(alias).text.trim();
  const text = aliasText(written).text.trim();
  if (text === "") return;
  let node = root;
  for (const character of text.split("")) {
    let next = node.next.get(character);
    if (next === undefined) {
      next = { next: new Map() };
      node.next.set(character, next);
    }
    node = next;
  }
  node.values = (node.values ?? new Set()).add(value);
  if (EVERYDAY.has(text) && written !== text) node.spelling = written;
}

/** A listed value where a text names it. */
interface AliasMention extends Place {
  readonly value: string;
}

/** Every place where an alias stands as a whole word; where aliases overlap, the longest counts. */
export function aliasMentions(original: string, tree: AliasTree): AliasMention[] {
  const found = aliasText(original);
  const { text } = found;
  const matches: Match[] = [];
  for (let start = 0; start < text.length; start++) {
    if (tree.begins[text.charCodeAt(start)] === false) continue;
    const match = longestMatch(original, found, tree, start);
    if (match !== undefined) matches.push(match);
  }
  return (matches.length < 2 ? matches : apart(matches, text.length)).flatMap(({ start, end, values }) =>
    [...values].map((value) => ({ value, start: originOf(found, start), end: originOf(found, end) })),
  );
}

/** The matches in order, of those that overlap the longest. */
function apart(matches: readonly Match[], length: number): readonly Match[] {
  const taken = new Uint8Array(length);
  const longestFirst = [...matches].sort((one, other) => other.end - other.start - (one.end - one.start));
  const kept = longestFirst.filter(({ start, end }) => {
    for (let index = start; index < end; index++) if (taken[index] === 1) return false;
    taken.fill(1, start, end);
    return true;
  });
  return kept.sort((one, other) => one.start - other.start);
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly values: ReadonlySet<string>;
}

function longestMatch(original: string, found: AliasText, tree: AliasTree, start: number): Match | undefined {
  let node = tree.root.next.get(found.text.charAt(start));
  if (node === undefined || !isEdge(original, found, start)) return undefined;
  let longest: Match | undefined;
  for (let end = start + 1; node !== undefined; end++) {
    if (
      node.values !== undefined &&
      isEdge(original, found, end) &&
      isSpelt(original, found, node, start, end)
    ) {
      longest = { start, end, values: node.values };
    }
    node = end < found.text.length ? node.next.get(found.text.charAt(end)) : undefined;
  }
  return longest;
}

function isSpelt(
  original: string,
  found: AliasText,
  { spelling }: AliasNode,
  start: number,
  end: number,
): boolean {
  return spelling === undefined || original.slice(originOf(found, start), originOf(found, end)) === spelling;
}

/** True for each ASCII character that belongs to words. */
const WORD = Array.from({ length: 128 }, (_, code) => /\w/.test(String.fromCharCode(code)));

function isWordCharacter(character: string): boolean {
  return WORD[character.charCodeAt(0)] ?? wordCharacter().test(character);
}

function isUnspaced(character: string): boolean {
  return character > "\x7f" && unspaced().test(character);
}

const wordCharacter = lazyPattern("[\\p{L}\\p{N}\\p{M}_]", "u");
/** Scripts that do not put spaces between words. */
const unspaced = lazyPattern(
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]",
  "u",
);

/** True if a word may begin or end between these two characters; "BCL-2" ends neither in "BCL-2-like" nor in "BCL-2L". */
function isEdge(original: string, found: AliasText, at: number): boolean {
  const { text } = found;
  const before = text.charAt(at - 1);
  const after = text.charAt(at);
  if (before === "" || after === "" || isUnspaced(before) || isUnspaced(after)) return true;
  const wordBefore = isWordCharacter(before);
  const wordAfter = isWordCharacter(after);
  // "13₁₀" is 13, written in base ten.
  if (isDigit(before) && /[₀-₉]/.test(original.charAt(originOf(found, at)))) return true;
  if (wordBefore && wordAfter) return false;
  if (!wordBefore && !wordAfter) return before !== after;
  // "C++", "non-Hodgkin", "Canberra-based", "3.5"; a dash that is no hyphen ends a word all the same.
  if (wordBefore && (after === "+" || after === "#")) return false;
  const mark = wordBefore ? after : before;
  const beyond = wordBefore ? text.charAt(at + 1) : text.charAt(at - 2);
  if (mark === "-" && original.charAt(originOf(found, wordBefore ? at : at - 1)) === "-")
    return !isWordCharacter(beyond);
  return !((mark === "." || mark === ",") && isDigit(beyond) && isDigit(wordBefore ? before : after));
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

/** A text in the form in which aliases are compared. */
export interface AliasText {
  readonly text: string;
  /** Where each character comes from, and at last the length of the original; null if each is where it was. */
  readonly starts: readonly number[] | null;
}

function originOf({ starts }: AliasText, index: number): number {
  return starts === null ? index : (starts[index] ?? 0);
}

/** Characters that are not ASCII, and spaces that are left out. */
const UNEVEN = /[^\0-\x7f]|^[\0- ]|[\0- ]{2}/;

const cluster = lazyPattern("\\P{M}\\p{M}*|\\p{M}+", "suy");

/** Lower case, Unicode NFKC, one kind of hyphen, and single spaces also for line breaks. */
function aliasText(original: string): AliasText {
  if (!UNEVEN.test(original)) return { text: original.replace(/[\0- ]/g, " ").toLowerCase(), starts: null };
  const starts: number[] = [];
  let text = "";
  let space = true;
  for (let index = 0; index < original.length; ) {
    const start = index;
    let characters = original.charAt(index);
    if (characters > "\x7f" || original.charAt(index + 1) > "\x7f") {
      cluster().lastIndex = index;
      characters = normalized(cluster().exec(original)?.[0] ?? characters);
      index = Math.max(index + 1, cluster().lastIndex);
    } else index++;
    for (const character of characters.split("")) {
      const blank = character <= " " || character === "\u0085";
      if (blank && space) continue;
      space = blank;
      text += blank ? " " : character;
      starts.push(start);
    }
  }
  starts.push(original.length);
  return { text: lowerCase(text), starts };
}

function normalized(characters: string): string {
  return characters
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u2010-\u2015\u2212]/g, "-");
}
