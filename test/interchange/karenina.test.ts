import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ConversationRecord, runScenarios, type ScenarioDefinition } from "elenchus";
import type { Model } from "elenchus/models";
import { describe, expect, test } from "vitest";
import { readKarenina, toKarenina } from "../../src/apps/interchange/karenina/checkpoint.ts";
import { loadScenarios } from "../../src/apps/project/scenario-files/load-scenarios.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = new URL("../golden/karenina/", import.meta.url);

interface ScriptedTurn {
  readonly reply: string;
  readonly parsed: Readonly<Record<string, unknown>>;
  readonly traits?: Readonly<Record<string, unknown>>;
}

interface ExpectedTurn {
  readonly node: string;
  readonly verify_result: boolean;
  readonly fields: Readonly<Record<string, boolean | null>>;
  readonly field_scores: Readonly<Record<string, number>>;
  readonly granular: number;
  readonly composition: string | null;
  /** Null after the last turn of a conversation that was cut off. */
  readonly hop: { readonly to: string } | null;
}

interface Case {
  readonly scenario: string;
  readonly case: string;
  readonly turn_limit: number;
  readonly script: readonly ScriptedTurn[];
  readonly expected: {
    readonly status: string;
    readonly path: readonly string[];
    readonly turns: readonly ExpectedTurn[];
    readonly accumulated: unknown;
    readonly outcomes: Readonly<Record<string, unknown>>;
    readonly aborted?: unknown;
  };
  readonly differences?: readonly string[];
}

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

/** A model that says what the script has for the turn. */
function scripted(name: string, say: (turn: number, schema: unknown) => string): Model {
  return {
    name,
    identity: { name },
    account: name,
    price: null,
    async reply(request, context) {
      return { text: say(context.turn, request.schema), finish: "stop", usage: {} } as never;
    },
  };
}

async function replay(
  definition: ScenarioDefinition,
  { script, turn_limit }: Case,
): Promise<ConversationRecord> {
  const turnOf = (turn: number): ScriptedTurn => script[turn - 1] as ScriptedTurn;
  const traitsOf = definition.nodeIds.flatMap((id) => definition.nodes[id]?.rubric?.traits ?? []);
  const judge = scripted("judge", (turn) => {
    const { parsed, traits = {} } = turnOf(turn);
    const answers = Object.entries(traits).map(([name, value]) => {
      const trait = traitsOf.find((known) => known.name === name);
      if (trait?.type !== "metric") return [name, value];
      const { fn = [], tn = [] } = value as { fn?: string[]; tn?: string[] };
      return [
        name,
        {
          expected: trait.expected.map((text) => !fn.includes(text)),
          ...(trait.unexpected === undefined
            ? {}
            : { unexpected: trait.unexpected.map((text) => !tn.includes(text)) }),
        },
      ];
    });
    return JSON.stringify({ fields: parsed, traits: Object.fromEntries(answers) });
  });
  const [conversation] = await runScenarios({
    scenarios: definition,
    subjects: scripted("subject", (turn) => turnOf(turn).reply),
    judge,
    turnLimit: turn_limit,
  }).results;
  return conversation as ConversationRecord;
}

/** Where our words mean something else, with what we give instead; the checkpoints' sidecars name them, too. */
const DIFFERENCES: Readonly<Record<string, Partial<{ path: readonly string[]; outcomes: object }>>> = {
  // The last allowed turn ends the conversation: it is completed here, and was cut off upstream.
  "the last turn is also the last that is allowed": { outcomes: { status: true } },
  // An answer outside of a trait's range is no answer here.
  "a score above its range is cut to 5": { path: ["ask", "plain"] },
  "a class that does not exist, and deep": { path: ["ask", "plain"] },
};

interface ExportedNode {
  readonly nodeId: string;
  readonly question: { readonly hasPart: { readonly text: string } };
  readonly questionData: {
    readonly question: string;
    readonly raw_answer: string;
    readonly answer_template: string;
  };
}

/** What karenina itself demands of a file, so that it opens and runs. */
function demanded(text: string): void {
  const file = JSON.parse(text);
  for (const key of ["@context", "name", "dateCreated", "dateModified", "dataFeedElement", "hasPart"])
    expect(file).toHaveProperty(key);
  expect(file["@type"]).toBe("DataFeed");
  expect(file.dataFeedElement).toEqual([]);
  for (const scenario of file.hasPart) {
    expect(Object.keys(scenario.nodes)).toContain(scenario.entryNode);
    for (const [id, node] of Object.entries<ExportedNode>(scenario.nodes)) {
      expect(node.nodeId).toBe(id);
      expect(Object.keys(node.questionData).sort()).toEqual(QUESTION_KEYS);
      expect(node.questionData.question.length * node.questionData.raw_answer.length).toBeGreaterThan(0);
      expect(node.questionData.answer_template).toBe(node.question.hasPart.text);
    }
    for (const { source, target } of scenario.edges) {
      expect(scenario.nodes).toHaveProperty([source]);
      if (target !== "__end__") expect(scenario.nodes).toHaveProperty([target]);
    }
  }
}

