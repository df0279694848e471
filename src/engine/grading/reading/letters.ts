import { type Kind, type Mention, matchesAt } from "./kind.ts";
import type { ReplyText } from "./reply-text.ts";

// Not inside a word, a name ("X-ray", "R&D", "C++"), an abbreviation ("e.g."), a formula or a possessive.
const LETTER =
  /(?<![A-Za-z0-9]')(?<![A-Za-z0-9_^&@°\\.+\u00c0-\u024f\u0370-\u052f-])[A-Za-z](?![A-Za-z0-9_^@°+#([\u00c0-\u024f\u0370-\u052f]|['&.-][A-Za-z0-9]|-(?! )| ?=(?!>))/g;
/** Letters in quantities, functions, vitamins and the like name no option: "25 C", "P(A)", "N/A". */
const FOREIGN_BEFORE =
  /(?:\d ?|[A-Za-z0-9]\(|n\/|[a-z]{2}\/|vitamin |hepatitis |plan |type |group |class |grade |schedule |influenza )$/;
/** Species after an abbreviated genus: "C. difficile" is no option. */
const SPECIES =
  /\. (?:diff|difficile|coli|albicans|elegans|perfringens|botulinum|tetani|jejuni|trachomatis|pneumoniae|burgdorferi|fumigatus|pylori|influenzae|cereus|anthracis|auris)(?![a-z])|\. [a-z]+ (?:is|are|was|has|can|causes)\b/y;
const BRACKET_BEFORE = /(?:[([{]|<(?:answer|choice|option)>)["'$]?$/;
const BRACKET_AFTER = /["'$]?(?:[)\]}]|<\/)/y;
const JOINED = /(?:\b(?:and|or|nor)|[,&]) $|\/$/;
const NAMED = /(?:options?|choices?|letters?|answers?|answer is|answer:) ["'([]{0,2}$/;
const SAID = /(?:it's|it is|still|so|keep|gives) ["'([]{0,2}$/;
/** What lets a capital be an option, also "A" and "I": "B.", "B because", and not "B cells" or "A good way". */
const CLOSED =
  /["')\]}>$*]{0,4}(?:$|[.,;:!?…)\]|/\n]|<\/|\s?[–—→([|]|\s-\s| (?:because|since|as|due|and|or|nor|but|not|rather|over|instead|given|is|was|would|cannot|can't|seems|fits|makes|must|here|again|based|with|which|then|if|to)(?![a-z]))/y;

const AFTER_HEAD =
  /^["'*]{0,3}(?:[.:](?:\s|$)|\n|$|,? [–—-] |, (?:because|since|as|my|not|the|of course)\b| \([^()\n]{1,40}\)[.!]?$)/;

/** A letter that may name an option, in upper case. */
export interface LetterMention extends Mention<string> {
  /** True if it is written as options are: "(B)", "B)", "option B", or "B." and "B:" at the head of a line. */
  readonly marked: boolean;
}

function lettersIn(
  { text, lower }: ReplyText,
  from: number,
  to: number,
  announced: boolean,
): LetterMention[] {
  const found: LetterMention[] = [];
  for (const { 0: letter, index } of text.slice(from, to).matchAll(LETTER)) {
    const start = from + index;
    const end = start + 1;
    const before = lower.slice(Math.max(0, start - 16), start);
    if (FOREIGN_BEFORE.test(before) || matchesAt(SPECIES, text, end)) continue;
    const small = letter !== letter.toUpperCase();
    const bracketed = BRACKET_BEFORE.test(before) && matchesAt(BRACKET_AFTER, lower, end);
    const named = NAMED.test(before);
    const head = /(?:^|\n)["'*#>•([ -]{0,6}$/.test(before);
    const closed = matchesAt(CLOSED, lower, end);
    const after = text.slice(end, end + 60);
    // "(a) First we …" numbers a part of a text.
    if (small && bracketed && /(?:^|\n|[.!?] )\($/.test(before) && /^\) ?(?:[\w']+,? ){3}/.test(after))
      continue;
    const ends = /^["')\]}*]*[.!]?["')\]}*]*(?:\s|$)/.test(after);
    const alone = ends && (announced ? !/[ai]/.test(letter) : head && text.length < 12);
    if (small && !bracketed && !(named && closed) && !alone) continue;
    if (!bracketed && !closed && !JOINED.test(before)) continue;
    // "It lies in Istanbul (C)." notes an option, and does not choose it.
    const noted = !announced && !named && /[a-z] \($/.test(before) && /^\)[.\s]*$/.test(after);
    // "All right, A.", "so the salt is a carbonate: B"
    const closes =
      !small &&
      /[,:] ["'([]*$/.test(before) &&
      /^["')\]}*]*[.!]?["')\]}*]*\s*$/.test(text.slice(end, end + 9)) &&
      text.length - end < 9;
    const marked =
      (bracketed && !noted) ||
      closes ||
      (!small && closed && SAID.test(before)) ||
      named ||
      /^[):]/.test(after) ||
      (head && AFTER_HEAD.test(after));
    found.push({ value: letter.toUpperCase(), start, end, marked });
  }
  return found;
}

/** Where the text of an option begins that stands behind its letter; other letters in it are part of it: "C. both A and B". */
const OPTION_TEXT =
  /^["')\]}*]{0,3}[).:\]]{1,3}["'*]{0,2}(?! ?\(?[A-Z]\)?(?:[.\s]|$))(?! ?(?:or|and|is|was|are|would|cannot|can|could|does|[a-z]+n't|fits|seems|must|has|may|might|should|[Aa]ctually|[Ww]ait|[Nn]o|[Bb]ut|[Hh]ere|[Ss]o|It|I(?:'[a-z]+)?|Let's)\b)/;

const HEAD = /(?:^|\n) ?["'*([]{0,4}$/;
const APPROVED =
  /^["')\]}*]{0,3} (?:is|remains|must be) (?:still |clearly |definitely |indeed )?(?:the )?(?:only |most )?(?:correct|right|true|best|answer)(?![a-z])/;

/** The options of a multiple-choice question; another letter is not read, and makes what names it unclear. */
export function letterKind(options: ReadonlySet<string>): Kind<string> {
  const known = (mentions: readonly LetterMention[]): LetterMention[] =>
    mentions.map((mention) => (options.has(mention.value ?? "") ? mention : { ...mention, value: null }));
  return {
    isListed: true,
    mentions: (reply) => {
      const all = lettersIn(reply, 0, reply.text.length, false);
      const marked = all.filter((mention) => mention.marked);
      const [first] = marked;
      // Letters beside options that are written as such may be anything: "(C) both A and B".
      if (
        first !== undefined &&
        HEAD.test(reply.text.slice(0, first.start)) &&
        OPTION_TEXT.test(reply.text.slice(first.end))
      )
        return known(marked);
      // "B is the number 91" says nothing of the answer, "B is correct" does.
      return known(all).map((mention) =>
        mention.marked || APPROVED.test(reply.lower.slice(mention.end))
          ? mention
          : { ...mention, value: null },
      );
    },
    named: (reply) => known(lettersIn(reply, 0, reply.text.length, false)),
    announced: (reply, from, to) => {
      const [first, ...rest] = lettersIn(reply, from, to, true);
      if (first === undefined) return [];
      const text = OPTION_TEXT.test(reply.text.slice(first.end, to));
      return known([first, ...rest.filter(({ marked }) => marked || !text)]);
    },
  };
}
