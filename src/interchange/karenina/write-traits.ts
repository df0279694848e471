import { scoreRange, type Trait } from "../../core/templates/rubric.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { type Note, NotTranslatable } from "./primitives.ts";
import { pythonPattern } from "./regex-to-python.ts";

/** The traits of a node as karenina's rubric of a question. Throws `NotTranslatable`. */
export function writeTraits(traits: readonly Trait[], note: Note): JsonObject {
  const lists: Record<string, JsonObject[]> = {
    llm_traits: [],
    regex_traits: [],
    callable_traits: [],
    metric_traits: [],
    agentic_traits: [],
  };
  for (const trait of traits) {
    const { list, data } = writeTrait(trait, note);
    lists[list]?.push({
      name: trait.name,
      description: trait.description ?? null,
      higher_is_better: trait.higherIsBetter ?? true,
      ...data,
    });
  }
  return lists;
}

function writeTrait(trait: Trait, note: Note): { readonly list: string; readonly data: JsonObject } {
  switch (trait.type) {
    case "llm": {
      const common = { kind: trait.kind, include_ground_truth: trait.includeReference === true };
      if (trait.kind === "boolean") return { list: "llm_traits", data: common };
      if (trait.kind === "literal")
        return {
          list: "llm_traits",
          data: {
            ...common,
            classes: { ...trait.classes },
            min_score: 0,
            max_score: Object.keys(trait.classes).length - 1,
          },
        };
      const { min, max } = scoreRange(trait);
      return { list: "llm_traits", data: { ...common, min_score: min, max_score: max } };
    }
    case "regex": {
      if (trait.flags !== undefined && trait.flags !== "i")
        throw new NotTranslatable(`the trait ${trait.name} has flags that upstream does not`);
      const pattern = pythonPattern(trait.pattern, { flags: trait.flags ?? "", seesHeader: true });
      if (typeof pattern !== "string")
        throw new NotTranslatable(`the trait ${trait.name}: ${pattern.problem}`);
      return {
        list: "regex_traits",
        data: { pattern, case_sensitive: trait.flags !== "i", invert_result: trait.invert === true },
      };
    }
    case "metric":
      if (trait.unexpected === undefined)
        note(`the trait ${trait.name}: upstream's precision and F1 count text that no instruction lists`);
      return {
        list: "metric_traits",
        data: {
          evaluation_mode: trait.unexpected === undefined ? "tp_only" : "full_matrix",
          metrics: [...(trait.metrics ?? ["f1"])],
          tp_instructions: [...trait.expected],
          tn_instructions: [...(trait.unexpected ?? [])],
          repeated_extraction: true,
        },
      };
    case "function":
      throw new NotTranslatable(`the trait ${trait.name} is JavaScript, which karenina cannot run`);
  }
}