const QUESTION_KEYS = [
  "answer_notes",
  "answer_template",
  "author",
  "custom_metadata",
  "date_created",
  "date_modified",
  "few_shot_examples",
  "id",
  "keywords",
  "question",
  "question_dynamic_rubric",
  "question_rubric",
  "raw_answer",
  "sources",
  "workspace_path",
];

test.each(["packs/pressure", "packs/repair", "packs/disclosure", "packs/biomedicine", "examples"])(
  "%s can be exported, and what is exported can be imported",
  async (place) => {
    const { scenarios: loaded } = await loadScenarios([place], { folder: root, stdin: async () => "" });
    const definitions = loaded.map(({ definition }) => definition);
    if (place !== "packs/disclosure") expect(() => toKarenina(definitions)).toThrow(/cannot express/);
    const { text } = toKarenina(definitions, { lossy: true });
    demanded(text);
    const { scenarios, refused } = readKarenina(text);
    expect(refused).toEqual([]);
    for (const [index, { definition }] of scenarios.entries()) {
      const original = definitions[index] as ScenarioDefinition;
      expect(definition.nodeIds).toEqual(original.nodeIds);
      for (const id of definition.nodeIds) {
        const truths = (nodes: ScenarioDefinition["nodes"]): unknown[] =>
          Object.values(nodes[id]?.question.template?.fields ?? {}).map(({ truth }) =>
            // Variables are left out by name, and stand as plain text.
            typeof truth === "string" ? truth.replace(/^\{% raw %\}|\{% endraw %\}$/g, "") : truth,
          );
        // A template that upstream cannot express is replaced by one that always passes.
        if (Object.keys(definition.nodes[id]?.question.template?.fields ?? {})[0] !== "spoken")
          expect(truths(definition.nodes)).toEqual(truths(original.nodes));
      }
    }
  },
);

const names = readdirSync(folder).filter((name) => name.endsWith(".jsonld"));

describe.each(names)("%s", (name) => {
  const imported = readKarenina(read(name));
  const { runs } = JSON.parse(read(name.replace(".jsonld", ".expected.json"))) as { runs: readonly Case[] };

  test("imports whole", () => {
    expect(imported.refused).toEqual([]);
  });

  test("comes back equal from an export", () => {
    const { text, losses } = toKarenina(imported.scenarios.map(({ definition }) => definition));
    expect(losses).toEqual([]);
    const again = readKarenina(text);
    expect(again.refused).toEqual([]);
    expect(again.scenarios.map(({ file }) => file)).toEqual(imported.scenarios.map(({ file }) => file));
    expect(again.scenarios.map(({ definition }) => definition.hash)).toEqual(
      imported.scenarios.map(({ definition }) => definition.hash),
    );
  });

  test.each(runs.map((run) => [`${run.scenario}: ${run.case}`, run] as const))("%s", async (_, run) => {
    const scenario = imported.scenarios.find((known) => known.name === run.scenario);
    const conversation = await replay(scenario?.definition as ScenarioDefinition, run);
    const { expected } = run;
    // Upstream lost this conversation: it compared null as a number.
    if (expected.aborted !== undefined) {
      expect(conversation.status).toBe("completed");
      return;
    }
    const { path = expected.path, outcomes } = DIFFERENCES[run.case] ?? {};
    expect(conversation.path).toEqual(path);
    const values = Object.entries(conversation.outcomes).map(([key, { value }]) => [key, value]);
    expect(Object.fromEntries(values)).toEqual({ ...expected.outcomes, ...outcomes });
    expect(conversation.accumulated).toEqual(expected.accumulated);
    for (const [index, turn] of expected.turns.entries()) {
      const own = conversation.turns[index] as (typeof conversation.turns)[number];
      if (own.node !== turn.node) break;
      expect(own.verifyResult).toBe(turn.verify_result);
      const results = Object.entries(own.fields).map(([field, { result }]) => [field, result]);
      expect(Object.fromEntries(results)).toEqual(turn.fields);
      if (turn.composition === null || turn.composition === "all_of")
        expect(own.score).toBeCloseTo(turn.granular);
      if (path === expected.path && turn.hop !== null) expect(own.next).toBe(turn.hop.to);
    }
  });
});
