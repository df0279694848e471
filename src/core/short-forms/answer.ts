import { letterOf } from "../liquid/liquid-engine.ts";
import { isExpression, isTemplate } from "../liquid/text-template.ts";
import type { IssuePath } from "../schema/issue.ts";
import { ALPHABET } from "../templates/extract-rule.ts";
import { isRecord, type JsonObject, type JsonValue, type UnknownRecord } from "../values/json.ts";

/** What stands beside a question in short form. Each has been found to have its shape. */
export interface AnswerParts {
  readonly answer?: unknown;
  readonly wrong?: unknown;
  readonly otherwise?: unknown;
  readonly options?: unknown;
  readonly judge?: unknown;
  readonly about?: unknown;
}

/** The keys of the answer to a question. */
export const ANSWER_KEYS = ["answer", "wrong", "otherwise", "options", "judge", "about"] as const;

/** What is written out of an answer: the parts of a question besides its text. */
export interface WrittenAnswer {
  /** Undefined if nothing is read of the reply. */
  readonly template?: JsonObject;
  readonly rawAnswer: string;
  /** The first is the one that a person would propose. They are texts of the field. */
  readonly wrong: readonly string[];
}

/** Reports what is wrong with a part of the answer. */
export type ReportPart = (key: keyof AnswerParts, message: string, more?: IssuePath) => void;

/** The answer that leaves a node unverified. */
const NO_ANSWER = "none";
const UNVERIFIED: WrittenAnswer = { rawAnswer: "", wrong: [] };

/** Writes out the answer to a question: one field `answer` with its rule and check. */
export function writeAnswer(parts: AnswerParts, question: string, report: ReportPart): WrittenAnswer {
  const { answer, judge, about } = parts;
  if (answer === undefined || answer === NO_ANSWER) {
    if (answer === undefined && parts.wrong !== undefined)
      report("wrong", "Wrong answers need a right one: write `answer` beside them.");
    if (answer === NO_ANSWER || parts.options === undefined) return UNVERIFIED;
  }
  if (parts.otherwise !== undefined && !isInWords(parts))
    report("otherwise", "`otherwise` belongs to an answer in words: it stands for all that are not listed.");
  if (isRecord(answer) && "fields" in answer) return templateAnswer(answer, parts, report);
  const written =
    parts.options === undefined ? plainAnswer(parts, report) : optionAnswer(parts, question, report);
  if (written === undefined) return UNVERIFIED;
  const { field, rawAnswer, wrong } = written;
  const hint = judge === undefined ? {} : { hint: judge as string };
  const description = (about as string | undefined) ?? written.description ?? describedAnswer(question);
  return {
    template: { fields: { answer: { type: field.type as string, description, ...field, ...hint } } },
    rawAnswer,
    wrong,
  };
}

/** True for an answer in words: no number, date, yes or no, option or template. */
export function isInWords({ answer, options }: AnswerParts): boolean {
  return (
    options === undefined && !isRecord(answer) && typeof answer !== "number" && yesOrNo(answer) === undefined
  );
}

/** How long the part of a question is that the description of its answer repeats. */
const LONGEST_QUESTION = 300;

/** What a judge is told to read, and what rules take as the topic of the answer. */
function describedAnswer(question: string): string {
  const about = question.trim() === "" ? "" : ` to the question "${oneLine(question)}"`;
  return `the final answer of the reply${about}; null if it settles on none`;
}

function oneLine(question: string): string {
  const line = question.trim().replace(/\s+/g, " ");
  if (line.length <= LONGEST_QUESTION || line.includes("{{") || line.includes("{%")) return line;
  return `…${line.slice(-LONGEST_QUESTION).replace(/^\S*/, "")}`;
}

interface FieldAnswer {
  readonly field: JsonObject;
  readonly rawAnswer: string;
  readonly wrong: readonly string[];
  readonly description?: string;
}

