import { DATASET_SHAPE } from "../../core/scenario/dataset.ts";
import {
  type ArrayShape,
  boolean,
  described,
  either,
  json,
  jsonObject,
  type NumberShape,
  nonEmptyText,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  type RecordShape,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../../core/schema/shape.ts";
import { RUBRIC_SHAPE } from "../../core/templates/rubric.ts";
import { withoutUndefined } from "../../core/values/json.ts";
import type { SettingKey } from "./settings.ts";
import { parseBudget, parseDuration, parseShare, readFailUnder, readLevels } from "./short-forms.ts";

const WHOLE: NumberShape = { kind: "number", integer: true };
const FROM_0: NumberShape = { ...WHOLE, minimum: 0 };
const FROM_1: NumberShape = { ...WHOLE, minimum: 1 };

function several(items: Shape): ArrayShape {
  return { kind: "array", items, ifEmpty: "empty_value" };
}

/** An object whose keys may all be missing. */
function optional(owner: string, keys: Readonly<Record<string, Shape>>, rule?: ShapeRule): ObjectShape {
  return object(owner, {}, { optional: keys, ...withoutUndefined({ rule }) });
}

function recordOf(values: Shape): RecordShape {
  return { kind: "record", values };
}

const TEXTS: Shape = either(nonEmptyText, several(nonEmptyText));

const TEXT_RECORD: RecordShape = recordOf(text);
const AMOUNT: NumberShape = { kind: "number", minimum: 0 };

/** A tool server; a process and an endpoint have no keys in common. */
const TOOL_SERVER_SHAPE = optional(
  "a tool server",
  {
    command: described(nonEmptyText, "The program that is started."),
    args: described({ kind: "array", items: text }, "Its arguments."),
    env: described(TEXT_RECORD, 'Its variables; "$NAME" stands for one of the environment.'),
    cwd: described(text, "The folder it is started in (default: that of the project)."),
    url: described(nonEmptyText, "The address of a server that runs already."),
    headers: described(
      TEXT_RECORD,
      'Sent with every request; "$NAME" stands for a variable of the environment.',
    ),
  },
  ({ command, url }, report) => {
    const message = 'A tool server needs either a "command" to start or the "url" of one that runs.';
    if ((command === undefined) === (url === undefined)) report(null, { code: "invalid_parameter", message });
  },
);

/** A provider of models, or what is different about a known one. */
const PROVIDER_SHAPE = optional(
  "a provider",
  {
    kind: oneOfTexts("openai", "anthropic", "google", "openai-compatible"),
    baseUrl: nonEmptyText,
    apiKeyVariable: either(nonEmptyText, { kind: "null" }),
    headers: TEXT_RECORD,
    structured: boolean,
  },
  ({ apiKeyVariable }, report) => {
    const message =
      "This looks like a key. Put it into an environment variable, and write the variable's name here.";
    if (/^(?:sk|gsk|xai|AIza)[-_]?\w{12}/.test(String(apiKeyVariable)))
      report("apiKeyVariable", { code: "invalid_parameter", message });
  },
);

/** Limits of an account. */
const CAPS_SHAPE = optional("a cap", {
  maxConcurrency: FROM_1,
  requestsPerSecond: { kind: "number", exclusiveMinimum: 0 },
});

const RETRY = optional("a retry policy", { retries: FROM_0, baseMs: AMOUNT, capMs: AMOUNT });

/** Retries by what went wrong. */
const RETRIES_SHAPE = optional("an object of retries", {
  connection: RETRY,
  timeout: RETRY,
  rate_limit: RETRY,
  server: RETRY,
  bad_response: RETRY,
});

const LIMIT: Shape = either({ kind: "number", exclusiveMinimum: 0 }, { kind: "null" });

/** Time limits in milliseconds. */
const TIMEOUTS_SHAPE = optional("an object of timeouts", {
  callMs: LIMIT,
  turnMs: LIMIT,
  conversationMs: LIMIT,
  runMs: LIMIT,
});

const BUDGET_SHAPE = optional("a budget", { usd: AMOUNT, tokens: AMOUNT, calls: AMOUNT });

const VERSION = "The version of your agent: answers of a named version are cached across runs.";
const CACHE =
  "False to never use stored answers of this model; true to cache those of a function or URL across runs.";

/** What a subject and a judge have in common. */
const MODEL_KEYS = {
  name: described(nonEmptyText, "As reports show it."),
  parameters: described(jsonObject, "Temperature and the like."),
};
const CACHE_KEYS = { version: described(nonEmptyText, VERSION), cache: described(boolean, CACHE) };

const SUBJECT: ObjectShape = object(
  "a subject",
  { model: nonEmptyText },
  { optional: { ...MODEL_KEYS, systemPrompt: described(text, "Leads every conversation."), ...CACHE_KEYS } },
);

const JUDGE: ObjectShape = optional(
  "a judge",
  {
    model: nonEmptyText,
    panel: several(reference("judge", () => either(nonEmptyText, JUDGE))),
    ...MODEL_KEYS,
    ...CACHE_KEYS,
  },
  ({ model, panel, parameters, version, cache }, report) => {
    const isPanel = panel !== undefined;
    const hasMore = [model, parameters, version, cache].some((value) => value !== undefined);
    if (isPanel ? !hasMore : model !== undefined) return;
    const message = isPanel
      ? "A panel has members and a name, nothing else; give models and parameters to its members."
      : 'A judge needs a "model", or a "panel" of judges.';
    report(null, { code: "invalid_parameter", message });
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
  judges: described(
    either(nonEmptyText, JUDGE, several(either(nonEmptyText, JUDGE))),
    "Models that read replies; `self` for each subject's own model (the default), `rules` for none.",
  ),
  embedder: described(
    nonEmptyText,
    "The embedding model that compares meanings, for fields with semantic_match: provider/model.",
  ),
  simulator: described(
    nonEmptyText,
    "The model that plays simulated users; sim/user plays them without a model.",
  ),
  replicates: described(FROM_1, "How often each conversation is run."),
  dataset: DATASET_SHAPE,
  skipBadRows: described(boolean, "True to leave out rows that cannot be used."),
  onlyRows: described(either(nonEmptyText, several(nonEmptyText)), "Only the rows with these ids."),
  rowLimit: described(FROM_1, "Only so many rows, the first."),
  variant: described(
    either(nonEmptyText, several(nonEmptyText), recordOf(either(number, nonEmptyText))),
    "Only conversations with these levels: order=a.",
  ),
  rows: described(several(recordOf(json)), "Values for `{{row.…}}`; each row is a conversation."),
  concurrency: described(FROM_1, "How many conversations run at the same time."),
  turnLimit: described(FROM_1, "After how many turns a conversation ends."),
  seed: described(WHOLE, "Random seed."),
  budget: described(
    { ...either(nonEmptyText, BUDGET_SHAPE), owner: "an amount of something, such as 5usd or 200 calls" },
    "What a run may spend.",
  ),
  timeouts: described(TIMEOUTS_SHAPE, "Time limits in milliseconds; null for none."),
  patience: described(
    either(nonEmptyText, AMOUNT),
    "How long a server that cannot be reached is waited for: `10m`, `90s`, or milliseconds.",
  ),
  fresh: described(boolean, "True to ignore stored answers, and ask models again."),
  retryUnreadable: described(
    boolean,
    "True to ask a judge again where its answer in the store cannot be read.",
  ),
  rubric: described(RUBRIC_SHAPE, "Traits that are judged on every turn of every scenario."),
  judging: described(
    oneOfTexts("together", "separate"),
    "One request to the judge for a turn, or one for each trait.",
  ),
  reading: described(
    oneOfTexts("rules", "rules-then-judge", "judge"),
    "Who reads fields that have an `extract` rule: the rule, the rule and then the judge, or the judge.",
  ),
  allowUnread: described(
    boolean,
    "True to run scenarios that need a judge without one; what no rule can read stays unread.",
  ),
  detectRefusal: described(boolean, "True to ask the judge whether a reply declines to answer."),
  earlierTurns: described(FROM_0, "How many earlier turns the judge is shown."),
  tools: described(recordOf(TOOL_SERVER_SHAPE), "MCP servers by name."),
  toolSteps: described(FROM_1, "How many calls of the subject a turn with tools may take."),
  caps: described(recordOf(CAPS_SHAPE), "Limits by account."),
  retries: described(RETRIES_SHAPE, "How failures are tried again, by kind."),
  providers: described(recordOf(PROVIDER_SHAPE), "Providers of models by name."),
  store: described(nonEmptyText, "The file that keeps runs, or the address of a PostgreSQL server."),
  failUnder: described(
    {
      ...either(nonEmptyText, several(nonEmptyText), recordOf(either(number, nonEmptyText))),
      owner: "an outcome and what it must reach, such as { resisted: 0.9 }",
    },
    "What outcomes must reach, or the command fails.",
  ),
  minDecided: described(
    either(number, nonEmptyText),
    "The share of conversations that must be decided for a threshold to be reached, such as 0.8 or 80%.",
  ),
  failOnErrors: described(
    boolean,
    "True if a conversation that ended in an error or was cut short fails the command.",
  ),
  junit: described(nonEmptyText, "Where a JUnit report is written."),
};

/** Validates texts that have a grammar of their own. */
const settingsRule: ShapeRule = ({ budget, failUnder, minDecided, patience, seed, variant }, report) => {
  const read = {
    budget: typeof budget === "string" ? parseBudget(budget) : undefined,
    patience: typeof patience === "string" ? parseDuration(patience) : undefined,
    variant: variant === undefined ? undefined : readLevels(variant),
    failUnder: failUnder === undefined ? undefined : readFailUnder(failUnder),
    // The shape has been checked.
    minDecided: minDecided === undefined ? undefined : parseShare(minDecided as string | number),
    seed: seed === undefined || Number.isSafeInteger(seed) ? undefined : "The seed is too large to be exact.",
  };
  for (const [key, message] of Object.entries(read))
    if (typeof message === "string") report(key, { code: "invalid_parameter", message });
};

/** The shape of an object of settings; messages call it `owner`. */
export function settingsShape(owner: string, more: Readonly<Record<string, Shape>> = {}): ObjectShape {
  return object(owner, {}, { optional: { ...more, ...SETTING_SHAPES }, rule: settingsRule });
}
