import { METRIC_NAMES, scoreRange, type Trait } from "../../../core/templates/rubric.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import type { ValueType } from "./comparison.ts";
import { type Note, NotTranslatable, patternHere, present, writePattern } from "./primitives.ts";

/** A trait as a file has it, and the type of its value; null if conditions cannot look at it upstream. */
export interface TranslatedTrait {
  readonly trait: JsonObject & { readonly name: string };
  readonly type: ValueType | null;
}

/** A trait in karenina's own names, with the list that it stands in. */
export interface UpstreamTrait {
  readonly kind: "llm" | "regex" | "callable" | "metric" | "agentic" | "unknown";
  readonly data: JsonObject;
}

/** The traits of a node's rubric (`questionData.question_rubric`). */
export function nodeTraits(rubric: JsonValue | undefined): readonly UpstreamTrait[] | null {
  if (!isRecord(rubric)) return null;
  return (["llm", "regex", "callable", "metric", "agentic"] as const).flatMap((kind) => {
    const traits = rubric[`${kind}_traits`];
    return Array.isArray(traits)
      ? traits.filter(isRecord).map((data) => ({ kind, data: data as JsonObject }))
      : [];
  });
}

const RATINGS: Readonly<Record<string, UpstreamTrait["kind"]>> = {
  GlobalRubricTrait: "llm",
  GlobalLLMRubricTrait: "llm",
  GlobalRegexTrait: "regex",
  GlobalMetricRubricTrait: "metric",
  GlobalCallableTrait: "callable",
  GlobalAgenticRubricTrait: "agentic",
  GlobalDynamicRubricTrait: "agentic",
};

/** The traits of the global rubric, which stand as ratings at the top of a checkpoint. */
export function globalTraits(ratings: JsonValue | undefined): readonly UpstreamTrait[] {
  if (!Array.isArray(ratings)) return [];
  return ratings.filter(isRecord).map((rating) => {
    const type = String(rating.additionalType ?? "").replace(/^karenina:/, "");
    const kind = Object.hasOwn(RATINGS, type) ? (RATINGS[type] as UpstreamTrait["kind"]) : "unknown";
    const properties = Array.isArray(rating.additionalProperty)
      ? rating.additionalProperty.filter(isRecord)
      : [];
    const given = Object.fromEntries(
      properties.map(({ name, value }) => [String(name), fromText(value as JsonValue | undefined)]),
    );
    const data = {
      name: rating.name,
      description: rating.description ?? null,
      min_score: rating.worstRating ?? null,
      max_score: rating.bestRating ?? null,
      ...given,
    } as JsonObject;
    if (kind !== "llm" || typeof data.kind === "string" || isRecord(data.kind)) return { kind, data };
    const isBoolean = rating.bestRating === 1 && rating.worstRating === 0;
    return { kind, data: { ...data, kind: isBoolean ? "boolean" : "score" } };
  });
}

/** Lists and objects may stand in a property as JSON. */
function fromText(value: JsonValue | undefined): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value ?? null;
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return value;
  }
}

/** Translates a trait, or throws `NotTranslatable`. */
export function translateTrait({ kind, data }: UpstreamTrait, note: Note): TranslatedTrait {
  const name = typeof data.name === "string" ? data.name : "";
  const common = {
    name,
    ...present({
      description: data.description || undefined,
      higherIsBetter: data.higher_is_better === false ? false : undefined,
    }),
  };
  switch (kind) {
    case "llm":
      return llmTrait(common, data);
    case "regex":
      return { trait: { type: "regex", ...common, ...patternOf(data, note) }, type: { type: "boolean" } };
    case "metric":
      return { trait: { type: "metric", ...common, ...metricsOf(data, note) }, type: null };
    case "callable":
      throw new NotTranslatable(`the trait ${name} is a pickled Python function, which is never opened`);
    case "unknown":
      throw new NotTranslatable(`the rating ${name} has a type that is not known`);
    case "agentic":
      throw new NotTranslatable(`the trait ${name} is judged by an agent, which has no counterpart`);
  }
}

