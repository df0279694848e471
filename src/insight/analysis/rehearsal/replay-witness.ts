import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import { isJudgedTrait, type JudgedTrait } from "../../../core/templates/rubric.ts";
import { isTraceCheck } from "../../../core/templates/template.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { answerKeys, metricItems } from "../../../engine/grading/judge/judge-task.ts";
import type { CallContext, Model, ModelReply, ModelRequest } from "../../../engine/models/model.ts";
import { openRows } from "../../../engine/run/open-rows.ts";
import type { RunOptions } from "../../../engine/run/run-options.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import type { ConversationRecord } from "../../../engine/run/step/conversation-state.ts";
import type { RehearsedTurn, Witness } from "./rehearsal.ts";

/** Models that say what a witness says: the subject replies, the judge reads what was meant, the simulated user does its part. */
export interface WitnessModels {
  readonly subject: Model;
  readonly judge: Model;
  readonly simulator: Model;
}

/** The reply in other arms of a fork, for which the witness has none. */
const NOTHING = "…";

/** The models that play a witness. They have the names of persons, so that what is recorded of them can be asked for by name. */
export function witnessModels(definition: ScenarioDefinition, witness: Witness): WitnessModels {
  const turnAt = ({ turn, arm = "" }: CallContext): RehearsedTurn | undefined => {
    const isThere = arm === "" || (witness.arm ?? "") === arm || (witness.arm ?? "").startsWith(`${arm}/`);
    return isThere ? witness.turns[turn - 1] : undefined;
  };
  return {
    subject: scripted((_, context) => ({ text: turnAt(context)?.reply ?? NOTHING })),
    judge: scripted((request, context) => judged(definition, turnAt(context), { request, context })),
    simulator: scripted((_, context) => {
      const { user } = turnAt(context) ?? {};
      return answerOf({ text: "Please go on.", reveals: user?.reveals ?? [], done: user?.done ?? false });
    }),
  };
}

function scripted(
  answer: (request: ModelRequest, context: CallContext) => Omit<ModelReply, "finish">,
): Model {
  return {
    name: "person",
    identity: { provider: "person", model: "person" },
    account: "person",
    price: null,
    reply: async (request, context) => ({ ...answer(request, context), finish: "stop" }),
  };
}

function answerOf(object: JsonObject): Omit<ModelReply, "finish"> {
  return { text: JSON.stringify(object), object };
}

/** What the judge answers: the fields, traits and refusal that it is asked for. */
function judged(
  definition: ScenarioDefinition,
  turn: RehearsedTurn | undefined,
  { request, context }: { readonly request: ModelRequest; readonly context: CallContext },
): Omit<ModelReply, "finish"> {
  if (turn?.unreadable === true) return { text: "It cannot be read." };
  const asked = isRecord(request.schema?.properties) ? request.schema.properties : {};
  const node = definition.nodes[context.node] as ScenarioNode;
  const { template, rubric } = node.question;
  const fields = Object.entries(template?.fields ?? {}).filter(([, { check }]) => !isTraceCheck(check));
  const traits = [...(rubric?.traits ?? []), ...(node.rubric?.traits ?? [])].filter(isJudgedTrait);
  const names = fields.map(([name]) => name);
  const keys = answerKeys(names, "field");
  const values = fields.map(([name, { evidence }], index): readonly [string, JsonValue] => {
    const value = turn?.parsed[name] ?? null;
    return [keys[index] as string, evidence === true ? { quote: turn?.reply ?? null, value } : value];
  });
  const traitKeys = answerKeys(
    traits.map(({ name }) => name),
    "trait",
  );
  const answers = traits.map((trait, index): readonly [string, JsonValue] => [
    traitKeys[index] as string,
    traitAnswer(trait, turn?.rubric?.[trait.name] ?? null),
  ]);
  return answerOf({
    ...("fields" in asked ? { fields: Object.fromEntries(values) } : {}),
    ...("traits" in asked ? { traits: Object.fromEntries(answers) } : {}),
    ...("refused" in asked ? { refused: turn?.refused ?? (turn === undefined ? null : false) } : {}),
  });
}

/** A metric is computed from what is found; all or nothing gives its extremes. */
function traitAnswer(trait: JudgedTrait, value: JsonValue): JsonValue {
  if (trait.type !== "metric") return value;
  const found = value === null ? null : value === 1;
  return Object.fromEntries(
    metricItems(trait).map(({ key }) => [
      key,
      key.startsWith("expected") ? found : found === null ? null : !found,
    ]),
  );
}

/** Runs a witness as a real run does, with its scripted subject, judge and user. */
export async function replayWitness(
  definition: ScenarioDefinition,
  witness: Witness,
  options: Pick<RunOptions, "turnLimit" | "dataset" | "rows" | "store"> = {},
): Promise<ConversationRecord> {
  const { subject, judge, simulator } = witnessModels(definition, witness);
  const { place, arm } = witness;
  const row = place.row === undefined ? undefined : await rowNamed(definition, place.row, options);
  const { results } = runScenarios({
    ...options,
    // Witnesses in one store reply differently to the same question.
    fresh: true,
    scenarios: definition,
    subjects: subject,
    judge,
    simulator,
    reading: "judge",
    allowDrafts: true,
    embedder: sameOrNot(),
    ...(row === undefined ? {} : { rows: [row] }),
    ...(place.variant === undefined ? {} : { variant: place.variant }),
  });
  // Arms come after the conversation that they continue.
  const records = await results;
  return records.find((record) => record.arm === arm) as ConversationRecord;
}

/** The row of a scenario that has this id. */
export async function rowNamed(
  definition: ScenarioDefinition,
  id: string,
  options: Pick<RunOptions, "dataset" | "rows">,
): Promise<JsonObject | undefined> {
  for await (const row of (await openRows(definition, options)) ?? []) if (row.id === id) return row.values;
  return undefined;
}

const MOST_TEXTS = 256;

/** An embedding model for which two texts are the same, or have nothing in common. */
function sameOrNot(): (text: string) => Promise<readonly number[]> {
  const known = new Map<string, number>();
  return async (text) => {
    const place = known.get(text) ?? known.size % MOST_TEXTS;
    known.set(text, place);
    return Array.from({ length: MOST_TEXTS }, (_, index) => Number(index === place));
  };
}