function plainAnswer(parts: AnswerParts, report: ReportPart): FieldAnswer | undefined {
  const { answer } = parts;
  const stance = yesOrNo(answer);
  const wrong = Array.isArray(parts.wrong) ? parts.wrong : parts.wrong === undefined ? [] : [parts.wrong];
  const others = wrong
    .filter((one) => !isTemplate(one))
    .map((one) => String(Array.isArray(one) ? one[0] : one));
  if (typeof parts.wrong === "string" && !isTemplate(parts.wrong) && /,\s/.test(parts.wrong))
    report(
      "wrong",
      `This is one wrong answer with a comma in it. Several are a list: [${parts.wrong}]. One is written ["${parts.wrong}"].`,
    );
  if (typeof answer === "string" && /^(?:row|variant)\.[\p{L}\p{N}_.-]+$/u.test(answer))
    report("answer", `For the value of a column, write "{{ ${answer} }}", with the quotes.`);
  if (typeof answer === "string" && /^\d{4}-\d\d-\d\d$/.test(answer))
    report("answer", `A date in other words would not be read. Write { date: ${answer} }.`);
  if (stance !== undefined) {
    if (wrong.some((one) => yesOrNo(one) === stance)) report("wrong", sameAnswer(String(answer)));
    const field = { type: "boolean", truth: stance, extract: { type: "stance" } };
    return { field, rawAnswer: stance ? "Yes." : "No.", wrong: others };
  }
  if (typeof answer === "number" || (isRecord(answer) && "number" in answer)) {
    const { number, within } = (isRecord(answer) ? answer : { number: answer }) as unknown as NumberAnswer;
    if (others.some((one) => Number(one) === number)) report("wrong", sameAnswer(String(number)));
    const check =
      within === undefined
        ? {}
        : { check: { type: "numeric_tolerance", tolerance: within, mode: "absolute" } };
    const field = { type: "number", truth: number, ...check, extract: { type: "number" } };
    return { field, rawAnswer: String(number), wrong: others };
  }
  if (isRecord(answer)) {
    const date = String(answer.date);
    if (others.includes(date)) report("wrong", sameAnswer(date));
    return {
      field: { type: "date", truth: date, extract: { type: "date" } },
      rawAnswer: date,
      wrong: others,
    };
  }
  return textAnswer(parts, report);
}

interface NumberAnswer {
  readonly number: number | string;
  readonly within?: number;
}

function sameAnswer(text: string): string {
  return `${JSON.stringify(text)} is the right answer, too.`;
}

/** True or false for an answer that is yes or no; undefined for any other. */
function yesOrNo(answer: unknown): boolean | undefined {
  if (typeof answer === "boolean") return answer;
  if (typeof answer !== "string") return undefined;
  const word = answer.trim().toLowerCase();
  return word === "yes" ? true : word === "no" ? false : undefined;
}

/** Values with the words that stand for them. */
type Words = readonly [value: string, synonyms: readonly string[]];

function textAnswer({ answer, wrong, otherwise }: AnswerParts, report: ReportPart): FieldAnswer {
  const right = answerWords(answer);
  const others = wordLists(wrong);
  const seen = new Map([right[0], ...right[1]].map((word) => [plain(word), right[0]]));
  for (const [index, [value, synonyms]] of others.entries())
    for (const word of new Set([value, ...synonyms].filter((word) => !isTemplate(word)).map(plain))) {
      const known = seen.get(word);
      const place = Array.isArray(wrong) ? [index] : [];
      if (known === right[0]) report("wrong", sameAnswer(value), place);
      else if (known !== undefined) report("wrong", `${JSON.stringify(word)} is there twice.`, place);
      seen.set(word, value);
    }
  if (typeof otherwise === "string" && seen.has(plain(otherwise)))
    report("otherwise", `${JSON.stringify(otherwise)} is one of the answers; take another word.`);
  const values = Object.fromEntries([right, ...others].map(([value, synonyms]) => [value, synonyms]));
  const extract = {
    type: "aliases",
    ...(otherwise === undefined ? {} : { otherwise: otherwise as string }),
    values,
  };
  const truth = isTemplate(right[0]) ? `${inner(right[0], "strip")}` : right[0];
  const isOpen = others.length === 0 && otherwise === undefined;
  const kind = isOpen
    ? { type: "string", ...synonymCheck(right) }
    : {
        type: "enum",
        values: [
          isExpression(right[0]) ? truth : right[0],
          ...others.map(([value]) => value),
          ...(otherwise === undefined ? [] : [otherwise as string]),
        ],
      };
  return {
    field: { ...kind, truth, extract: extract as JsonObject },
    rawAnswer: truth,
    wrong: others.map(([value]) => value).filter((value) => !isTemplate(value)),
  };
}

