import { usablePattern } from "../checks/check-rules.ts";
import { compileLinearRegex } from "../checks/linear-regex.ts";
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
import type { ExtractRule } from "./extract-rule.ts";
import { letterOf } from "./option-letters.ts";

type RuleType = ExtractRule["type"];
type PatternRule = Extract<ExtractRule, { readonly type: "regex" }>;

const wholeFromZero: NumberShape = { kind: "number", integer: true, minimum: 0 };
const which = oneOfTexts("first", "last");

/** Every option is a single letter. */
const singleLetters: ShapeRule = (value, report) => {
  const { options = [] } = value as { readonly options?: readonly string[] };
  const wrong = options.find((option) => letterOf(option).length === 0);
  if (wrong === undefined) return;
  const message = `An option must be a single letter from A to Z, but ${JSON.stringify(wrong)} is not.`;
  report("options", { code: "invalid_parameter", message });
};

/** The pattern can be used and has the group. */
const usableGroup: ShapeRule = (value, report) => {
  const { pattern, flags, group } = value as unknown as PatternRule;
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
        which: described(which, "Which of several numbers counts where no cue decides (default last)."),
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
  }),
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
