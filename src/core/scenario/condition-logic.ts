import type { Check } from "../checks/check.ts";
import { compileComparison } from "../checks/shorthand.ts";
import { hasTexts } from "../liquid/fill-texts.ts";
import { evaluateComposition, leavesOf } from "../logic/composition.ts";
import type { Truth } from "../logic/kleene.ts";
import type { Condition, ConditionLeaf, ExplicitStateCheck } from "../state/condition.ts";
import { parseStatePath } from "../state/state-path.ts";
import { fieldNamed, type TemplateField, type TemplateFields } from "../templates/template.ts";
import { numberValue } from "../text/text-value.ts";
import { canonicalJson, type JsonValue } from "../values/json.ts";

/** What must hold after a turn, and what must not. */
export interface Demands {
  readonly all: readonly Condition[];
  readonly none?: readonly Condition[];
  /** The verdict of the turn, where it is known. */
  readonly verdict?: Truth;
  /** True for a reply of which nothing but the verdict is known: its fields are null. */
  readonly isBare?: boolean;
}

/** Where conditions are tested. */
export interface TestPlace {
  /** The node whose turn was just finished. */
  readonly source: string;
  /** The fields of a node; nothing if there is no such node or template. */
  readonly fields: (node: string) => TemplateFields | null | undefined;
}

/** With more combinations, the result is `true` without a search. */
const MOST_COMBINATIONS = 20_000;

/**
 * False if no state can make some conditions hold and others not. Every path is tried with a few values that represent all
 * that the conditions distinguish; dependencies between paths, and code, are ignored. So `false` is certain, and `true` means
 * that no contradiction was found.
 */
export function canHold({ all, none = [], verdict, isBare = false }: Demands, place: TestPlace): boolean {
  const variables = new Map<string, Variable>();
  const tables = new Map<ConditionLeaf, LeafTable>();
  const conditions = [...all, ...none];
  for (const leaf of conditions.flatMap((condition) => leavesOf(condition))) {
    const key = variableOf(leaf, place);
    const known = variables.get(key) ?? { leaves: [] };
    known.leaves.push(leaf);
    variables.set(key, known);
  }
  let combinations = 1;
  const domains = [...variables].map(([key, { leaves }], position) => {
    const isFixed = key === VERDICT && verdict !== undefined;
    const isField = isBare && key.startsWith("parsed.");
    const values = isFixed ? [verdict] : isField ? [null] : valuesOf(key, leaves, place);
    for (const leaf of leaves)
      tables.set(leaf, { position, answers: values.map((value) => answerOf(leaf, value)) });
    combinations *= values.length;
    return values.length;
  });
  if (combinations > MOST_COMBINATIONS) return true;
  const chosen = domains.map(() => 0);
  const truth = (condition: Condition): Truth =>
    evaluateComposition(condition, (leaf) => {
      const table = tables.get(leaf) as LeafTable;
      return table.answers[chosen[table.position] as number] as Truth;
    });
  do {
    if (all.every((part) => truth(part) === true) && none.every((part) => truth(part) !== true)) return true;
  } while (nextCombination(chosen, domains));
  return false;
}

/** True if a condition looks at the verdict of the turn that was just finished. */
export function readsVerdict(condition: Condition, place: TestPlace): boolean {
  return leavesOf(condition).some((leaf) => variableOf(leaf, place) === VERDICT);
}

/** True if a condition says something about turns without a verdict. */
export function namesUnreadable(condition: Condition, place: TestPlace): boolean {
  return leavesOf(condition).some(
    (leaf) => variableOf(leaf, place) === VERDICT && answerOf(leaf, null) === true,
  );
}

interface Variable {
  readonly leaves: ConditionLeaf[];
}

/** What a leaf answers for each value of its variable. */
interface LeafTable {
  readonly position: number;
  readonly answers: readonly Truth[];
}

function nextCombination(chosen: number[], domains: readonly number[]): boolean {
  for (let position = 0; position < chosen.length; position++) {
    const next = (chosen[position] as number) + 1;
    chosen[position] = next < (domains[position] as number) ? next : 0;
    if (chosen[position] !== 0) return true;
  }
  return false;
}

const VERDICT = "verify_result";

/** Comparisons for which a few values can represent all. */
const COMPARED: ReadonlySet<Check["type"]> = new Set([
  "boolean_match",
  "exact_match",
  "literal_match",
  "numeric_exact",
  "numeric_minimum",
  "numeric_maximum",
  "one_of",
  "is_null",
]);

/** What the values of a path always are, where that is why no comparison with others holds; null if they may be anything. */
export function alwaysAt(path: string, place: TestPlace): string | null {
  const parsed = parseStatePath(path);
  if ("problem" in parsed) return null;
  if (parsed.root === "current_node") return JSON.stringify(place.source);
  if (parsed.root === "turn") return "a whole number from 1 on";
  if (parsed.root === "node_visits") return `a whole number from ${parsed.node === place.source ? 1 : 0} on`;
  const { field, isWhole } = fieldAt(path, place);
  if (field === undefined) return null;
  if (!isWhole)
    return field.type === "array" ? null : `null, because a value of type ${field.type} has no parts`;
  if (field.type === "enum") return `one of ${field.values.map((value) => JSON.stringify(value)).join(", ")}`;
  return `of type ${field.type}`;
}

