import { isTemplate } from "../../../core/liquid/text-template.ts";
import { isReservedKey, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import type { ProposedField, ProposedScenario } from "./proposal.ts";

/** Receives each problem, as a sentence with its place. */
export type Report = (problem: string) => void;

/**
 * A text of a model or a table as a text of a scenario: braces that Liquid would interpret are escaped.
 */
export function plainText(text: string): string {
  if (!isTemplate(text)) return text;
  // A text that contains `endraw` must be escaped in another way.
  if (/\{%-?\s*endraw\b/.test(text)) return text.replaceAll(/\{[{%]/g, (braces) => `{{ "${braces}" }}`);
  return `{% raw %}${text}{% endraw %}`;
}

/** What every scenario of a draft has in its metadata. */
export function draftMetadata(model: string): JsonObject {
  return { draft: true, draftedBy: model };
}

/** The scenario that a proposal describes. Only the fields listed here are used, and none of them can be code. */
export function buildScenario(proposal: ProposedScenario, model: string, report: Report): JsonObject {
  const { name, description, systemPrompt, nodes, edges, outcomes } = proposal;
  const templates = new Map(
    proposal.templates.map(({ id, fields }) => [id, { fields, template: templateOf(fields, id, report) }]),
  );
  // The answer to a question that all nodes ask stands at the top.
  const [first] = templates.values();
  const { question: _, ...shared } =
    first === undefined || templates.size > 1 ? {} : askedWith(first.template, "", "");
  const isShared = "answer" in shared;
  const built = nodes.map(({ id, question, answer, template: named }): [string, JsonValue] => {
    const found = named === null ? undefined : templates.get(named);
    if (named !== null && found === undefined)
      report(`Node ${quoted(id)} names the template ${quoted(named)}, which does not exist.`);
    const text = plainText(question);
    const asked =
      found !== undefined && !isShared
        ? askedWith(found.template, text, plainText(answer))
        : { question: text, ...(isShared && found === undefined ? { answer: "none" } : {}) };
    const read = { fields: found?.fields ?? [], isShort: isShared || "answer" in asked };
    const own = edges.filter(({ source }) => source === id);
    const byVerdict = Object.fromEntries(own.map(({ when, target }) => [VERDICTS[when], target]));
    const isByVerdict =
      own.every(({ when }) => when !== "value") && Object.keys(byVerdict).length === own.length;
    const next = isByVerdict ? byVerdict : own.map((edge) => nextOf(edge, read, report));
    const node = { ...asked, ...(own.length === 0 ? {} : { next }) };
    return [id, Object.keys(node).length === 1 && asked.question === text ? text : node];
  });
  for (const { source, target } of edges)
    if (!nodes.some(({ id }) => id === source))
      report(`The edge from ${quoted(source)} to ${quoted(target)} begins at a node that does not exist.`);
  const ids = (parts: readonly { readonly id: string }[]): readonly string[] => parts.map(({ id }) => id);
  requireNames(ids(nodes), "a node", report);
  requireNames(ids(proposal.templates), "a template", report);
  requireNames(
    outcomes.map((outcome) => outcome.name),
    "an outcome",
    report,
  );
  return {
    name: scenarioName(name),
    ...(description === "" ? {} : { description: plainText(description) }),
    metadata: draftMetadata(model),
    ...(systemPrompt === null || systemPrompt === "" ? {} : { systemPrompt: plainText(systemPrompt) }),
    ...(isShared ? shared : {}),
    nodes: Object.fromEntries(built),
    ...(outcomes.length === 0 ? {} : { outcomes: Object.fromEntries(outcomes.map(outcomeOf)) }),
  };
}

/** A name that people can type after `--scenario`. */
export function scenarioName(text: string): string {
  const plain = text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}._/]+/gu, "-")
    .replaceAll(/^[-./]+|[-./]+$/g, "");
  return plain.slice(0, LONGEST_NAME) || "draft";
}

const LONGEST_NAME = 80;

/** A template with the proposed fields. */
export function templateOf(fields: readonly ProposedField[], place: string, report: Report): JsonObject {
  if (fields.length === 0) report(`Template ${quoted(place)} has no fields.`);
  requireNames(
    fields.map(({ name }) => name),
    "a field",
    report,
  );
  const numbers = fields.filter(({ type }) => type === "integer" || type === "number").length;
  const built = fields.map((field): [string, JsonObject] => {
    const where = `Template ${quoted(place)}, field ${quoted(field.name)}`;
    const reportHere: Report = (problem) => report(`${where}: ${problem}`);
    return [field.name, fieldOf(field, numbers === 1, reportHere)];
  });
  return { fields: Object.fromEntries(built) };
}

/** A question with its answer: in short form where the template is one field that a rule for words or numbers reads. */
export function askedWith(template: JsonObject, question: string, rawAnswer: string): JsonObject {
  // `templateOf` has written the fields.
  const [field, ...more] = Object.values(template.fields as unknown as Readonly<Record<string, ReadField>>);
  if (field?.extract === undefined || more.length > 0 || !/^(?:number|aliases)$/.test(field.extract.type))
    return { question: { question, rawAnswer, template } };
  const { truth, extract } = field;
  if (extract.type === "number") return { question, answer: truth };
  const { [String(truth)]: words = [], ...others } = extract.values;
  const wrong = Object.entries(others).map(([value, same]) => (same.length === 0 ? value : [value, ...same]));
  const { otherwise } = extract;
  return {
    question,
    // As a list, so that "no" and "none" are words.
    answer: [truth, ...words],
    ...(wrong.length === 0 ? {} : { wrong }),
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

/** A field as `templateOf` writes it. */
interface ReadField {
  readonly truth: JsonValue;
  readonly extract?: {
    readonly type: string;
    readonly values: Readonly<Record<string, readonly string[]>>;
    readonly otherwise?: string;
  };
}

/** The value that stands for every answer that is not listed. */
const OTHER = "other";

function fieldOf(field: ProposedField, isOnlyNumber: boolean, report: Report): JsonObject {
  const { type, description, values, aliases, truth } = field;
  const base = { description: plainText(description), truth: typedValue(field, truth, report) };
  if (type === "integer" || type === "number")
    // The rule for numbers finds one number in a reply: it is of use where one field is a number.
    return { type, ...base, ...(isOnlyNumber ? { extract: { type: "number" } } : {}) };
  if (type === "enum") {
    if (truth === OTHER)
      report(`The truth cannot be "${OTHER}": it stands for every answer that is not listed.`);
    else if (!values.includes(truth)) report(`The truth ${quoted(truth)} is not one of the values.`);
    if (values.every((value) => /^[A-Z]$/i.test(value)))
      return { type, values, ...base, extract: { type: "letter" } };
    const named = values.filter((value) => value !== OTHER);
    const otherwise = values.includes(OTHER) ? { otherwise: OTHER } : {};
    const extract = { type: "aliases", values: wordsOf(field, named, report), ...otherwise };
    return { type, values, ...base, extract };
  }
  if (type !== "string" || aliases.length === 0) return { type, ...base };
  const words = wordsOf(field, [...new Set([truth, ...aliases.map(({ value }) => value)])], report);
  const synonyms = Object.entries(words).flatMap(([value, list]) =>
    list.map((word) => [word.toLowerCase(), value.toLowerCase()]),
  );
  if (synonyms.length === 0) return { type, ...base };
  // A string is compared by its aliases, too: a judge may write any of them.
  const normalize = ["lowercase", "strip", { synonyms: Object.fromEntries(synonyms) }];
  return {
    type,
    ...base,
    check: { type: "exact_match", normalize },
    extract: { type: "aliases", values: words },
  };
}

/** A text of the proposal as a value of the field. */
function typedValue({ type }: ProposedField, text: string, report: Report): JsonValue {
  if (type === "boolean") {
    const word = text.toLowerCase();
    if (!["true", "yes", "false", "no"].includes(word)) report(`${quoted(text)} is neither true nor false.`);
    return word === "true" || word === "yes";
  }
  if (type === "integer" || type === "number") {
    const number = text === "" ? Number.NaN : Number(text);
    if (Number.isFinite(number)) return number;
    report(`${quoted(text)} is not a number. Write only digits, a sign and a decimal point.`);
    return 0;
  }
  // Values of an enum are compared as they stand, so that none can be a template.
  return type === "enum" ? text : plainText(text);
}

/** The words for each value. A word that stands for two values would make replies ambiguous. */
function wordsOf(
  { aliases }: ProposedField,
  named: readonly string[],
  report: Report,
): Readonly<Record<string, readonly string[]>> {
  const owners = new Map(named.map((value) => [value.toLowerCase(), value]));
  const words = new Map<string, string[]>(named.map((value) => [value, []]));
  for (const text of [...named, ...aliases.flatMap((alias) => alias.words)])
    if (isTemplate(text)) report(`The value or alias ${quoted(text)} must not contain {{ or {%.`);
  for (const { value, words: given } of aliases) {
    if (!words.has(value)) report(`Aliases are given for ${quoted(value)}, which is not one of the values.`);
    for (const word of given) {
      const owner = owners.get(word.toLowerCase());
      if (owner !== undefined && owner !== value)
        report(`The word ${quoted(word)} stands for ${quoted(owner)} and for ${quoted(value)}.`);
      if (owner !== undefined || word === "") continue;
      owners.set(word.toLowerCase(), value);
      words.get(value)?.push(word);
    }
  }
  return Object.fromEntries(words);
}

type Edge = ProposedScenario["edges"][number];
type Outcome = ProposedScenario["outcomes"][number];

/** What `next` calls the verdicts. */
const VERDICTS = {
  always: "otherwise",
  right: "right",
  wrong: "wrong",
  unreadable: "unread",
  value: "",
} as const;

const CONDITIONS: Readonly<Record<Exclude<Edge["when"], "value">, { readonly when?: JsonObject }>> = {
  always: {},
  right: { when: { verify_result: true } },
  wrong: { when: { verify_result: false } },
  unreadable: { when: { verify_result: null } },
};

function nextOf(
  { source, target: to, when, field: name, value }: Edge,
  { fields, isShort }: { readonly fields: readonly ProposedField[]; readonly isShort: boolean },
  report: Report,
): { readonly to: string; readonly when?: JsonObject } {
  if (when !== "value") return { to, ...CONDITIONS[when] };
  const place = `The edge from ${quoted(source)} to ${quoted(to)}`;
  const field = fields.find((one) => one.name === name);
  if (field === undefined || value === null) {
    report(`${place} needs the name of a field of ${quoted(source)} and a value.`);
    return { to };
  }
  const expected = typedValue(field, value, (problem) => report(`${place}: ${problem}`));
  return { to, when: { [`parsed.${isShort ? "answer" : field.name}`]: expected } };
}

const RIGHT: JsonObject = { verify_result: true };
const KINDS: Readonly<Record<Outcome["holdsIf"], JsonObject>> = {
  first_turn_right: { firstTurn: RIGHT },
  last_turn_right: { lastTurn: RIGHT },
  all_turns_right: { allTurns: RIGHT },
  any_turn_right: { anyTurn: RIGHT },
  any_turn_wrong: { anyTurn: { verify_result: false } },
  completed: { statusIs: "completed" },
};

function outcomeOf(outcome: Outcome): readonly [string, JsonObject] {
  const { name, description, holdsIf, nodes, appliesIf, good } = outcome;
  const form = KINDS[holdsIf];
  const takesNodes = "allTurns" in form || "anyTurn" in form;
  return [
    name,
    {
      ...(description === "" ? {} : { description: plainText(description) }),
      ...form,
      ...(takesNodes && nodes.length > 0 ? { node: nodes } : {}),
      ...(appliesIf === null || appliesIf === "" ? {} : { when: appliesIf }),
      ...(good === null ? {} : { good }),
    },
  ];
}

/** Names are keys of the file, each there once, and can be written in paths. */
function requireNames(names: readonly string[], owner: string, report: Report): void {
  for (const [index, name] of names.entries()) {
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) || isReservedKey(name))
      report(`${quoted(name)} cannot be the name of ${owner}: use letters, digits and underscores.`);
    if (names.indexOf(name) !== index) report(`${quoted(name)} is the name of ${owner} twice.`);
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
