import { usablePattern } from "../checks/check.ts";
import { compileLinearRegex } from "../checks/linear-regex.ts";
import { isTemplate } from "../liquid/text-template.ts";
import {
  described,
  either,
  integerFrom,
  list,
  nonEmptyText,
  oneOfTexts,
  record,
  reference,
  type ShapeRule,
  type TypeOf,
  text,
  variant,
  variantShapes,
} from "../schema/shape.ts";

/** What reading a field found; ambiguous if several different values are as likely. */
export interface ExtractedField {
  readonly status: "found" | "absent" | "ambiguous";
  /** Null unless found. */
  readonly value: unknown;
  /** Where in the reply the value stands, as offsets, if it was found at one place. */
  readonly span?: readonly [start: number, end: number];
  /** True if the reply was cut off, so that only an announced answer counted. */
  readonly cut?: boolean;
}

/** A kind of value that is not a list. */
interface ScalarTarget {
  readonly type: "boolean" | "string" | "integer" | "number" | "date" | "enum";
  /** The values of an enum. */
  readonly values?: readonly (string | number)[];
}

/** The kind of value that a rule must produce: the part of a template's field that reading needs to know. */
export type ExtractTarget = (
  | ScalarTarget
  | { readonly type: "array"; readonly items?: ScalarTarget; readonly values?: readonly (string | number)[] }
) & {
  /** What the value is: a clause that says this of a value states it. */
  readonly description?: string;
};

/** The values of an enum; none for any other type. */
export function enumValues(target: ExtractTarget): readonly (string | number)[] {
  return target.type === "enum" && Array.isArray(target.values) ? target.values : [];
}

/** The letters of options, in their order. */
export const ALPHABET: readonly string[] = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The letters that a reply may choose, in upper case: those given, else those of the enum, else A to Z. */
export function optionLetters(
  options: readonly string[] | undefined,
  target: ExtractTarget,
): ReadonlySet<string> {
  if (options !== undefined) return new Set(options.flatMap(letterOf));
  if (target.type === "enum") return new Set(enumValues(target).flatMap(letterOf));
  return new Set(ALPHABET);
}

/** The letter of an option such as "a", "B" or "(c)"; none if it is anything else. */
export function letterOf(option: unknown): string[] {
  const letter = typeof option === "string" ? /^[\s([]*([A-Za-z])[\s)\].]*$/.exec(option)?.[1] : undefined;
  return letter === undefined ? [] : [letter.toUpperCase()];
}

/** Every option is a single letter. */
const singleLetters: ShapeRule = (value, report) => {
  const { options = [] } = value as { readonly options?: readonly string[] };
  const wrong = options.find((option) => !isTemplate(option) && letterOf(option).length === 0);
  if (wrong === undefined) return;
  const message = `An option must be a single letter from A to Z, but ${JSON.stringify(wrong)} is not.`;
  report("options", { code: "invalid_parameter", message });
};

/** The pattern can be used and has the group. */
const usableGroup: ShapeRule = (value, report) => {
  const { pattern, flags, group } = value as unknown as Extract<ExtractRule, { readonly type: "regex" }>;
  if (isTemplate(pattern)) return;
  const regex = compileLinearRegex(pattern, flags);
  if ("problem" in regex) return usablePattern(value, report);
  if (group === undefined || group === 0) return;
  const known = typeof group === "number" ? group <= regex.groupCount : regex.groupNames.includes(group);
  if (known) return;
  const named = regex.groupNames.length === 0 ? "" : `, named ${regex.groupNames.join(", ")}`;
  const message = `The pattern has no group ${JSON.stringify(group)}; it has ${regex.groupCount}${named}.`;
  report("group", { code: "invalid_parameter", message });
};

const which = oneOfTexts("first", "last");

const RULES = variantShapes(
  {
    letter: {
      description: "The option chosen of a multiple-choice question.",
      optional: {
        options: described(
          list(nonEmptyText),
          "The letters there are; default: those of the field's values, else A to Z.",
        ),
      },
      rule: singleLetters,
    },
    number: {
      description: "A number, with separators, signs, units, percent and cues such as #### understood.",
      optional: {
        which: described(
          which,
          "Which of several numbers counts where none is announced; without it, such a reply is not read.",
        ),
      },
    },
    regex: {
      description: "What a linear-time regular expression finds.",
      required: { pattern: text },
      optional: {
        flags: described(text, "Letters out of i, m and s."),
        group: described(
          either(text, integerFrom(0)),
          "A group by name or number; default: the first group, else the whole match.",
        ),
        which: described(which, "Which of several matches counts (default first)."),
      },
      rule: usableGroup,
    },
    aliases: {
      description: "A value by the words that stand for it.",
      required: {
        values: described(
          record(list(nonEmptyText), { ifEmpty: "empty_value" }),
          "Each value with its aliases; the value itself counts too.",
        ),
      },
      optional: {
        otherwise: described(
          nonEmptyText,
          "The value of a plain answer that is none of these; if left out, such an answer is not read.",
        ),
      },
    },
    option: {
      description: "A lettered option of a question, by its letter or by its text; the value is the letter.",
      required: {
        options: described(
          list(nonEmptyText, { ifEmpty: "empty_value" }),
          "The texts of the options in their order: the first is A.",
        ),
      },
      rule: ({ options }, report) => {
        if ((options as readonly string[]).length <= ALPHABET.length) return;
        const message = `There are letters for ${ALPHABET.length} options only.`;
        report("options", { code: "invalid_parameter", message });
      },
    },
    date: { description: "A day, such as 9 November 1989 or 1989-11-09." },
    stance: { description: "Yes or no, as a boolean or as an enum's yes and no." },
  },
  (type) => `the rule ${type}`,
);

/** A rule that reads a field without a judge, as it stands in files. */
export const EXTRACT_SHAPE = reference("extract", () =>
  described(variant("a rule", RULES), "Reads the field out of the reply without a judge."),
);

/** A rule that reads one field out of a free reply without a judge. */
export type ExtractRule = TypeOf<typeof EXTRACT_SHAPE>;
