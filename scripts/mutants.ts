// Plants random mistakes into the bundled packs: how many are found before the first call? npm run mutants [how many] [seed]
import { fileURLToPath } from "node:url";
import { loadScenarios } from "../src/apps/project/scenario-files/load-scenarios.ts";
import { parseScenario, scenarioToJson } from "../src/apps/public/index.ts";
import { Rng } from "../src/core/rng.ts";
import type { ScenarioDefinition } from "../src/core/scenario/definition.ts";
import { DefinitionError } from "../src/core/schema/format-issue.ts";
import { canonicalJson, isRecord, type JsonObject, type JsonValue } from "../src/core/values/json.ts";
import { openRows } from "../src/engine/run/open-rows.ts";
import { lintScenario } from "../src/insight/analysis/lint/lint-scenario.ts";
import { expectedTables, pathTable } from "../test/packs/path-table.ts";

/** What finds a mutant, in this order. */
type FoundBy = "validation" | "lint" | "rehearsal";

/** What is changed. */
const KINDS = ["edge", "condition", "truth", "outcome"] as const;
type Kind = (typeof KINDS)[number];

const SCOPES = ["first_turn", "last_turn", "any_turn", "all_turns"];

const count = Number(process.argv[2] ?? 200);
const seed = process.argv[3] ?? "1";
const folder = fileURLToPath(new URL("..", import.meta.url));
const { scenarios } = await loadScenarios(["packs"], { folder, stdin: async () => "" });
const expected = new Map(
  expectedTables().flatMap(({ scenarios: names, paths }) => names.map((name) => [name, paths.join("\n")])),
);
/** The rows of scenarios: a mutant is no file, next to which they could be found. */
const rows = new Map<string, readonly JsonObject[]>();
for (const { definition } of scenarios) {
  const own: JsonObject[] = [];
  for await (const { values } of (await openRows(definition, {})) ?? []) own.push(values);
  rows.set(definition.name, own);
}
const rng = new Rng(`mutants ${seed}`);
const results: { readonly kind: Kind; readonly found: FoundBy | null; readonly codes: readonly string[] }[] =
  [];
const survivors: string[] = [];
while (results.length < count) {
  const { definition } = pick(scenarios);
  const kind = KINDS[results.length % KINDS.length] as Kind;
  const mutant = mutate(definition, kind);
  if (mutant === null) continue;
  const { found, codes } = await findMistake(mutant.data, definition.name);
  results.push({ kind, found, codes });
  if (found === null) survivors.push(`${definition.name}, ${kind}: ${mutant.change}`);
}

const share = (part: number, whole: number): string => `${part} (${((100 * part) / whole).toFixed(1)} %)`;
console.log(`${count} mutants of ${scenarios.length} scenarios, seed ${seed}\n`);
console.log("kind        mutants  validation  lint  rehearsal  survived");
for (const kind of [...KINDS, "all"] as const) {
  const some = results.filter((result) => kind === "all" || result.kind === kind);
  const by = (found: FoundBy | null): string =>
    String(some.filter((result) => result.found === found).length);
  console.log(
    `${kind.padEnd(10)}  ${String(some.length).padStart(7)}  ${by("validation").padStart(10)}  ${by("lint").padStart(4)}  ${by("rehearsal").padStart(9)}  ${by(null).padStart(8)}`,
  );
}
const isFound = results.filter(({ found }) => found !== null).length;
const early = results.filter(({ found }) => found === "validation" || found === "lint").length;
console.log(`\nfound in all: ${share(isFound, count)}; without the committed paths: ${share(early, count)}`);
const codes = new Map<string, number>();
for (const code of results.flatMap((result) => result.codes)) codes.set(code, (codes.get(code) ?? 0) + 1);
const ranked = [...codes].sort((one, other) => other[1] - one[1]);
console.log(`codes: ${ranked.map(([code, times]) => `${code} ${times}`).join(", ")}`);
// Their tables of all paths are the same: where only edges, conditions or outcomes were changed, no conversation would differ.
if (survivors.length > 0) console.log(`\nnot found:\n${survivors.map((text) => `  ${text}`).join("\n")}`);