/** A judge may answer with a synonym, where it has no list of values to choose from. */
function synonymCheck([value, synonyms]: Words): { readonly check?: JsonObject } {
  if (synonyms.length === 0 || isTemplate(value)) return {};
  const same = Object.fromEntries(synonyms.map((word) => [plain(word), plain(value)]));
  const normalize = ["unicode", "collapse_whitespace", "lowercase", { synonyms: same }];
  return { check: { type: "exact_match", normalize } };
}

function plain(text: string): string {
  return text.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
}

/** The right answer with its synonyms: a text, a list, or a cell. */
function answerWords(answer: unknown): Words {
  if (Array.isArray(answer)) {
    const [first, ...more] = answer.map(String);
    return [first as string, more];
  }
  const text = String(answer);
  return givesList(text) ? [inner(text, "first"), [text]] : [text, []];
}

function wordLists(wrong: unknown): readonly Words[] {
  if (wrong === undefined) return [];
  return (Array.isArray(wrong) ? wrong : [wrong]).map((item) => {
    const [first, ...more] = Array.isArray(item) ? item.map(String) : [String(item)];
    return [first as string, more];
  });
}

/** Filters of Liquid that give a list. */
const LIST_FILTERS =
  /\|\s*(?:split|compact|concat|map|reverse|sort|sort_natural|uniq|where|push|unshift)\b[^|]*\}\}$/;

/** True for an expression whose last filter gives a list: the synonyms of an answer in one cell. */
export function givesList(text: string): boolean {
  return isExpression(text) && LIST_FILTERS.test(text.trim());
}

/** An expression with one more filter; a text that is none stays as it is. */
export function inner(text: string, filter: string): string {
  return isExpression(text) ? `{{ ${text.trim().slice(2, -2).trim()} | ${filter} }}` : text;
}

/** A template with the truths as the reference answer. */
function templateAnswer(
  answer: UnknownRecord,
  { judge, wrong, options, about }: AnswerParts,
  report: ReportPart,
): WrittenAnswer {
  for (const [key, part] of [
    ["wrong", wrong],
    ["options", options],
    ["about", about],
  ] as const)
    if (part !== undefined)
      report(key, `\`${key}\` does not stand beside a template; write it into a field.`);
  const fields = isRecord(answer.fields) ? answer.fields : {};
  const hinted = Object.entries(fields).map(([name, field]) =>
    isRecord(field) && field.hint === undefined && judge !== undefined
      ? [name, { ...field, hint: judge }]
      : [name, field],
  );
  const truths = Object.values(fields).flatMap((field) =>
    isRecord(field) && /^(?:string|number|boolean)$/.test(typeof field.truth) ? [String(field.truth)] : [],
  );
  return {
    // Its shape is checked with that of the node.
    template: { ...answer, fields: Object.fromEntries(hinted) } as JsonObject,
    rawAnswer: truths.join(", "),
    wrong: [],
  };
}

/** The options below a question. */
export function writtenOptions(options: unknown): string {
  if (typeof options === "string") return inner(options, "letters");
  return (options as readonly unknown[])
    .map((option, index) => `${ALPHABET[index]}) ${String(option).trim()}`)
    .join("\n");
}

