import { RATE_SHAPE, type RateDeclaration } from "../../../core/outcomes/rate.ts";
import { formatIssue } from "../../../core/schema/format-issue.ts";
import type { Issue } from "../../../core/schema/issue.ts";
import { list, number, type ObjectShape, object, text } from "../../../core/schema/shape.ts";
import { validateShape } from "../../../core/schema/validate-shape.ts";
import { isRecord } from "../../../core/values/json.ts";
import { itemKey } from "../../../engine/journal/cell.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { OutcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { ConversationScore, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import type { Side } from "./compare-sides.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

/** The codes of values of outcomes; numbers are written as they are. */
const CODES: ReadonlyMap<unknown, OutcomeScore> = new Map<string, OutcomeScore>([
  ["t", true],
  ["f", false],
  ["?", "inconclusive"],
  ["!", "error"],
  ["-", "not_applicable"],
]);
const codeOf = new Map([...CODES].map(([code, value]) => [value, String(code)]));

/**
 * A run as a small file to compare later runs with: the outcomes of each conversation, without its messages. One line for each, so
 * that the difference of two baselines is readable.
 */
export function* baselineLines(store: Store, run: string): Generator<string> {
  const { run: name, start } = storedRun(store, run);
  const facts = runFacts(store, [name]);
  const scenarios = Object.entries(start.scenarios);
  const header = {
    ...{ elenchus: "baseline", version: 1, run: name, scenarios },
    ...{ subjects: start.subjects, judges: start.judges, outcomes: facts.outcomes },
    rates: Object.fromEntries(facts.rates),
  };
  yield `${JSON.stringify(header)}\n`;
  const places = new Map(scenarios.map(([scenario], i) => [scenario, i]));
  for (const score of store.scores(name)) {
    const { scenario, subject, judge, replicate, row, rowIndex, variant, arm, itemHash, outcomes } = score;
    const line = [
      places.get(scenario) ?? -1,
      start.subjects.indexOf(subject),
      start.judges.indexOf(judge),
      replicate,
      row ?? rowIndex,
      variant,
      arm,
      facts.outcomes.map((outcome) => written(outcomes.get(outcome))),
      itemHash,
    ];
    yield `${JSON.stringify(line)}\n`;
  }
}

function written(value: OutcomeScore | undefined): string | number | null {
  if (value === undefined) return null;
  return typeof value === "number" ? value : (codeOf.get(value) ?? null);
}

/** True if a text begins like a baseline file. */
export function isBaseline(text: string): boolean {
  return /^\s*\{\s*"elenchus"\s*:\s*"baseline"/.test(text);
}

/** Reads a baseline file; throws `RunError` with the line that is wrong. */
export function readBaseline(
  text: string,
  file: string,
): { readonly side: Side; readonly subjects: readonly string[] } {
  const [first = "", ...rest] = text.split("\n");
  const header = headerOf(first, `${file}:1`);
  const scores = rest.flatMap((line, i) =>
    line.trim() === "" ? [] : [scoreOf(line, header, `${file}:${i + 2}`)],
  );
  const facts: RunFacts = {
    outcomes: header.outcomes,
    rates: new Map(Object.entries(header.rates)),
    scenarios: new Map(),
  };
  const side = {
    label: `${header.run} (${file})`,
    scores: () => scores,
    facts,
    judges: header.judges.length,
  };
  return { side, subjects: header.subjects };
}

const texts = list(text);
const HEADER: ObjectShape = object("a baseline", {
  elenchus: text,
  version: number,
  run: text,
  scenarios: list(texts),
  subjects: texts,
  judges: texts,
  outcomes: texts,
  rates: { kind: "record", values: RATE_SHAPE },
});

/** The first line of a baseline file. */
interface BaselineHeader {
  readonly run: string;
  readonly scenarios: readonly (readonly [name: string, hash: string])[];
  readonly subjects: readonly string[];
  readonly judges: readonly string[];
  readonly outcomes: readonly string[];
  readonly rates: Readonly<Record<string, RateDeclaration>>;
}

/** What is wrong with a line, and what to do about it. */
function wrong(place: string, problem: string): RunError {
  return new RunError([`${place}: ${problem} Write the baseline again with: elenchus export --baseline`]);
}

function headerOf(line: string, place: string): BaselineHeader {
  const data = parsed(line, place);
  if (!isRecord(data) || data.elenchus !== "baseline" || data.version !== 1)
    throw wrong(place, "This is no baseline of version 1.");
  const issues: Issue[] = [];
  validateShape(HEADER, data, [], (issue) => issues.push(issue));
  const [first] = issues;
  if (first !== undefined) throw wrong(place, formatIssue(first));
  // The shape has just been checked.
  const header = data as unknown as BaselineHeader;
  if (header.scenarios.some((pair) => pair.length !== 2))
    throw wrong(place, "A scenario has a name and a hash.");
  return header;
}

function scoreOf(line: string, header: BaselineHeader, place: string): ConversationScore {
  const data = parsed(line, place);
  const found = Array.isArray(data) && data.length === 9 ? scoreIn(data, header, place) : undefined;
  if (found === undefined) throw wrong(place, "This is no conversation of this baseline.");
  return found;
}

/** The conversation of a line; undefined if something in it is not of its kind, or not in the header. */
function scoreIn(
  data: readonly unknown[],
  header: BaselineHeader,
  place: string,
): ConversationScore | undefined {
  const [scenarioAt, subjectAt, judgeAt, replicate, row, variant, arm, values, itemHash] = data;
  const named = <Item>(list: readonly Item[], at: unknown): Item | undefined =>
    typeof at === "number" ? list[at] : undefined;
  const [scenario, scenarioHash] = named(header.scenarios, scenarioAt) ?? [];
  const [subject, judge] = [named(header.subjects, subjectAt), named(header.judges, judgeAt)];
  if (scenario === undefined || scenarioHash === undefined || subject === undefined || judge === undefined)
    return undefined;
  const isVariant =
    variant === null ||
    (isRecord(variant) && Object.values(variant).every((level) => typeof level === "string"));
  if (!isVariant || !Number.isSafeInteger(replicate) || (replicate as number) < 1) return undefined;
  if (!Array.isArray(values) || values.length !== header.outcomes.length) return undefined;
  const outcomes = new Map<string, OutcomeScore>();
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const known = typeof value === "number" ? value : CODES.get(value);
    if (known === undefined) return undefined;
    outcomes.set(header.outcomes[i] as string, known);
  }
  const rowId = typeof row === "string" ? row : null;
  const rowIndex = typeof row === "number" ? row : null;
  return {
    ...{ conversation: place, index: 0, scenario, scenarioHash, subject, judge },
    // Both have just been checked.
    replicate: replicate as number,
    variant: variant as ConversationScore["variant"],
    ...{ row: rowId, rowIndex, rowName: null, parent: null, status: "completed", outcomes, turns: [] },
    arm: typeof arm === "string" ? arm : null,
    item: itemKey({ scenario, row: rowId, rowIndex }),
    itemHash: typeof itemHash === "string" ? itemHash : null,
  };
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw wrong(place, "This is not JSON.");
  }
}