async function findMistake(
  data: JsonObject,
  name: string,
): Promise<{ readonly found: FoundBy | null; readonly codes: readonly string[] }> {
  let definition: ScenarioDefinition;
  try {
    definition = parseScenario(data);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { found: "validation", codes: [...new Set(error.issues.map(({ code }) => code))] };
  }
  if (definition.warnings.length > 0)
    return { found: "validation", codes: [...new Set(definition.warnings.map(({ code }) => code))] };
  const own = rows.get(name) ?? [];
  const findings = await lintScenario(definition, { rows: own, rowCount: own.length });
  if (findings.length > 0) return { found: "lint", codes: [...new Set(findings.map(({ code }) => code))] };
  const differs = (await pathTable(definition)).join("\n") !== expected.get(name);
  return { found: differs ? "rehearsal" : null, codes: [] };
}

function pick<Item>(items: readonly Item[]): Item {
  return items[rng.below(items.length)] as Item;
}

interface Mutant {
  readonly data: JsonObject;
  readonly change: string;
}

/** A copy of a scenario with one change; null if the one that was drawn is none. */
function mutate(definition: ScenarioDefinition, kind: Kind): Mutant | null {
  const original = {
    ...scenarioToJson(definition),
    dataset: { rows: rows.get(definition.name) ?? [], id: "id" },
  };
  const data = structuredClone(original) as Record<string, JsonValue>;
  const change = { edge: mutateEdge, condition: mutateCondition, truth: mutateTruth, outcome: mutateOutcome }[
    kind
  ](data);
  return change === null || canonicalJson(data) === canonicalJson(original) ? null : { data, change };
}

type Data = Record<string, JsonValue>;

function edgesOf(data: Data): Data[] {
  return data.edges as Data[];
}

function shown(edge: Data): string {
  return `${edge.source} → ${edge.target}${edge.when === undefined ? "" : ` when ${JSON.stringify(edge.when)}`}`;
}

function mutateEdge(data: Data): string | null {
  const edges = edgesOf(data);
  const edge = pick(edges);
  const before = shown(edge);
  switch (pick(["retarget", "retarget", "drop", "swap", "source"])) {
    case "drop":
      edges.splice(edges.indexOf(edge), 1);
      return `without ${before}`;
    case "swap": {
      // Where a fallback stands does not matter.
      const same = edges.filter(({ source, when }) => source === edge.source && when !== undefined);
      if (same.length < 2) return null;
      const [one, other] = [same[0] as Data, same[1] as Data];
      [edges[edges.indexOf(one)], edges[edges.indexOf(other)]] = [other, one];
      return `the order of ${shown(one)} and ${shown(other)}`;
    }
    case "source":
      edge.source = pick(Object.keys(data.nodes as Data));
      return `${before} now from ${edge.source}`;
    default:
      edge.target = pick([...Object.keys(data.nodes as Data), "END"]);
      return `${before} now to ${edge.target}`;
  }
}

function mutateCondition(data: Data): string | null {
  const conditional = edgesOf(data).filter(({ when }) => isRecord(when));
  if (conditional.length === 0) return null;
  const edge = pick(conditional);
  const before = shown(edge);
  const [path, value] = Object.entries(edge.when as Data)[0] as [string, JsonValue];
  switch (pick(["value", "value", "drop", "path"])) {
    case "drop":
      delete edge.when;
      break;
    case "path":
      edge.when = {
        [path === "verify_result"
          ? `node_results.${pick(Object.keys(data.nodes as Data).filter((id) => id !== edge.source))}.verify_result`
          : "turn"]: value,
      };
      break;
    default:
      edge.when = { [path]: otherValue(value) };
  }
  return `${before} now ${shown(edge)}`;
}

/** Another value of the same kind; of a comparison, another number or another operator. */
function otherValue(value: JsonValue): JsonValue {
  if (typeof value === "boolean") return pick([!value, null]);
  if (typeof value === "number") return value + pick([-1, 1, 10]);
  if (typeof value === "string") return `${value}x`;
  if (!isRecord(value)) return true;
  const [[operator, operand] = ["lt", 1]] = Object.entries(value);
  if (rng.happens(0.5)) return { [operator]: otherValue(operand as JsonValue) };
  return { [pick(["lt", "lte", "gt", "gte"].filter((name) => name !== operator))]: operand as JsonValue };
}

