import type { RateDeclaration } from "../../../core/outcomes/rate.ts";
import { RATE_SHAPE } from "../../../core/outcomes/rate.ts";
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

/** The first line of a baseline file. */
interface BaselineHeader {
  readonly elenchus: "baseline";
  readonly version: 1;
  readonly run: string;
  readonly scenarios: readonly (readonly [name: string, hash: string])[];
  readonly subjects: readonly string[];
  readonly judges: readonly string[];
  readonly outcomes: readonly string[];
  readonly rates: Readonly<Record<string, RateDeclaration>>;
}

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
  const header: BaselineHeader = {
    elenchus: "baseline",
    version: 1,
    run: name,
    scenarios,
    subjects: start.subjects,
    judges: start.judges,
    outcomes: facts.outcomes,
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
  const header = headerOf(first, file);
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

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isVariant(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((level) => typeof level === "string");
}

function headerOf(line: string, file: string): BaselineHeader {
  const data = parsed(line, `${file}:1`);
  if (!isRecord(data) || data.elenchus !== "baseline")
    throw new RunError([
      `${file}:1: This is no baseline. Write one with: elenchus export --baseline -o ${file}`,
    ]);
  if (data.version !== 1)
    throw new RunError([
      `${file}:1: This baseline has ${data.version === undefined ? "no version" : `version ${JSON.stringify(data.version).slice(0, 20)}`}; this release reads version 1.`,
    ]);
  const issues: Issue[] = [];
  validateShape(HEADER, data, [], (issue) => issues.push(issue));
  // A later release may have more keys. One that is misspelt is missing.
  const isWhole = HEADER.required.every((key) => Object.hasOwn(data, key));
  const first = isWhole ? issues.find(({ code }) => code !== "unknown_key") : issues[0];
  const isPaired = Array.isArray(data.scenarios) && data.scenarios.every((pair) => pair?.length === 2);
  if (first !== undefined || !isPaired)
    throw new RunError([
      `${file}:1: ${first === undefined ? "A scenario has a name and a hash." : formatIssue(first)} Write the baseline again with: elenchus export --baseline`,
    ]);
  // The shape has just been checked.
  return data as unknown as BaselineHeader;
}

function scoreOf(line: string, header: BaselineHeader, place: string): ConversationScore {
  const data = parsed(line, place);
  const broken = (what: string): never => {
    throw new RunError([`${place}: ${what} Write the baseline again with: elenchus export --baseline`]);
  };
  if (!Array.isArray(data) || data.length !== 9) return broken("A conversation has nine entries.");
  const [scenarioAt, subjectAt, judgeAt, replicate, row, variant, arm, values, itemHash] = data as unknown[];
  const named = <Item>(list: readonly Item[], at: unknown, what: string): Item =>
    (typeof at === "number" ? list[at] : undefined) ??
    broken(`It names a ${what} that is not in the first line.`);
  const [scenario, hash] = named(header.scenarios, scenarioAt, "scenario");
  if (!isCount(replicate)) return broken("A replicate is a whole number from 1.");
  if (variant !== null && !isVariant(variant)) return broken("A variant has a text for each factor.");
  if (!Array.isArray(values) || values.length !== header.outcomes.length)
    return broken(`It must have ${header.outcomes.length} outcomes.`);
  const outcomes = new Map<string, OutcomeScore>();
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const known = typeof value === "number" ? value : CODES.get(value);
    if (known === undefined)
      return broken(`The outcome ${header.outcomes[i]} has the unknown value ${JSON.stringify(value)}.`);
    outcomes.set(header.outcomes[i] as string, known);
  }
  const rowId = typeof row === "string" ? row : null;
  const rowIndex = typeof row === "number" ? row : null;
  return {
    conversation: place,
    index: 0,
    scenario,
    scenarioHash: hash,
    subject: named(header.subjects, subjectAt, "subject"),
    judge: named(header.judges, judgeAt, "judge"),
    replicate,
    row: rowId,
    rowIndex,
    variant,
    arm: typeof arm === "string" ? arm : null,
    parent: null,
    item: itemKey({ scenario, row: rowId, rowIndex }),
    itemHash: typeof itemHash === "string" ? itemHash : null,
    status: "completed",
    outcomes,
    turns: [],
  };
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new RunError([
      `${place}: This is not JSON. Write the baseline again with: elenchus export --baseline`,
    ]);
  }
}
