import {
  described,
  either,
  list,
  object,
  oneOfTexts,
  record,
  reference,
  type TypeOf,
  text,
} from "../schema/shape.ts";
import { collapseWhiteSpace, strip } from "../text/text-value.ts";

type Step = (text: string) => string;

const STEPS = {
  lowercase: (text: string) => text.toLowerCase(),
  strip,
  // The 32 marks of ASCII; dashes and quotes beyond it may carry meaning and stay.
  remove_punctuation: (text: string) => text.replace(/[!-/:-@[-`{-~]/g, ""),
  collapse_whitespace: collapseWhiteSpace,
  unicode: (text: string) => text.normalize("NFKC"),
};

// The keys of the table, which `keys` forgets.
const NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];

const synonyms = described(record(text), "Whole texts and what each of them stands for.");

/** A list of normalisers: names, or `{ synonyms: { … } }`; `mapping` is another word for `synonyms`. */
export const NORMALIZERS_SHAPE = reference("normalizers", () =>
  described(
    list(
      either(
        oneOfTexts(...NAMES),
        object(
          "a normaliser",
          {},
          {
            optional: { synonyms, mapping: synonyms },
            rule: (value, report) => {
              if (Object.hasOwn(value, "synonyms") !== Object.hasOwn(value, "mapping")) return;
              const message = "A normaliser that is an object needs synonyms, and nothing else.";
              report(null, { code: "invalid_parameter", message });
            },
          },
        ),
      ),
    ),
    "Steps that make texts comparable, applied in order to both sides.",
  ),
);

/** A step that makes texts comparable. */
export type Normalizer = TypeOf<typeof NORMALIZERS_SHAPE>[number];

/** What texts are compared with unless a check says otherwise. */
export const DEFAULT_NORMALIZERS: readonly Normalizer[] = ["lowercase", "strip"];

/** Normalisers, of the right shape, as one function that applies them in their order. */
export function normalizer(normalizers: readonly Normalizer[] = DEFAULT_NORMALIZERS): Step {
  const steps = normalizers.map((one): Step => {
    if (typeof one === "string") return STEPS[one];
    // A map, so that texts such as "constructor" find nothing that the author did not write.
    const canonical = new Map(Object.entries(one.synonyms ?? one.mapping ?? {}));
    return (text) => canonical.get(text) ?? text;
  });
  return (text) => steps.reduce((result, step) => step(result), text);
}
