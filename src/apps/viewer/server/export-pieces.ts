import { gzipSync } from "node:zlib";
import type { Cell } from "../../../engine/journal/run-event.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import type {
  ConversationAnswer,
  ConversationEntry,
  CoverageAnswer,
  ScenarioAnswer,
  TurnView,
} from "../answers.ts";
import { CHUNK, type ExportedConversation, packCalls } from "../packed-calls.ts";
import { conversationAnswer, keptCalls } from "./conversation-data.ts";
import { conversationsAnswer, placeText } from "./entries-data.ts";
import { comparisonAnswer, curvesAnswer, groupsAnswer, ratesAnswer } from "./heavy-answer.ts";
import { heatAnswer, runAnswer, runEntry, type Viewed } from "./run-data.ts";
import { coverageAnswer, scenarioAnswer } from "./scenario-data.ts";

/** A part of an export, loaded when a page needs it: compressed JSON as text. */
export interface ExportPiece {
  readonly name: string;
  readonly text: string;
}

/** What an export of a run has. */
export interface ExportOptions {
  /** False to leave out what was asked and replied. */
  readonly hasTexts: boolean;
}

/** The parts of an export, one after the other: all answers that the pages ask a server for. */
export async function* exportPieces(
  viewed: Viewed,
  summary: RunSummary,
  { hasTexts }: ExportOptions,
): AsyncGenerator<ExportPiece> {
  const { run } = summary;
  const answers = new Map<string, unknown>();
  const runPath = `/api/runs/${encodeURIComponent(run)}`;
  const found = runAnswer(viewed, summary);
  // Values of rows are texts of the dataset.
  const groups = hasTexts ? found.groups : found.groups.filter((name) => !name.startsWith("row"));
  const data = { ...found, groups };
  // The path of the store is private.
  answers.set("/api/runs", { store: "", runs: [runEntry(viewed, summary)] });
  answers.set(runPath, { ...data, state: data.state === "running" ? "stopped" : data.state });
  for (const { outcome } of data.rates.outcomes)
    answers.set(
      `${runPath}/heat?outcome=${new URLSearchParams({ outcome }).toString().slice(8)}`,
      heatAnswer(viewed, summary, { outcome, hasTexts }),
    );
  let rehearsed = 0;
  for (const scenario of Object.keys(summary.start.scenarios)) {
    const answer = scenarioAnswer(viewed, summary, scenario);
    const path = `${runPath}/scenarios/${encodeURIComponent(scenario)}`;
    if (answer !== undefined) answers.set(path, hasTexts ? answer : withoutQuestions(answer));
    if (++rehearsed > MOST_REHEARSED) continue;
    const covered = await coverageAnswer(viewed.store, run, scenario);
    answers.set(`${path}/coverage`, covered === null || hasTexts ? covered : withoutReplies(covered));
  }
  answers.set(`${runPath}/curves`, curvesAnswer(viewed.store, summary));
  answers.set(`${runPath}/rates`, ratesAnswer(viewed.store, summary));
  for (const name of groups) {
    const by = [name, "subject"];
    const query = new URLSearchParams({ by: by.join(",") }).toString();
    answers.set(`${runPath}/rates?${query}`, groupsAnswer(viewed.store, run, by));
  }
  for (const [a, b] of pairsOf(summary.start.subjects)) {
    const query = new URLSearchParams({ a, b }).toString();
    answers.set(
      `${runPath}/comparison?${query}`,
      comparisonAnswer(viewed.store, { run, a, withRun: run, b }),
    );
  }
  yield piece("answers", Object.fromEntries(answers));
  const entries = allEntries(viewed, run);
  yield piece(
    "entries",
    hasTexts ? entries : entries.map((entry) => ({ ...withoutRowName(entry), place: unnamed(entry) })),
  );
  let count = 0;
  for (const names of chunksOf(viewed, run))
    yield piece(`conversations-${count++}`, await answersOf(viewed, summary, names, hasTexts));
}

/** The names of conversations, as many as are loaded together at a time. */
function* chunksOf({ store }: Viewed, run: string): Generator<readonly string[]> {
  let names: string[] = [];
  for (const { conversation } of store.conversations(run)) {
    names.push(conversation);
    if (names.length < CHUNK) continue;
    yield names;
    names = [];
  }
  if (names.length > 0) yield names;
}

