import {
  type ConversationRecord,
  countTurns,
  END,
  lastTurn,
  question,
  type RunOptions,
  Scenario,
  type ScenarioDefinition,
  turnOfFlip,
} from "../../src/apps/public/index.ts";
import { httpModel } from "../../src/apps/public/models.ts";

/** What a process of the fault tests is told to do. */
export interface Assignment {
  readonly file: string;
  readonly run: string;
  readonly url: string;
  /** The name of the scenario, which is part of its questions. */
  readonly scenario?: string;
  /** True to leave the journal alone to prevent that a call is repeated. */
  readonly fresh?: boolean;
  readonly lockTimeoutMs?: number;
}

/** 3 rows × 4 replicates, 4 turns each; each turn is one call of the subject and one of the judge. */
export const CONVERSATIONS = 12;
/** All calls of a run that nobody interrupts. */
export const CALLS: number = CONVERSATIONS * 8;

/** The turn after which the next question depends on the verdict. */
export const ROUTED_TURN = 2;

/** The environment variable that tells the server which process asks. */
export const CHILD_VARIABLE = "ELENCHUS_FAULTS_CHILD";

/** Four questions; the third depends on how the second was answered. */
function scenarioOf(name: string): ScenarioDefinition {
  const asked = (text: string): ReturnType<typeof question> =>
    question({
      question: `${name}: ${text} {{row.topic}}?`,
      rawAnswer: "yes",
      template: { fields: { right: { type: "boolean", description: "whether it says yes", truth: true } } },
    });
  return new Scenario(name)
    .addNode("ask", { question: asked("What about") })
    .addNode("press", { question: asked("Are you sure about") })
    .addNode("deepen", {
      question: asked("Good. Why"),
      stateUpdate: (accumulated) => ({ ...accumulated, deepened: true }),
    })
    .addNode("repair", { question: asked("Think again about") })
    .addNode("close", { question: asked("At last, what of") })
    .addEdge("ask", "press")
    .addEdge("press", "deepen", { when: { verify_result: true } })
    .addEdge("press", "repair")
    .addEdge("deepen", "close")
    .addEdge("repair", "close")
    .addEdge("close", END)
    .addOutcome("right_in_the_end", lastTurn({ verify_result: true }))
    .addOutcome("right_from_the_start", turnOfFlip())
    .addOutcome("repairs", countTurns({ node: "repair" }))
    .setEntry("ask")
    .validate();
}

/** The run that all processes of the fault tests make. */
export function benchmark({ url, run, scenario = "kept", fresh = false }: Assignment): RunOptions {
  const served = (kind: string): ReturnType<typeof httpModel> => {
    const model = httpModel({
      url,
      name: kind,
      body: {
        kind,
        message: "{{message}}",
        conversation: "{{conversation}}",
        node: "{{node}}",
        turn: "{{turn}}",
        replicate: "{{replicate}}",
      },
      reply: "reply",
      keyVariable: CHILD_VARIABLE,
      price: null,
      cache: true,
    });
    // The server has no memory, and must know a conversation again after a resume.
    const reply: typeof model.reply = (request, context) =>
      model.reply(request, { ...context, session: context.conversation });
    return { ...model, hasMemory: false, reply };
  };
  return {
    scenarios: scenarioOf(scenario),
    subjects: served("subject"),
    judge: served("judge"),
    rows: [{ topic: "rain" }, { topic: "snow" }, { topic: "wind" }],
    replicates: 4,
    concurrency: 6,
    run,
    fresh,
  };
}

/** What must be the same however often a run was interrupted: all but what the calls took. */
export function told(records: readonly ConversationRecord[]): string {
  return JSON.stringify(
    records.map(({ spending: _, cost: __, tokens: ___, turns, ...record }) => ({
      ...record,
      turns: turns.map(({ spending: ____, ...turn }) => turn),
    })),
  );
}
