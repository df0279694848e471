import {
  type ArrayShape,
  boolean,
  described,
  either,
  jsonObject,
  type NumberShape,
  nonEmptyText,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../core/schema/shape.ts";
import { RUBRIC_SHAPE } from "../core/templates/rubric-shape.ts";
import { parseBudget } from "./budget-text.ts";
import {
  BUDGET_SHAPE,
  CAPS_SHAPE,
  PROVIDER_SHAPE,
  RETRIES_SHAPE,
  ROW_SHAPE,
  TIMEOUTS_SHAPE,
  TOOL_SERVER_SHAPE,
} from "./connection-shapes.ts";
import { readFailUnder } from "./fail-under.ts";
import type { SettingKey } from "./settings.ts";

const WHOLE: NumberShape = { kind: "number", integer: true };
const FROM_0: NumberShape = { ...WHOLE, minimum: 0 };
const FROM_1: NumberShape = { ...WHOLE, minimum: 1 };

function several(items: Shape): ArrayShape {
  return { kind: "array", items, ifEmpty: "empty_value" };
}

const TEXTS: Shape = either(nonEmptyText, several(nonEmptyText));

const SUBJECT: ObjectShape = object(
  "a subject",
  { model: nonEmptyText },
  {
    optional: {
      name: described(nonEmptyText, "As reports show it."),
      parameters: described(jsonObject, "Temperature and the like."),
      systemPrompt: described(text, "Leads every conversation."),
      cache: described(boolean, "False to ask for every answer anew."),
    },
  },
);

const JUDGE: ObjectShape = object(
  "a judge",
  {},
  {
    optional: {
      model: nonEmptyText,
      panel: several(reference("judge", () => either(nonEmptyText, JUDGE))),
      name: described(nonEmptyText, "As reports show it."),
      parameters: described(jsonObject, "Temperature and the like."),
      cache: described(boolean, "False to ask for every answer anew."),
    },
    rule: ({ model, panel, parameters, cache }, report) => {
      const isPanel = panel !== undefined;
      const wrong = isPanel
        ? model !== undefined || parameters !== undefined || cache !== undefined
        : model === undefined;
      if (!wrong) return;
      const message = isPanel
        ? "A panel has members and a name, nothing else; give models and parameters to its members."
        : 'A judge needs a "model", or a "panel" of judges.';
      report(null, { code: "invalid_parameter", message });
    },
  },
);

/** What each setting may be, with a sentence about it. */
export const SETTING_SHAPES: Readonly<Record<SettingKey, Shape>> = {
  scenarios: described(TEXTS, "Files, folders, patterns or packs that are run when the command names none."),
  only: described(TEXTS, "Names of the scenarios to run, also with `*`."),
  tags: described(TEXTS, "Tags, of which a scenario to run must have one."),
  subjects: described(
    either(nonEmptyText, SUBJECT, several(either(nonEmptyText, SUBJECT))),
    "Models under test.",
  ),
  judges: described(either(nonEmptyText, JUDGE, several(either(nonEmptyText, JUDGE))), "Who reads replies."),
  replicates: described(FROM_1, "How often each conversation is held."),
  rows: described({ kind: "array", items: ROW_SHAPE }, "Values for `{{row.…}}`; each row is a conversation."),
  concurrency: described(FROM_1, "How many conversations are held at the same time."),
  turnLimit: described(FROM_1, "After how many turns a conversation ends."),
  seed: described(WHOLE, "What chance depends on."),
  budget: described(either(nonEmptyText, BUDGET_SHAPE), "What a run may spend."),
  timeouts: described(TIMEOUTS_SHAPE, "Time limits in milliseconds; null for none."),
  fresh: described(boolean, "True to ask for all answers anew."),
  rubric: described(RUBRIC_SHAPE, "Traits that are judged on every turn of every scenario."),
  judging: described(
    oneOfTexts("together", "separate"),
    "One request to the judge for a turn, or one for each trait.",
  ),
  reading: described(
    oneOfTexts("rules", "judge"),
    "Who reads fields that have an `extract` rule: the rule, or the judge where it is a model.",
  ),
  detectRefusal: described(boolean, "True to ask the judge whether a reply declines to answer."),
  earlierTurns: described(FROM_0, "How many earlier turns the judge is shown."),
  tools: described({ kind: "record", values: TOOL_SERVER_SHAPE }, "MCP servers by name."),
  toolSteps: described(FROM_1, "How often the subject is asked in one turn while it wants tools."),
  caps: described({ kind: "record", values: CAPS_SHAPE }, "Limits by account."),
  retries: described(RETRIES_SHAPE, "How failures are tried again, by kind."),
  providers: described({ kind: "record", values: PROVIDER_SHAPE }, "Providers of models by name."),
  store: described(nonEmptyText, "The file that keeps runs."),
  failUnder: described(
    either(nonEmptyText, several(nonEmptyText), { kind: "record", values: either(number, nonEmptyText) }),
    "What outcomes must reach, or the command fails.",
  ),
  failOnErrors: described(boolean, "True if a conversation that ended in an error fails the command."),
  junit: described(nonEmptyText, "Where a JUnit report is written."),
};

/** What texts with a grammar of their own must look like. */
const settingsRule: ShapeRule = ({ budget, failUnder, seed }, report) => {
  const tell = (key: string, message: string | undefined): void => {
    if (message !== undefined) report(key, { code: "invalid_parameter", message });
  };
  if (typeof budget === "string") tell("budget", parseBudget(budget).problem);
  if (failUnder !== undefined) tell("failUnder", readFailUnder(failUnder).problem);
  if (seed !== undefined && !Number.isSafeInteger(seed)) tell("seed", "The seed is too large to be exact.");
};

/** An object of settings, as sentences call its owner. */
export function settingsShape(owner: string, more: Readonly<Record<string, Shape>> = {}): ObjectShape {
  return object(owner, {}, { optional: { ...more, ...SETTING_SHAPES }, rule: settingsRule });
}