/** So many scenarios are rehearsed, for what would reach what no conversation reached. */
const MOST_REHEARSED = 100;

/** So many pairs of subjects are compared beforehand, both ways. */
const MOST_PAIRS = 60;

function pairsOf(subjects: readonly string[]): readonly (readonly [string, string])[] {
  return subjects
    .flatMap((a) =>
      subjects.flatMap((b): readonly (readonly [string, string])[] => (a === b ? [] : [[a, b]])),
    )
    .slice(0, MOST_PAIRS);
}

function allEntries(viewed: Viewed, run: string): readonly ConversationEntry[] {
  const entries: ConversationEntry[] = [];
  let after: string | undefined;
  for (;;) {
    const page = conversationsAnswer(viewed.browser, run, { filter: {}, after, limit: 200 });
    entries.push(...page.conversations);
    if (page.next === null) return entries;
    after = page.next;
  }
}

async function answersOf(
  viewed: Viewed,
  summary: RunSummary,
  names: readonly string[],
  hasTexts: boolean,
): Promise<readonly ExportedConversation[]> {
  const answers: ExportedConversation[] = [];
  for (const name of names) {
    const answer = await conversationAnswer(viewed, summary, name);
    if (answer === undefined) continue;
    answers.push(
      hasTexts
        ? { answer, calls: packCalls(keptCalls(viewed.store, summary.run, name)) }
        : { answer: withoutTexts(answer) },
    );
  }
  return answers;
}

function piece(name: string, data: unknown): ExportPiece {
  const json = JSON.stringify(data, (_, value: unknown) =>
    typeof value === "string" ? redactSecrets(value) : value,
  );
  return { name, text: gzipSync(json, { level: 9 }).toString("base64") };
}

const LEFT_OUT = "(text left out)";

/** Verdicts, paths and figures stay; all texts are removed. */
function withoutTexts({ graph: _, ...answer }: ConversationAnswer): ConversationAnswer {
  return {
    ...answer,
    cell: withoutRowName(answer.cell),
    place: unnamed(answer.cell),
    failure: answer.failure === null ? null : LEFT_OUT,
    turns: answer.turns.map(turnWithoutTexts),
  };
}

/** A question is part of the name of a row. */
function withoutRowName<One extends Cell>({ rowName: _, ...cell }: One): Omit<One, "rowName"> {
  return cell;
}

/** What distinguishes a conversation, without texts. */
function unnamed({ rowName: _, ...cell }: Cell): string {
  return placeText(cell);
}

function turnWithoutTexts(turn: TurnView): TurnView {
  const { instructions, state: _, judgeFailure, ...rest } = turn;
  return {
    ...rest,
    ...(instructions === undefined ? {} : { instructions: LEFT_OUT }),
    ...(judgeFailure === undefined ? {} : { judgeFailure: LEFT_OUT }),
    question: LEFT_OUT,
    before: [],
    steps: [],
    ...(turn.reply === undefined ? {} : { reply: LEFT_OUT }),
    fields: turn.fields.map(({ name, result, score }) => ({
      name,
      result,
      score,
      expected: null,
      choices: [],
    })),
    traits: turn.traits.map(({ name, value }) => ({
      name,
      value: typeof value === "string" ? LEFT_OUT : value,
      choices: [],
    })),
    edges: turn.edges.map(({ reason: __, ...edge }) => edge),
    warnings: [],
    retries: turn.retries.map((retry) => ({ ...retry, message: LEFT_OUT })),
    calls: turn.calls.map((call) => ({ ...call, failure: call.failure === null ? null : LEFT_OUT })),
  };
}

/** Replies of a witness name what is true. */
function withoutReplies({ notReached, ...rest }: CoverageAnswer): CoverageAnswer {
  return {
    ...rest,
    notReached: notReached.map(({ witness, ...one }) => ({
      ...one,
      witness: witness && {
        ...witness,
        place: "",
        turns: witness.turns.map((turn) => ({ ...turn, reply: "" })),
      },
    })),
  };
}

function withoutQuestions(answer: ScenarioAnswer): ScenarioAnswer {
  const { graph, example: _, ...rest } = answer;
  if (graph === null) return { ...rest, graph };
  const nodes = graph.nodes.map((node) => ({ ...node, question: "", fields: [] }));
  return { ...rest, graph: { ...graph, description: "", nodes } };
}