function llmTrait(common: JsonObject & { readonly name: string }, data: JsonObject): TranslatedTrait {
  const reference = data.include_ground_truth === true ? { includeReference: true } : {};
  const base = { type: "llm", ...common, kind: data.kind ?? null };
  switch (data.kind) {
    case "boolean":
      return { trait: { ...base, ...reference }, type: { type: "boolean" } };
    case "score": {
      const bound = (score: JsonValue | undefined, byDefault: number): JsonValue | undefined =>
        typeof score === "number" && score !== byDefault ? score : undefined;
      const range = present({ min: bound(data.min_score, 1), max: bound(data.max_score, 5) });
      return { trait: { ...base, ...range, ...reference }, type: { type: "integer" } };
    }
    case "literal": {
      if (!isRecord(data.classes)) throw new NotTranslatable(`the trait ${common.name} has no classes`);
      const names = Object.keys(data.classes);
      if (names.some((name) => /^\d+$/.test(name)))
        throw new NotTranslatable(`the classes of ${common.name} are numbers, whose order is lost here`);
      return {
        trait: { ...base, classes: data.classes as JsonObject, ...reference },
        type: { type: "class", names },
      };
    }
    default:
      throw new NotTranslatable(`the trait ${common.name} has a schema of its own, which has no counterpart`);
  }
}

function patternOf({ pattern, case_sensitive, invert_result, name }: JsonObject, note: Note): JsonObject {
  const flags = case_sensitive === false ? ["IGNORECASE"] : [];
  const own = patternHere(pattern, { flags, seesHeader: true }, (message) =>
    note(`trait ${String(name)}: ${message}`),
  );
  return { ...own, ...(invert_result === true ? { invert: true } : {}) };
}

function metricsOf(data: JsonObject, note: Note): JsonObject {
  const texts = (value: JsonValue | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
  const expected = texts(data.tp_instructions);
  const unexpected = data.evaluation_mode === "full_matrix" ? texts(data.tn_instructions) : [];
  const asked = texts(data.metrics);
  const metrics = asked.filter(
    (metric) =>
      (METRIC_NAMES as readonly string[]).includes(metric) &&
      (unexpected.length > 0 || (metric !== "precision" && metric !== "specificity")),
  );
  const lost = asked.filter((metric) => !metrics.includes(metric));
  if (lost.length > 0)
    note(
      `trait ${String(data.name)}: ${lost.join(", ")} would count text that no instruction lists, and the judge is not asked for it here`,
    );
  if (unexpected.length === 0 && metrics.includes("f1"))
    note(`trait ${String(data.name)}: upstream, f1 counts text that no instruction lists; here it does not`);
  return {
    expected,
    ...(unexpected.length > 0 ? { unexpected } : {}),
    metrics: metrics.length > 0 ? metrics : ["recall"],
  };
}

/** The traits of a node as karenina's rubric of a question. Throws `NotTranslatable`. */
export function writeTraits(traits: readonly Trait[], note: Note): JsonObject {
  const lists: Record<"llm" | "regex" | "metric", JsonObject[]> = { llm: [], regex: [], metric: [] };
  for (const trait of traits) {
    if (trait.type === "function")
      throw new NotTranslatable(`the trait ${trait.name} is JavaScript, which karenina cannot run`);
    const { name, description = null, higherIsBetter = true } = trait;
    lists[trait.type].push({
      name,
      description,
      higher_is_better: higherIsBetter,
      ...writeTrait(trait, note),
    });
  }
  const { llm, regex, metric } = lists;
  return {
    llm_traits: llm,
    regex_traits: regex,
    callable_traits: [],
    metric_traits: metric,
    agentic_traits: [],
  };
}

function writeTrait(trait: Exclude<Trait, { type: "function" }>, note: Note): JsonObject {
  switch (trait.type) {
    case "llm": {
      const common = { kind: trait.kind, include_ground_truth: trait.includeReference === true };
      if (trait.kind === "boolean") return common;
      if (trait.kind === "score") {
        const { min, max } = scoreRange(trait);
        return { ...common, min_score: min, max_score: max };
      }
      const max = Object.keys(trait.classes).length - 1;
      return { ...common, classes: { ...trait.classes }, min_score: 0, max_score: max };
    }
    case "regex": {
      if (trait.flags !== undefined && trait.flags !== "i")
        throw new NotTranslatable(`the trait ${trait.name} has flags that upstream does not`);
      const { pattern } = writePattern(trait.pattern, trait.flags, true);
      return { pattern, case_sensitive: trait.flags !== "i", invert_result: trait.invert === true };
    }
    case "metric":
      if (trait.unexpected === undefined)
        note(`the trait ${trait.name}: upstream's precision and F1 count text that no instruction lists`);
      return {
        evaluation_mode: trait.unexpected === undefined ? "tp_only" : "full_matrix",
        metrics: [...(trait.metrics ?? ["f1"])],
        tp_instructions: [...trait.expected],
        tn_instructions: [...(trait.unexpected ?? [])],
        repeated_extraction: true,
      };
  }
}