function optionAnswer(parts: AnswerParts, question: string, report: ReportPart): FieldAnswer | undefined {
  const { answer, wrong } = parts;
  const isColumn = typeof parts.options === "string";
  const options = isColumn ? [parts.options as string] : (parts.options as readonly unknown[]).map(String);
  if (!isColumn && options.length > ALPHABET.length) {
    report("options", `There are letters for ${ALPHABET.length} options only.`);
    return undefined;
  }
  const letters = isColumn
    ? [inner(options[0] as string, "option_letters")]
    : ALPHABET.slice(0, options.length);
  const letter = (given: unknown, key: "answer" | "wrong"): string | undefined => {
    if (Array.isArray(given) || isRecord(given)) {
      report(key, "With options, an answer is the letter or the text of one of them.");
      return undefined;
    }
    const text = String(given);
    if (isColumn || isTemplate(text))
      return letterText(options, text, isColumn, (message) => report(key, message));
    try {
      return letterOf(text, options);
    } catch (error) {
      report(key, `${(error as Error).message}.`);
      return undefined;
    }
  };
  const truth = answer === undefined ? undefined : letter(answer, "answer");
  if (answer !== undefined && truth === undefined) return undefined;
  const others =
    wrong === undefined
      ? []
      : (Array.isArray(wrong) ? wrong : [wrong]).flatMap((one) => letter(one, "wrong") ?? []);
  if (truth !== undefined && others.includes(truth)) report("wrong", sameAnswer(String(answer)));
  const field = {
    type: "enum",
    values: letters,
    ...(truth === undefined ? {} : { truth }),
    extract: { type: "option", options },
  };
  const listed = isColumn ? writtenOptions(parts.options) : writtenOptions(options).replaceAll("\n", ", ");
  const description = `the letter of the option that the reply settles on in the end, also where it gives only the text of the option (${listed}), to the question "${oneLine(question)}"; null if it settles on none`;
  const text = truth === undefined || isTemplate(truth) ? undefined : options[ALPHABET.indexOf(truth)];
  return {
    field,
    description,
    rawAnswer: text === undefined ? (answer === undefined ? "" : String(answer)) : `${truth}) ${text}`,
    wrong: others.filter((one) => !isTemplate(one)),
  };
}

/** An expression for the letter of an answer, where options or answer come from a row. */
function letterText(
  options: readonly string[],
  answer: string,
  isColumn: boolean,
  report: (message: string) => void,
): string | undefined {
  const list = isColumn ? (options[0] as string).trim().slice(2, -2).trim() : literalList(options);
  const value = isTemplate(answer) ? /^\{\{\s*([^|{}]+?)\s*\}\}$/.exec(answer)?.[1] : quoted(answer);
  if (list !== undefined && value !== undefined) return `{{ ${list} | letter_of: ${value} }}`;
  report(
    "With options, a column with the answer is written as {{ row.answer }}, without filters; texts with both kinds of quotation marks belong into columns.",
  );
  return undefined;
}

function literalList(options: readonly string[]): string | undefined {
  const separator = ["|", ";", "~", "^"].find((mark) => options.every((option) => !option.includes(mark)));
  const text = separator === undefined ? undefined : quoted(options.join(separator));
  return text === undefined ? undefined : `${text} | split: "${separator}"`;
}

/** A text of Liquid, which has no escapes. */
function quoted(text: string): string | undefined {
  return ['"', "'"].flatMap((mark) => (text.includes(mark) ? [] : [`${mark}${text}${mark}`]))[0];
}

/** An answer as a list of words, where a field must hold both an answer and words for waiting. */
export function answerInWords(answer: unknown): readonly JsonValue[] {
  if (Array.isArray(answer)) return answer;
  if (isRecord(answer)) return [String("number" in answer ? answer.number : answer.date)];
  const stance = yesOrNo(answer);
  return [stance === undefined ? String(answer) : stance ? "yes" : "no"];
}
