import { fillTexts, hasTexts } from "../liquid/fill-texts.ts";
import { TextError, type TextScope } from "../liquid/text-template.ts";
import type { ScenarioState, TurnRecord } from "../state/state.ts";
import type { Question, ScenarioDefinition, ScenarioNode } from "./definition.ts";

/** A turn as texts see it. */
export type TurnView = Partial<TurnRecord> & {
  readonly turn: number;
  readonly node: string;
  readonly agent?: string;
  readonly score?: number | null;
};

/** What texts see of a turn. A field that was not read is null, and not a variable that does not exist. */
export function turnScope(turn: TurnView, node: ScenarioNode | undefined): TextScope {
  const { template, rubric } = node?.question ?? {};
  const traits = [...(node?.rubric?.traits ?? []), ...(rubric?.traits ?? [])];
  return {
    turn: turn.turn,
    node: turn.node,
    agent: turn.agent ?? null,
    question: turn.questionText ?? "",
    reply: turn.reply ?? "",
    parsed: { ...nulls(Object.keys(template?.fields ?? {})), ...turn.parsed },
    verify_result: turn.verifyResult ?? null,
    score: turn.score ?? null,
    refused: turn.refused ?? null,
    rubric: { ...nulls(traits.map(({ name }) => name)), ...turn.rubric },
  };
}

function nulls(names: readonly string[]): Readonly<Record<string, null>> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** The last visit of each node, by its id. */
export function lastVisits(turns: readonly TextScope[]): TextScope {
  const visits = new Map<string, number>();
  const nodes: Record<string, TextScope> = {};
  for (const turn of turns) {
    const id = String(turn.node);
    const count = (visits.get(id) ?? 0) + 1;
    visits.set(id, count);
    nodes[id] = { ...turn, visits: count };
  }
  return nodes;
}

/** A question with its texts, as they are before a turn; as its author wrote it if they cannot be rendered. */
export function questionBefore(
  definition: ScenarioDefinition,
  id: string,
  before: ScenarioState,
): Question | undefined {
  const question = (definition.unbound ?? definition).nodes[id]?.question;
  if (question === undefined || !hasTexts(question)) return question;
  const turns = before.turns.map((turn, index) =>
    turnScope({ ...turn, turn: index + 1 }, definition.nodes[turn.node]),
  );
  const scope = {
    ...definition.given,
    visit: before.turns.filter(({ node }) => node === id).length,
    turns,
    nodes: lastVisits(turns),
    accumulated: before.accumulated,
  };
  try {
    return fillTexts(question, scope);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    // A journal has the short values of a row, which the truth may need, and not its lists.
    return fillTexts(question, scope, { lenient: true });
  }
}