/** The name of what decides a leaf: the path of a comparison, or the leaf itself where it may answer anything. */
function variableOf(leaf: ConditionLeaf, place: TestPlace): string {
  if (leaf.type === "function")
    return `code ${typeof leaf.code === "string" ? leaf.code : leaf.code.toString()}`;
  const { verifyWith } = leaf;
  const isPlain =
    // All values of an enum are tried.
    ((COMPARED.has(verifyWith.type) && !("normalize" in verifyWith)) ||
      fieldAt(leaf.field, place).field?.type === "enum") &&
    !hasTexts(leaf) &&
    isOneValue(leaf, place);
  return isPlain ? pathKey(leaf.field, place) : `leaf ${canonicalJson(leaf as unknown as JsonValue)}`;
}

/** False for lists and objects: a few values cannot represent them. */
function isOneValue({ field, expected = null }: ExplicitStateCheck, place: TestPlace): boolean {
  if (typeof expected === "object" && expected !== null) return false;
  const parsed = parseStatePath(field);
  if ("problem" in parsed || parsed.root === "user") return false;
  if (fieldAt(field, place).field?.type === "array") return false;
  if (parsed.root === "node_results") return parsed.part !== null;
  return parsed.root !== "node_visits" || parsed.node !== null;
}

/** One name for what is one value: the last result of the node itself is the turn's. */
function pathKey(path: string, { source }: TestPlace): string {
  const own = `node_results.${source}.`;
  return path.startsWith(own) && !path.startsWith(`${own}rubric`) ? path.slice(own.length) : path;
}

function answerOf(leaf: ConditionLeaf, value: unknown): Truth {
  // A variable that is the leaf itself has the answer as its value.
  if (value instanceof Answer) return value.truth;
  const { verifyWith, expected = null } = leaf as ExplicitStateCheck;
  const { passes, evaluable } = compileComparison(verifyWith)(value, expected);
  return passes ? true : evaluable ? false : null;
}

class Answer {
  readonly truth: Truth;
  constructor(truth: Truth) {
    this.truth = truth;
  }
}

const ANSWERS: readonly Answer[] = [new Answer(true), new Answer(false), new Answer(null)];

/** Values that represent all that a path can have, as far as the leaves distinguish them. */
function valuesOf(key: string, leaves: readonly ConditionLeaf[], place: TestPlace): readonly unknown[] {
  const checks = leaves.filter((leaf) => leaf.type === "state_check");
  const [first] = checks;
  if (first === undefined || !(key === first.field || key === pathKey(first.field, place))) return ANSWERS;
  const compared = checks.flatMap(comparedValues);
  const parsed = parseStatePath(key);
  const root = "root" in parsed ? parsed.root : "accumulated";
  const part = "part" in parsed ? parsed.part : null;
  if (root === "current_node") return [place.source];
  if (root === "turn") return countsFrom(1, compared);
  if (root === "node_visits")
    return countsFrom("node" in parsed && parsed.node === place.source ? 1 : 0, compared);
  if (root === VERDICT || root === "refused" || part === VERDICT || part === "refused")
    return [true, false, null];
  const { field, isWhole } = fieldAt(key, place);
  if (field !== undefined && !isWhole && field.type !== "array") return [null];
  switch (field?.type) {
    case "boolean":
      return [true, false, null];
    case "enum":
      return [...field.values, null];
    case "integer":
      return [...wholeNumbers(compared), null];
    case "number":
      return [...numbersAround(compared), null];
    case "string":
    case "date":
      return [...new Set([...compared, ...numbersAround(compared)].map(String)), OTHER_TEXT, null];
    default:
      return [...new Set([...compared, ...numbersAround(compared), true, false, OTHER_TEXT, null])];
  }
}

/** A text that no author compares with. */
const OTHER_TEXT = "\u0000 another text";

function comparedValues({ verifyWith, expected = null }: ExplicitStateCheck): readonly unknown[] {
  return verifyWith.type === "one_of" ? verifyWith.values : [expected];
}

function numbersIn(values: readonly unknown[]): readonly number[] {
  const numbers = values.flatMap((value) => numberValue(value) ?? []);
  return [...new Set(numbers)].sort((one, other) => one - other);
}

function wholeNumbers(values: readonly unknown[]): readonly number[] {
  const near = numbersIn(values).flatMap((number) => [
    Math.floor(number) - 1,
    Math.floor(number),
    Math.ceil(number),
    Math.ceil(number) + 1,
  ]);
  return near.length === 0 ? [0] : [...new Set(near)];
}

function countsFrom(least: number, values: readonly unknown[]): readonly number[] {
  return [...new Set([least, ...wholeNumbers(values).filter((number) => number >= least)])];
}

/** The numbers, one between each two, and one on either side. */
function numbersAround(values: readonly unknown[]): readonly number[] {
  const numbers = numbersIn(values);
  const [least] = numbers;
  const most = numbers.at(-1);
  if (least === undefined || most === undefined) return [0];
  const between = numbers.slice(1).map((number, index) => (number + (numbers[index] as number)) / 2);
  return [least - 1, ...numbers, ...between, most + 1];
}

/** The field that a path reads, and whether it reads the whole value. */
function fieldAt(
  path: string,
  { fields: fieldsOf, source }: TestPlace,
): { readonly field?: TemplateField | undefined; readonly isWhole: boolean } {
  const parsed = parseStatePath(path);
  const isNone = "problem" in parsed || !("keys" in parsed) || parsed.root === "accumulated";
  if (isNone || (parsed.root === "node_results" && parsed.part !== "parsed")) return { isWhole: false };
  const fields = fieldsOf(parsed.root === "node_results" ? (parsed.node ?? "") : source) ?? {};
  const name = fieldNamed(fields, parsed.keys);
  return { field: name === undefined ? undefined : fields[name], isWhole: name === parsed.keys.join(".") };
}