function mutateTruth(data: Data): string | null {
  const id = pick(Object.keys(data.nodes as Data));
  const { template } = ((data.nodes as Data)[id] as Data).question as Data;
  const fields = isRecord(template) ? (template.fields as Data) : {};
  if (Object.keys(fields).length === 0) return null;
  const name = pick(Object.keys(fields));
  const field = fields[name] as Data;
  const before = field.truth as JsonValue;
  field.truth = otherTruth(field);
  return `${id}.${name}: ${JSON.stringify(before)} now ${JSON.stringify(field.truth)}`;
}

function otherTruth({ truth, values, extract }: Data): JsonValue {
  const listed = Array.isArray(values)
    ? values
    : isRecord(extract) && isRecord(extract.values)
      ? Object.keys(extract.values)
      : [];
  const others = (listed as readonly JsonValue[]).filter((value) => value !== truth);
  if (others.length > 0) return pick(others);
  // The wrong column.
  if (typeof truth === "string" && truth.includes("row.answer"))
    return truth.replace("row.answer", "row.wrong | compact");
  const isNumber = typeof truth === "string" && truth.trim() !== "" && Number.isFinite(Number(truth));
  return isNumber ? String(Number(truth) + pick([-1, 1, 10])) : otherValue(truth as JsonValue);
}

function mutateOutcome(data: Data): string | null {
  const outcomes = data.outcomes as Data[];
  const outcome = pick(outcomes);
  const before = JSON.stringify(outcome.check);
  if (rng.happens(0.15) && outcome.when !== undefined) {
    const when = outcome.when;
    delete outcome.when;
    return `${outcome.name}: without when ${JSON.stringify(when)}`;
  }
  const parts = partsOf(outcome.check as Data, (check) => {
    outcome.check = check;
  });
  const { part, replace } = pick(parts);
  changePart(part, replace, data);
  return `${outcome.name}: ${before} now ${JSON.stringify(outcome.check)}`;
}

interface Part {
  readonly part: Data;
  readonly replace: (other: Data) => void;
}

/** A check and everything that it is composed of. */
function partsOf(part: Data, replace: (other: Data) => void): readonly Part[] {
  const inner: Part[] = [{ part, replace }];
  if (part.type === "not")
    inner.push(...partsOf(part.condition as Data, (other) => Object.assign(part, { condition: other })));
  if (Array.isArray(part.conditions)) {
    const conditions = part.conditions as Data[];
    for (const [index, condition] of conditions.entries())
      inner.push(...partsOf(condition, (other) => conditions.splice(index, 1, other)));
  }
  return inner;
}

function changePart(part: Data, replace: (other: Data) => void, data: Data): void {
  switch (part.type) {
    case "not":
      return replace(part.condition as Data);
    case "all_of":
    case "any_of":
      if (rng.happens(0.5)) part.type = part.type === "all_of" ? "any_of" : "all_of";
      else (part.conditions as JsonValue[]).splice(rng.below((part.conditions as JsonValue[]).length), 1);
      return;
    case "turn_check": {
      const scope = part.scope as Data;
      if (rng.happens(0.4)) part.expected = otherValue(part.expected as JsonValue);
      else if (rng.happens(0.5) || scope.node === undefined) scope.type = pick(SCOPES);
      else changeNodes(scope, data);
      return;
    }
    case "result_check":
      part.expected = pick(["limit_reached", "error", "timeout"]);
      return;
    default:
      // A measure.
      if (typeof part.verifyResult === "boolean" && rng.happens(0.5)) part.verifyResult = !part.verifyResult;
      else if (part.node !== undefined && rng.happens(0.6)) changeNodes(part, data);
      else
        part.type = pick([
          "count_turns",
          "turn_of_flip",
          "number_of_flips",
          "first_match_index",
          "longest_run",
        ]);
  }
}

function changeNodes(part: Data, data: Data): void {
  const nodes = Array.isArray(part.node) ? [...part.node] : [part.node as JsonValue];
  nodes.splice(
    rng.below(nodes.length),
    1,
    ...(rng.happens(0.5) && nodes.length > 1 ? [] : [pick(Object.keys(data.nodes as Data))]),
  );
  part.node = nodes.length === 1 ? (nodes[0] as JsonValue) : nodes;
}
