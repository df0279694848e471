import { usablePattern } from "../checks/check.ts";
import { compileLinearRegex } from "../checks/linear-regex.ts";
import { isTemplate } from "../liquid/text-template.ts";
import {
  described,
  either,
  list,
  type NumberShape,
  nonEmptyText,
  type ObjectShape,
  object,
  oneOfTexts,
  type ReferenceShape,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../schema/shape.ts";

/** A rule that reads one field out of a free reply without a judge. */
export type ExtractRule =
  /** The option chosen of a multiple-choice question. */
  | {
      readonly type: "letter";
      /** The letters there are; default: those of the field's `values`, else A to Z. */
      readonly options?: readonly string[];
    }
  /** A number, with separators, signs, units, percent and cues such as `####` understood. */
  | {
      readonly type: "number";
      /** Which of several numbers counts where none is announced; without it, such a reply is not read. */
      readonly which?: "first" | "last";
    }
  /** What a linear-time regular expression finds: its group, by name or number (default: the first group, else all). */
  | {
      readonly type: "regex";
      readonly pattern: string;
      readonly flags?: string;
      readonly group?: string | number;
      readonly which?: "first" | "last";
    }
  /** A value by the words that stand for it: `{ "BCL-2": ["bcl2", "B-cell lymphoma 2"] }`. The value itself counts too. */
  | {
      readonly type: "aliases";
      readonly values: Readonly<Record<string, readonly string[]>>;
      /** The value of an answer that is none of these, such as `other`; without it such an answer is not read. */
      readonly otherwise?: string;
    }
  /** A lettered option of a question, by its letter or by its text. The value is the letter: A for the first. */
  | { readonly type: "option"; readonly options: readonly string[] }
  /** A day, in the forms that `date_match` reads. The value is written as 2024-12-31. */
  | { readonly type: "date" }
  /** Yes or no, as a boolean. */
  | { readonly type: "stance" };

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
export interface ScalarTarget {
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

type RuleType = ExtractRule["type"];
type PatternRule = Extract<ExtractRule, { readonly type: "regex" }>;

const wholeFromZero: NumberShape = { kind: "number", integer: true, minimum: 0 };
const which = oneOfTexts("first", "last");

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
  const { pattern, flags, group } = value as unknown as PatternRule;
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

const SHAPES: Readonly<Record<RuleType, ObjectShape>> = {
  letter: rule("letter", "The option chosen of a multiple-choice question.", {
    optional: {
      options: described(
        list(nonEmptyText),
        "The letters there are; default: those of the field's values, else A to Z.",
      ),
    },
    rule: singleLetters,
  }),
  number: rule(
    "number",
    "A number, with separators, signs, units, percent and cues such as #### understood.",
    {
      optional: {
        which: described(
          which,
          "Which of several numbers counts where none is announced; without it, such a reply is not read.",
        ),
      },
    },
  ),
  regex: rule("regex", "What a linear-time regular expression finds.", {
    required: { pattern: text },
    optional: {
      flags: described(text, "Letters out of i, m and s."),
      group: described(
        either(text, wholeFromZero),
        "A group by name or number; default: the first group, else the whole match.",
      ),
      which: described(which, "Which of several matches counts (default first)."),
    },
    rule: usableGroup,
  }),
  aliases: rule("aliases", "A value by the words that stand for it.", {
    required: {
      values: described(
        { kind: "record", values: list(nonEmptyText), ifEmpty: "empty_value" },
        "Each value with its aliases; the value itself counts too.",
      ),
    },
    optional: {
      otherwise: described(
        nonEmptyText,
        "The value of a plain answer that is none of these; if left out, such an answer is not read.",
      ),
    },
  }),
  option: rule(
    "option",
    "A lettered option of a question, by its letter or by its text; the value is the letter.",
    {
      required: {
        options: described(
          { ...list(nonEmptyText), ifEmpty: "empty_value" } as const,
          "The texts of the options in their order: the first is A.",
        ),
      },
      rule: ({ options }, report) => {
        if ((options as readonly string[]).length <= ALPHABET.length) return;
        const message = `There are letters for ${ALPHABET.length} options only.`;
        report("options", { code: "invalid_parameter", message });
      },
    },
  ),
  date: rule("date", "A day, such as 9 November 1989 or 1989-11-09.", {}),
  stance: rule("stance", "Yes or no, as a boolean or as an enum's yes and no.", {}),
};

interface RuleKeys {
  readonly required?: Readonly<Record<string, Shape>>;
  readonly optional?: Readonly<Record<string, Shape>>;
  readonly rule?: ShapeRule;
}

function rule(type: RuleType, description: string, { required, ...options }: RuleKeys): ObjectShape {
  return described(object(`the rule ${type}`, { type: oneOfTexts(type), ...required }, options), description);
}

/** A rule that reads a field without a judge, as it stands in files. */
export const EXTRACT_SHAPE: ReferenceShape = reference("extract", () => ({
  kind: "variant",
  owner: "a rule",
  variants: SHAPES,
  description: "Reads the field out of the reply without a judge.",
}));
