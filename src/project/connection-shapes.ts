import {
  boolean,
  described,
  either,
  json,
  type NumberShape,
  nonEmptyText,
  type ObjectShape,
  object,
  oneOfTexts,
  type RecordShape,
  type Shape,
  text,
} from "../core/schema/shape.ts";

const TEXTS: RecordShape = { kind: "record", values: text };
const COUNT: NumberShape = { kind: "number", integer: true, minimum: 0 };
const AMOUNT: NumberShape = { kind: "number", minimum: 0 };

/** A tool server; a process and an endpoint have no keys in common. */
export const TOOL_SERVER_SHAPE: ObjectShape = object(
  "a tool server",
  {},
  {
    optional: {
      command: described(nonEmptyText, "The program that is started."),
      args: described({ kind: "array", items: text }, "Its arguments."),
      env: described(TEXTS, 'Its variables; "$NAME" stands for one of the environment.'),
      cwd: described(text, "The folder it is started in (default: that of the project)."),
      url: described(nonEmptyText, "The address of a server that runs already."),
      headers: described(TEXTS, 'Sent with every request; "$NAME" stands for a variable of the environment.'),
    },
    rule: ({ command, url }, report) => {
      if ((command === undefined) === (url === undefined)) {
        const message = 'A tool server needs either a "command" to start or the "url" of one that runs.';
        report(null, { code: "invalid_parameter", message });
      }
    },
  },
);

/** A provider of models, or what is different about a known one. */
export const PROVIDER_SHAPE: ObjectShape = object(
  "a provider",
  {},
  {
    optional: {
      kind: oneOfTexts("openai", "anthropic", "google", "openai-compatible"),
      baseUrl: nonEmptyText,
      apiKeyVariable: either(nonEmptyText, { kind: "null" }),
      headers: TEXTS,
      structured: boolean,
    },
    rule: (value, report) => {
      if (!/^(?:sk|gsk|xai|AIza)[-_]?\w{12}/.test(String(value.apiKeyVariable))) return;
      const message =
        "This looks like a key. Put it into an environment variable, and write the variable's name here.";
      report("apiKeyVariable", { code: "invalid_parameter", message });
    },
  },
);

/** Limits of an account. */
export const CAPS_SHAPE: ObjectShape = object(
  "a cap",
  {},
  {
    optional: {
      maxConcurrency: { kind: "number", integer: true, minimum: 1 },
      requestsPerSecond: { kind: "number", exclusiveMinimum: 0 },
    },
  },
);

const RETRY: ObjectShape = object(
  "a retry policy",
  {},
  { optional: { retries: COUNT, baseMs: AMOUNT, capMs: AMOUNT } },
);

/** Retries by what went wrong. */
export const RETRIES_SHAPE: ObjectShape = object(
  "an object of retries",
  {},
  { optional: { connection: RETRY, timeout: RETRY, rate_limit: RETRY, server: RETRY, bad_response: RETRY } },
);

const LIMIT: Shape = either({ kind: "number", exclusiveMinimum: 0 }, { kind: "null" });

/** Time limits in milliseconds. */
export const TIMEOUTS_SHAPE: ObjectShape = object(
  "an object of timeouts",
  {},
  { optional: { callMs: LIMIT, turnMs: LIMIT, conversationMs: LIMIT, runMs: LIMIT } },
);

/** What a run may spend. */
export const BUDGET_SHAPE: ObjectShape = object(
  "a budget",
  {},
  { optional: { usd: AMOUNT, tokens: AMOUNT, calls: AMOUNT } },
);

/** Values for one row of a dataset. */
export const ROW_SHAPE: RecordShape = { kind: "record", values: json };
