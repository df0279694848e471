import { OUTCOME_SHAPE } from "../outcomes/outcome-check.ts";
import { RATE_SHAPE } from "../outcomes/rate.ts";
import { SHORT_OUTCOME_SHAPE } from "../outcomes/short-outcome.ts";
import { toJsonSchema } from "../schema/json-schema.ts";
import {
  described,
  either,
  functionOrSource,
  json,
  jsonObject,
  keyShapes,
  list,
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
import { ANSWER_SHAPES, DYNAMIC_SHAPES, NEXT_SHAPE } from "../short-forms/short-shapes.ts";
import { WHEN_SHAPE } from "../state/condition.ts";
import { RUBRIC_SHAPE } from "../templates/rubric.ts";
import { TEMPLATE_SHAPE } from "../templates/template-shape.ts";
import { isRecord, type JsonObject } from "../values/json.ts";
import { DATASET_SHAPE } from "./dataset.ts";
import { END, END_IN_FILES, TRANSCRIPTS } from "./definition.ts";
import { LINT_SHAPE } from "./lint-rule.ts";
import { SIMULATED_USER, USER_WRITES } from "./simulated-user.ts";
import { VARIANTS_SHAPE } from "./variants.ts";

const IDENTITY = described(jsonObject, "Of a model that was an object in code, for readers.");

function modelShape(more: Readonly<Record<string, Shape>>): Shape {
  const optional = { parameters: jsonObject, identity: IDENTITY, ...more };
  return either(
    described(nonEmptyText, "A subject or judge of the run, or a model by name: provider/model."),
    functionOrSource,
    object("a model", { model: either(nonEmptyText, functionOrSource) }, { optional }),
  );
}

const QUESTION: Shape = object(
  "a question",
  {
    question: described(nonEmptyText, "The text that the subject sees."),
    rawAnswer: described(text, "The reference answer; never shown to the subject."),
  },
  {
    optional: {
      template: TEMPLATE_SHAPE,
      fewShot: described(
        list(object("an example", { question: text, answer: text })),
        "Questions with their answers, shown to the subject before the question.",
      ),
      keywords: list(text),
      rubric: RUBRIC_SHAPE,
      metadata: jsonObject,
    },
  },
);

const TOOL_FILTER: Shape = described(
  object("a tool filter", {
    remove: list(object("a tool to remove", { server: nonEmptyText }, { optional: { tool: nonEmptyText } })),
  }),
  "Tools that the subject does not have at this node.",
);

const AGENT_IDENTITY: Shape = described(
  either(
    nonEmptyText,
    object("an agent identity", { name: nonEmptyText }, { optional: { systemPrompt: text } }),
  ),
  "Who speaks here, where a scenario has several agents.",
);

const MODEL_OVERRIDE = {
  subject: described(modelShape({ systemPrompt: text }), "The model that answers."),
  judge: described(modelShape({}), "The model that reads and grades the reply."),
  systemPrompt: described(text, "The system prompt at this node, before all others."),
};

const CHECKED: Shape = { kind: "checked" };

/** Keys that short forms have: they are written out before, and stand here for suggestions. */
function checkedKeys(shapes: Readonly<Record<string, Shape>>): Record<string, Shape> {
  return Object.fromEntries(Object.keys(shapes).map((key) => [key, CHECKED]));
}

function nodeShape(question: Shape, short: Readonly<Record<string, Shape>>): ObjectShape {
  return object(
    "a node",
    { question },
    {
      rule: ({ user, question, agentIdentity }, report) => {
        const agent = isRecord(agentIdentity) ? agentIdentity.name : agentIdentity;
        // Transcripts of other tools name the user so.
        if (agent === "__user__") report("agentIdentity", { code: "reserved_id", id: agent });
        if (user === undefined || !isRecord(question) || question.question === USER_WRITES) return;
        const message =
          "The simulated user writes the text of this node: leave out `question` of the question.";
        report("question", { code: "invalid_parameter", message });
      },
      optional: {
        modelOverride: described(
          object("a model override", {}, { optional: MODEL_OVERRIDE }),
          "Other models than the run's, for this node.",
        ),
        user: SIMULATED_USER,
        toolFilter: TOOL_FILTER,
        stateUpdate: described(functionOrSource, "Computes the new accumulated state after a visit."),
        agentIdentity: AGENT_IDENTITY,
        rubric: RUBRIC_SHAPE,
        metadata: jsonObject,
        ...short,
      },
    },
  );
}

const NODE_SHORT: Readonly<Record<string, Shape>> = { next: NEXT_SHAPE, ...ANSWER_SHAPES };

/** A node, as `addNode` takes it and as files write it, with its short forms written out. */
export const NODE_SHAPE: ReferenceShape = reference("node", () =>
  nodeShape(QUESTION, checkedKeys(NODE_SHORT)),
);

const targetOrFork: ShapeRule = ({ target, fork }, report) => {
  if ((target === undefined) === (fork === undefined))
    return report(null, {
      code: "invalid_parameter",
      message: "An edge needs either a target, or a fork with several targets.",
    });
  if (!Array.isArray(fork)) return;
  // Texts, as the shape says.
  const arms = (fork as readonly string[]).map((arm) => (arm === END_IN_FILES ? END : arm));
  const twice = arms.find((arm, index) => arms.indexOf(arm) !== index);
  const message =
    arms.length < 2
      ? "A fork needs at least two arms. For one, write target."
      : twice !== undefined
        ? `The arm ${JSON.stringify(twice)} is there twice; each arm has a name of its own.`
        : undefined;
  if (message !== undefined) report("fork", { code: "invalid_parameter", message });
};

/** An edge, as `addEdge` takes it and as files write it. */
export const EDGE_SHAPE: ReferenceShape = reference("edge", () =>
  object(
    "an edge",
    {
      source: described(text, "The node that the edge leaves."),
    },
    {
      rule: targetOrFork,
      optional: {
        target: described(text, "The node that the edge leads to, or END."),
        fork: described(
          { kind: "array", items: text, ifEmpty: "empty_value" },
          "In place of a target: the nodes with which the conversation continues, each by itself, from the same turns.",
        ),
        when: WHEN_SHAPE,
        handover: described(
          either(oneOfTexts(...TRANSCRIPTS), functionOrSource),
          "What the next agent sees of the conversation so far.",
        ),
      },
    },
  ),
);

interface PartShapes {
  readonly node: Shape;
  readonly edge: Shape;
  readonly outcome: Shape;
  readonly shortOutcome: Shape;
  /** The keys of short forms. */
  readonly short: Readonly<Record<string, Shape>>;
  readonly required: readonly string[];
}

function scenarioShape({ node, edge, outcome, shortOutcome, short, required }: PartShapes): ObjectShape {
  const nodes: Shape = { kind: "record", values: node, ifEmpty: "no_nodes" };
  const shape = object(
    "a scenario",
    {
      name: described(nonEmptyText, "The name of the scenario."),
      nodes: described(nodes, "The nodes by id."),
      entry: described(text, "The node where conversations start."),
    },
    {
      ifMissing: { entry: "no_entry", nodes: "no_nodes" },
      optional: {
        description: text,
        systemPrompt: described(
          nonEmptyText,
          "The system prompt of its conversations, in place of the run's.",
        ),
        history: described(
          either(
            list(object("a message", { role: oneOfTexts("user", "assistant"), content: text })),
            nonEmptyText,
          ),
          "What was said before the first turn: messages, or a column of the row such as {{ row.history }}.",
        ),
        edges: described(list(edge), "Where conversations go after a node; tested in this order."),
        outcomes: described(
          either(list(outcome), { kind: "record", values: shortOutcome }),
          "What is asserted or counted over finished conversations: a list, or short forms by name.",
        ),
        rates: described(
          { kind: "record", values: RATE_SHAPE } as const,
          "What reports compute from outcomes, by name: conditional rates, means, ratios, percentiles.",
        ),
        dataset: DATASET_SHAPE,
        variants: VARIANTS_SHAPE,
        lint: LINT_SHAPE,
        metadata: jsonObject,
        nodeOrder: described(
          list(text),
          "The order of the nodes, where their ids are numbers, which readers of JSON put first.",
        ),
        ...short,
      },
    },
  );
  return { ...shape, required };
}

const SCENARIO_SHORT: Readonly<Record<string, Shape>> = { ...DYNAMIC_SHAPES, ...ANSWER_SHAPES };

/** A whole scenario, as files write it. */
const SCENARIO_SHAPE: ObjectShape = scenarioShape({
  node: reference("node", () => either(nonEmptyText, nodeShape(either(nonEmptyText, QUESTION), NODE_SHORT))),
  edge: EDGE_SHAPE,
  outcome: OUTCOME_SHAPE,
  shortOutcome: SHORT_OUTCOME_SHAPE,
  short: SCENARIO_SHORT,
  required: ["name"],
});

/** A scenario whose nodes, edges and outcomes have been checked one by one. */
export const SCENARIO_FRAME_SHAPE: ObjectShape = scenarioShape({
  node: { ...CHECKED, as: NODE_SHAPE },
  edge: CHECKED,
  outcome: CHECKED,
  shortOutcome: CHECKED,
  short: checkedKeys(SCENARIO_SHORT),
  required: ["name", "nodes", "entry"],
});

/** The version of the file format that this release reads and writes. */
export const FORMAT_VERSION = 1;

const VERSION: Shape = described(
  { kind: "literal", values: [FORMAT_VERSION] },
  "The version of the file format (default: the newest that the reader knows).",
);

const SCHEMA: Shape = described(text, "The address of this schema, for editors; otherwise without meaning.");

function manyScenarios(version: Shape, scenario: Shape): ObjectShape {
  const scenarios = { ...list(scenario), ifEmpty: "empty_value" } as const;
  return object("a file with several scenarios", { scenarios }, { optional: { version, $schema: SCHEMA } });
}

/** The frame of a file with several scenarios; version and scenarios are checked by their own readers. */
export const FILE_SHAPE: ObjectShape = manyScenarios(json, json);

/** The JSON Schema of scenario files, for editors. */
export function scenarioFileSchema(): JsonObject {
  const one: ObjectShape = {
    ...SCENARIO_SHAPE,
    keys: keyShapes({ version: VERSION, $schema: SCHEMA }, SCENARIO_SHAPE.keys),
  };
  return toJsonSchema(
    either(
      one,
      manyScenarios(
        VERSION,
        reference("scenario", () => SCENARIO_SHAPE),
      ),
    ),
    {
      title: "Elenchus scenario file",
    },
  );
}
