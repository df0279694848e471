import type { Cell, RunEvent } from "elenchus";
import type { Store } from "elenchus/store";

const SPENT = { calls: 1, cached: 0, tokens: 300, cost: 0.001 };

/** Writes a run of many conversations with the events that tables are made of. */
export async function fillStore(
  store: Store,
  { conversations, turns }: { readonly conversations: number; readonly turns: number },
): Promise<void> {
  const journal = store.begin({
    type: "run-start",
    run: "filled",
    seed: 0,
    conversations,
    scenarios: {},
    subjects: [],
    judges: ["rules"],
    replicates: conversations / 10,
    configuration: {},
    at: 0,
  });
  for (let index = 0; index < conversations; index++) {
    for (const event of conversationEvents(index, turns)) journal.append(event);
    if (index % 500 === 0) await journal.durable();
  }
  await journal.durable();
}

function* conversationEvents(index: number, turns: number): Generator<RunEvent> {
  const conversation = `conversation ${index}`;
  const cell: Cell = {
    index,
    scenario: `scenario ${index % 5}`,
    subject: `subject ${index % 2}`,
    judge: "rules",
    replicate: Math.floor(index / 10) + 1,
  };
  const settings = { turnLimit: 20, judged: false, judging: "together", detectRefusal: false } as const;
  yield { type: "conversation-start", conversation, cell, scenarioHash: "0", settings, at: index };
  for (let turn = 1; turn <= turns; turn++) {
    const right = (index + turn) % 3 !== 0;
    const field = { result: right, score: Number(right) };
    yield {
      type: "turn-end",
      conversation,
      result: {
        turn,
        node: `node ${turn}`,
        questionText:
          "Which planet is nearest to the sun? Answer with its name, and say how sure you are of it.",
        reply: `I am ${index % 100} per cent sure that it is ${right ? "Mercury" : "Venus"}, because I was told so.`,
        verifyResult: right,
        score: Number(right),
        fields: { planet: field },
        parsed: { planet: "Mercury" },
        traits: {},
        rubric: {},
        refused: null,
        notes: {},
        readStatus: "read",
        quotes: {},
        finish: "stop",
        next: null,
        spending: SPENT,
      },
      at: index,
    };
  }
  const outcome = { type: "outcome", conversation, status: "decided", turns: [], at: index } as const;
  yield { ...outcome, name: "kept", value: index % 4 !== 0 };
  yield {
    type: "conversation-end",
    conversation,
    cell,
    status: index % 50 === 0 ? "error" : "completed",
    turnCount: turns,
    path: [],
    spending: { ...SPENT, calls: turns },
    at: index,
  };
}
