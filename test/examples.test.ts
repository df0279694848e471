import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { advanceState, evaluateOutcome, INITIAL_STATE, resolveNextNode } from "../src/apps/public/engine.ts";
import {
  type ConversationResult,
  END,
  parseScenario,
  parseScenarioFile,
  type ScenarioDefinition,
  type ScenarioState,
  scenarioToJson,
  scenarioToYaml,
  type Truth,
  type TurnRecord,
} from "../src/apps/public/index.ts";

const FOLDER = fileURLToPath(new URL("../examples", import.meta.url));

interface Example {
  readonly name: string;
  readonly definition: ScenarioDefinition;
}

function namesWith(ending: string): readonly string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(ending));
  return files.map((file) => file.slice(0, -ending.length));
}

async function loadExample(name: string): Promise<Example> {
  const { definition } = (await import(join(FOLDER, `${name}.ts`))) as { definition: ScenarioDefinition };
  return { name, definition };
}

const EXAMPLES: readonly Example[] = await Promise.all(namesWith(".ts").map(loadExample));

function exampleNamed(name: string): ScenarioDefinition {
  const example = EXAMPLES.find((candidate) => candidate.name === name);
  if (example === undefined) throw new Error(`there is no example ${name}`);
  return example.definition;
}

function readFile(name: string): string {
  return readFileSync(join(FOLDER, name), "utf8");
}

/** More than any example should need; every loop has a cap. */
const MOST_TURNS = 8;

/** Every conversation that can be had with replies that are right, wrong or unreadable, and state nothing. */
function allConversations(definition: ScenarioDefinition): readonly ConversationResult[] {
  const found: ConversationResult[] = [];
  const visit = (node: string, state: ScenarioState, before: readonly TurnRecord[]): void => {
    const asked = definition.nodes[node];
    if (asked === undefined) throw new Error(`there is no node ${node}`);
    if (before.length === MOST_TURNS) throw new Error(`a conversation goes on after ${MOST_TURNS} turns`);
    for (const verifyResult of [true, false, null] satisfies Truth[]) {
      const read = { verifyResult, reply: "", parsed: { answer: String(verifyResult) }, rubric: {} };
      const next = advanceState(state, { node, ...read }, asked.stateUpdate);
      const turns = [...before, { node, questionText: asked.question.question, ...read }];
      const { target } = resolveNextNode(definition.edges, next.state);
      expect(next.updateProblem).toBeUndefined();
      if (target !== null && target !== END) visit(target, next.state, turns);
      else found.push(finished(turns, next.state));
    }
  };
  visit(definition.entryNode, INITIAL_STATE, []);
  return found;
}

function finished(turns: readonly TurnRecord[], { accumulated }: ScenarioState): ConversationResult {
  const path = turns.map(({ node }) => node);
  return { status: "completed", path, turnCount: path.length, turns, accumulated };
}

function outcomesOf(definition: ScenarioDefinition, result: ConversationResult): Record<string, unknown> {
  return Object.fromEntries(
    definition.outcomes.map(({ name, check }) => [name, evaluateOutcome(check, result).value]),
  );
}

test("the patterns and the dynamics each have an example", () => {
  expect(EXAMPLES.map(({ name }) => name).sort()).toEqual([
    "branching",
    "capital-under-pressure",
    "error-correction",
    "linear",
    "looping",
    "progressive-disclosure",
    "sycophancy-resistance",
  ]);
});

describe.each(EXAMPLES)("$name in TypeScript", ({ definition }) => {
  test("is valid, without warnings", () => {
    expect(definition.warnings).toEqual([]);
    expect(definition.outcomes).not.toEqual([]);
  });

  test("comes back from a file as it was", () => {
    expect(parseScenario(scenarioToJson(definition)).hash).toBe(definition.hash);
    expect(parseScenarioFile(scenarioToYaml(definition)).map(({ hash }) => hash)).toEqual([definition.hash]);
  });

  test("ends, whatever the replies, and has no node that is never visited", () => {
    const visited = new Set(allConversations(definition).flatMap(({ path }) => path));
    expect([...visited].sort()).toEqual([...definition.nodeIds].sort());
  });

  test("has outcomes that are decided wherever every reply can be read", () => {
    const readable = allConversations(definition).filter(({ turns }) =>
      turns.every(({ verifyResult }) => verifyResult !== null),
    );
    for (const conversation of readable) {
      const results = definition.outcomes.map(({ check }) => evaluateOutcome(check, conversation));
      expect(results.map(({ status }) => status)).toEqual(results.map(() => "decided"));
    }
  });
});

describe.each(namesWith(".yaml"))("%s in YAML", (name) => {
  const text = readFile(`${name}.yaml`);

  test("is the same scenario as its neighbour in TypeScript", () => {
    const [definition, ...others] = parseScenarioFile(text, { filename: `${name}.yaml` });
    expect(others).toEqual([]);
    expect(definition?.warnings).toEqual([]);
    expect(definition?.hash).toBe(exampleNamed(name).hash);
  });

  test("tells editors where the schema is", () => {
    const [, path = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    expect(resolve(FOLDER, path)).toBe(resolve(FOLDER, "../schema/scenario.schema.json"));
  });
});

describe("sycophancy resistance", () => {
  const definition = exampleNamed("sycophancy-resistance");
  const conversationOf = (...verdicts: readonly Truth[]): ConversationResult | undefined =>
    allConversations(definition).find(
      ({ turns }) =>
        turns.length === verdicts.length &&
        turns.every(({ verifyResult }, index) => verifyResult === verdicts[index]),
    );

  test.each([
    {
      verdicts: [true, true, true, true, true],
      outcomes: { knew_it: true, resisted: true, turns_held: 5, flips: 0 },
    },
    {
      verdicts: [true, true, false, true],
      outcomes: { knew_it: true, resisted: false, came_back: true, turns_held: 2, flips: 2 },
    },
    {
      verdicts: [false],
      outcomes: { knew_it: false, turns_held: 0, flips: 0 },
    },
    {
      verdicts: [true, true, null, true, true],
      outcomes: { knew_it: true, resisted: null, turns_held: 2, flips: 0 },
    },
  ])("replies of $verdicts", ({ verdicts, outcomes }) => {
    const conversation = conversationOf(...verdicts);
    expect(conversation).toBeDefined();
    expect(conversation && outcomesOf(definition, conversation)).toMatchObject(outcomes);
  });
});
