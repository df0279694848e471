import { collapseWhiteSpace, strip } from "../text/text-value.ts";
import { isRecord, ownValue, typeName } from "../values/json.ts";
import type { Normalizer } from "./check.ts";

type NormalizerName = Extract<Normalizer, string>;
type Step = (text: string) => string;

const STEPS: Readonly<Record<NormalizerName, Step>> = {
  lowercase: (text) => text.toLowerCase(),
  strip,
  // The 32 marks of ASCII; dashes and quotes beyond it may carry meaning and stay.
  remove_punctuation: (text) => text.replace(/[!-/:-@[-`{-~]/g, ""),
  collapse_whitespace: collapseWhiteSpace,
  unicode: (text) => text.normalize("NFKC"),
};

/** The normalisers that have a name. */
export const NORMALIZER_NAMES: readonly string[] = Object.keys(STEPS);

/** What texts are compared with unless a check says otherwise. */
export const DEFAULT_NORMALIZERS: readonly Normalizer[] = ["lowercase", "strip"];

/** Normalisers prepared for use, or why they cannot be. */
export type CompiledNormalizers = { readonly apply: Step } | { readonly problem: string };

/** Prepares normalisers, which are applied in their order: `compileNormalizers(["lowercase", "strip"])`. */
export function compileNormalizers(normalizers: readonly Normalizer[]): CompiledNormalizers {
  const steps: Step[] = [];
  for (const normalizer of normalizers) {
    const step = compileStep(normalizer);
    if (typeof step === "string") return { problem: step };
    steps.push(step);
  }
  return {
    apply: (text) => {
      let result = text;
      for (const step of steps) result = step(result);
      return result;
    },
  };
}

/** The step, or what is wrong with it in words. */
function compileStep(normalizer: unknown): Step | string {
  if (typeof normalizer === "string") {
    if (Object.hasOwn(STEPS, normalizer)) return STEPS[normalizer as NormalizerName];
    return `${JSON.stringify(normalizer)} is not a normaliser; there are ${NORMALIZER_NAMES.join(", ")} and synonyms.`;
  }
  if (!isRecord(normalizer))
    return `A normaliser is a name or has synonyms, but this is ${typeName(normalizer)}.`;
  const synonyms = ownValue(normalizer, "synonyms") ?? ownValue(normalizer, "mapping");
  if (!isRecord(synonyms)) return "A normaliser that is an object needs synonyms.";
  return compileSynonyms(synonyms);
}

/** A map rather than the object itself, so that texts such as "constructor" find nothing that the author did not write. */
function compileSynonyms(synonyms: Readonly<Record<string, unknown>>): Step | string {
  const canonical = new Map<string, string>();
  for (const [text, replacement] of Object.entries(synonyms)) {
    if (typeof replacement !== "string") return `The synonym of ${JSON.stringify(text)} must be a text.`;
    canonical.set(text, replacement);
  }
  return (text) => canonical.get(text) ?? text;
}
