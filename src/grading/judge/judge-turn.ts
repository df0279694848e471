import type { JudgeModel } from "./judge-model.ts";
import type { Judging } from "./judge-plan.ts";
import { type JudgeInput, type JudgeRequest, judgeRequests } from "./judge-request.ts";
import { type Judgement, readJudgement } from "./read-judgement.ts";
import { repairRequest } from "./repair-request.ts";
import { type JudgeCall, type JudgedRequest, joinJudgements, type TurnJudgement } from "./turn-judgement.ts";

/** How a turn is judged. */
export interface JudgeTurnOptions {
  readonly judging?: Judging;
  readonly signal?: AbortSignal;
}

/**
 * Lets a judge read a turn: in as few calls as possible, side by side, each with one attempt to repair an answer that
 * cannot be read. An error that the model throws is no judgement and is passed on, once all calls have come to rest.
 */
export async function judgeTurn(
  judge: JudgeModel,
  input: JudgeInput,
  options: JudgeTurnOptions = {},
): Promise<TurnJudgement> {
  const { judging = "together", signal } = options;
  const settled = await Promise.allSettled(
    judgeRequests({ ...input, judging }).map((request) => judgeOne(judge, { request, input, signal })),
  );
  const parts = settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  return joinJudgements(parts);
}

/** Lets a judge read the answer to one request of a turn, with one attempt to repair it. */
export async function judgePart(
  judge: JudgeModel,
  input: JudgeInput,
  { part, judging = "together", signal }: JudgeTurnOptions & { readonly part: number },
): Promise<TurnJudgement> {
  const request = judgeRequests({ ...input, judging })[part];
  if (request === undefined) throw new TypeError(`Expected a turn with more than ${part} requests`);
  return joinJudgements([await judgeOne(judge, { request, input, signal })]);
}

interface Task {
  readonly request: JudgeRequest;
  readonly input: JudgeInput;
  readonly signal: AbortSignal | undefined;
}

async function judgeOne(judge: JudgeModel, task: Task): Promise<JudgedRequest> {
  const { request } = task;
  const [call, judgement] = await callJudge(judge, task, false);
  if (judgement.status === "read") return { request, judgement, calls: [call] };
  const repair = repairRequest(request, call.answer, judgement.error);
  const [secondCall, repaired] = await callJudge(judge, { ...task, request: repair }, true);
  return { request, judgement: repaired, calls: [call, secondCall] };
}

async function callJudge(
  judge: JudgeModel,
  { request, input, signal }: Task,
  repaired: boolean,
): Promise<readonly [JudgeCall, Judgement]> {
  const answer = await judge(request, signal === undefined ? {} : { signal });
  const judgement = readJudgement(request, input, answer);
  const error = judgement.status === "unreadable" ? { error: judgement.error } : {};
  return [{ request, answer, ...error, repaired }, judgement];
}
