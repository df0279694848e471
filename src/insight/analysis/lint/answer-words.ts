import { placeIn } from "../../../core/liquid/text-template.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import type { PlaceInText } from "../../../core/schema/issue.ts";
import type { TemplateField } from "../../../core/templates/template.ts";
import { isTraceCheck, isTruthFrom } from "../../../core/templates/template.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import { type AliasTree, aliasMentions, aliasTree } from "../../../engine/grading/reading/alias-matches.ts";

/** The words for the answers of a field: those for the right one, and those for the others. */
export interface AnswerWords {
  readonly field: string;
  readonly truth: string;
  /** All words for the right answer. */
  readonly aliases: readonly string[];
  /** The same for all fields that ask for the same. */
  readonly key: string;
  readonly tree: AliasTree;
}

/** A right answer that many texts contain by chance, such as a letter: it is a leak only where a text calls it the answer. */
export interface ShortAnswer {
  readonly field: string;
  /** How the answer is written. */
  readonly words: readonly string[];
  /** How other answers of the field are written. */
  readonly others: readonly string[];
}

/** Where a text names an answer. */
export interface NamedAnswer {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Answers that any question may contain, with or without being its answer. */
const GENERIC: ReadonlySet<string> = new Set([
  ...["yes", "no", "true", "false", "none", "other", "unknown", "null", "neither", "both", "not stated"],
  ...["lower", "higher", "longer", "shorter", "more", "less", "fewer", "larger", "smaller", "greater"],
  ...["better", "worse", "before", "after", "earlier", "later", "up", "down", "left", "first", "last"],
  ...["same", "correct", "incorrect", "right", "wrong", "all", "never", "always"],
]);

/** The fields of a question whose right answer has words of its own. */
export function answerWords(question: Question): readonly AnswerWords[] {
  const fields = Object.entries(question.template?.fields ?? {});
  return fields.flatMap(([name, field]) => wordsOf(name, field, question) ?? []);
}

/** The fields of a question whose right answer is a letter, a small number, yes or no. */
export function shortAnswers(question: Question): readonly ShortAnswer[] {
  return Object.entries(question.template?.fields ?? {}).flatMap(([field, { truth, type, ...rest }]) => {
    if (typeof truth === "boolean") {
      const words = [
        ["yes", "true"],
        ["no", "false"],
      ] as const;
      return { field, words: words[truth ? 0 : 1], others: words[truth ? 1 : 0] };
    }
    if (!isPlain({ truth, type, ...rest } as TemplateField) || !isShort(String(truth))) return [];
    const values = "values" in rest ? rest.values.map(String) : [];
    return { field, words: [String(truth)], others: values.filter((value) => value !== String(truth)) };
  });
}

/** True of a truth that is the only right answer, and a text or a number. */
function isPlain({ truth, check, extract, type }: TemplateField): boolean {
  if (type === "boolean" || type === "array" || isTruthFrom(truth) || isTraceCheck(check)) return false;
  if (typeof truth !== "string" && typeof truth !== "number") return false;
  // With other comparisons the truth is one right answer of many, or none at all.
  if (check?.type === "one_of" || check?.type === "semantic_match" || check?.type === "numeric_range")
    return false;
  // What a pattern spells out is a marker, which a question may ask for.
  return !(extract?.type === "regex" && extract.pattern.toLowerCase().includes(String(truth).toLowerCase()));
}

/** A letter stands for an option, and a small or a round number is in many questions. */
function isShort(truth: string): boolean {
  const text = truth.trim().toLowerCase();
  return text.length < 2 || GENERIC.has(text) || (isNumber(truth) && !TELLING.test(truth));
}

function wordsOf(name: string, field: TemplateField, { metadata }: Question): AnswerWords | null {
  const { truth: right, extract, type } = field;
  const truth = String(right);
  if (!isPlain(field) || isShort(truth)) return null;
  const values: Record<string, readonly string[]> = { [truth]: [] };
  if (type === "enum") for (const value of field.values) values[String(value)] = [];
  const wrong = metadata?.wrongAnswers;
  if (Array.isArray(wrong)) for (const value of wrong) values[String(value)] ??= [];
  if (typeof right === "number") values[truth] = [right.toLocaleString("en-US")];
  if (extract?.type === "aliases")
    for (const [value, known] of Object.entries(extract.values))
      values[value] = known.filter((alias) => !isNumber(alias));
  const aliases = [truth, ...(values[truth] ?? [])];
  return { field: name, truth, aliases, key: canonicalJson([name, truth]), tree: aliasTree(values) };
}

/** A number with at least three digits that is not round: it is unlikely to occur by chance. */
const TELLING = /^-?(?:\d{2,}[1-9]|\d+\.\d*[1-9]|\d{1,3}(?:,\d{3})+)$/;

const NUMBER =
  /^[\s\p{Sc}]*(?:[\d.,/:%°+-]+|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand)(?:[\s-](?:and|hundred|thousand|one|two|three|four|five|six|seven|eight|nine|ten))*[\s\p{Sc}%]*$/iu;

function isNumber(text: string): boolean {
  return text.length < 40 && NUMBER.test(text);
}

/**
 * Where a text gives away the right answer: it names it and no other answer. A text that names several offers a choice, and an answer in
 * quotation marks is a form of words to reply with.
 */
export function givenAway(text: string, { truth, tree }: AnswerWords): NamedAnswer | null {
  const mentions = aliasMentions(text, tree);
  const [first] = mentions;
  if (first === undefined || mentions.some(({ value }) => value !== truth)) return null;
  const stated = mentions.find(({ start, end }) => !isQuoted(text, start, end));
  return stated === undefined ? null : namedAt(text, stated);
}

/** Words that make a statement a form of reply, a condition, or a quotation. */
const SUPPOSED =
  /\b(?:if|whether|when|unless|not|n't|never|says?|said|claims?|thinks?|thought|believes?|form|format|like|e\.g\.|example|suppose|would|could|should|might|may|why|than|write|reply with)\b[^.!?\n]*$/i;

/** Where a text says what the right answer is: "The answer is B", "B is correct". */
export function statedAnswer(text: string, { words, others }: ShortAnswer): NamedAnswer | null {
  if (others.some((other) => statements(text, other).length > 0)) return null;
  for (const word of words)
    for (const stated of statements(text, word))
      if (!SUPPOSED.test(text.slice(Math.max(0, stated.from - 80), stated.from)))
        return namedAt(text, stated);
  return null;
}

function statements(
  text: string,
  word: string,
): readonly { readonly from: number; readonly start: number; readonly end: number }[] {
  const answer = `(${word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")})`;
  const before =
    "\\b(?:(?:answer|solution)|(?:right|correct) (?:option|choice|letter|one|number)) is(?: option| letter)? [\"'“(]?";
  const after = "(?![\\p{L}\\p{N}]|[.,]\\d|[\"'”)]? or )";
  const called = "[\"'”)]? is (?:the )?(?:right|correct)(?: answer| option| choice)?(?= *[.!,;\\n]| *$)";
  // A letter is a capital: "the answer is a city" names no option.
  const flags = word.length === 1 ? "dgu" : "dgiu";
  const patterns = [`${before}${answer}${after}`, `(?<![\\p{L}\\p{N}])${answer}${called}`];
  return patterns.flatMap((pattern) =>
    [...text.matchAll(new RegExp(pattern, flags))].flatMap((match) => {
      const [start = 0, end = 0] = match.indices?.[1] ?? [];
      const from = match.index;
      return isQuoted(text, from, from + match[0].length) ? [] : { from, start, end };
    }),
  );
}

/** The right answers of many questions in one tree, so that a text is searched once for all of them. */
export class AnswerIndex<Owner> {
  readonly #tree: AliasTree;
  readonly #owners = new Map<string, { readonly words: AnswerWords; readonly owners: Owner[] }>();

  constructor(answers: Iterable<readonly [Owner, AnswerWords]>) {
    for (const [owner, words] of answers) {
      const known = this.#owners.get(words.key);
      if (known === undefined) this.#owners.set(words.key, { words, owners: [owner] });
      else known.owners.push(owner);
    }
    const values = [...this.#owners].map(([key, { words }]) => [key, words.aliases] as const);
    this.#tree = aliasTree(Object.fromEntries(values));
  }

  /** The answers that a text may give away, with those they belong to. */
  *in(text: string): Generator<{ readonly words: AnswerWords; readonly owners: readonly Owner[] }> {
    const keys = new Set(aliasMentions(text, this.#tree).map(({ value }) => value));
    for (const key of keys) yield this.#owners.get(key) as { words: AnswerWords; owners: Owner[] };
  }
}

/** Every answer that a text names. */
export function answersIn(
  text: string,
  { tree }: AnswerWords,
): readonly (NamedAnswer & { readonly value: string })[] {
  return aliasMentions(text, tree).map((mention) => ({ ...namedAt(text, mention), value: mention.value }));
}

/** The place of a word in a text, for locators. */
export function placeOf(text: string, { word, start }: NamedAnswer): PlaceInText {
  return { ...placeIn(text, start), snippet: word };
}

function namedAt(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): NamedAnswer {
  return { word: text.slice(start, end), start, end };
}

/** Words in quotation marks, as far as they are few: a label or a form to reply in, and no statement. */
const QUOTED =
  /"[^"\n]{1,30}"|“[^”\n]{1,30}”|‘[^’\n]{1,30}’|«[^»\n]{1,30}»|`[^`\n]{1,30}`|(?<![\p{L}\p{N}])'[^'\n]{1,30}'(?![\p{L}\p{N}])/gu;

function isQuoted(text: string, start: number, end: number): boolean {
  for (const match of text.matchAll(QUOTED))
    if (match.index < start && end < match.index + match[0].length) return true;
  return false;
}
