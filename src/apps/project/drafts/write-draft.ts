import { DEFAULTS } from "../../../core/defaults.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { Rng } from "../../../core/rng.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { DefinitionError, formatIssue } from "../../../core/schema/format-issue.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { extractJson, rawText } from "../../../engine/grading/judge/find-answer.ts";
import type { Message } from "../../../engine/models/message.ts";
import type { Model, ModelReply } from "../../../engine/models/model.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { Budget } from "../../../engine/run/calls/budget.ts";
import { Caller } from "../../../engine/run/calls/caller.ts";
import { systemClock } from "../../../engine/run/calls/clock.ts";
import { Limits } from "../../../engine/run/calls/limits.ts";
import { loadPrices, requirePrices } from "../../../engine/run/calls/prices.ts";
import type { RunOptions } from "../../../engine/run/run-options.ts";
import { ProjectError } from "../project-error.ts";
import { buildScenario, draftMetadata, plainText, type Report, templateOf } from "./build-scenario.ts";
import {
  type DraftTask,
  type ProposedScenario,
  type ProposedTemplates,
  readProposal,
  repairText,
  SCENARIO_TASK,
  TEMPLATES_TASK,
} from "./proposal.ts";
import type { Question } from "./read-questions.ts";

/** What a model has drafted. */
export interface Draft {
  /** In the form of a scenario file; every scenario in it is valid. */
  readonly file: JsonObject;
  /** The names of its scenarios. */
  readonly scenarios: readonly string[];
  /** What the author should verify, from the model and the validation. */
  readonly toVerify: readonly string[];
  /** The questions for which there is no usable template, and why. */
  readonly missing: readonly { readonly id: string; readonly reasons: readonly string[] }[];
}

/** Limits of the calls. */
type DraftLimits = Pick<RunOptions, "budget" | "retries" | "caps" | "timeouts" | "patienceMs">;

/** How many questions a model gets at once: their templates have to fit into one answer. */
const BATCH = 8;

/** Asks a model for drafts, and builds scenarios from its answers. */
export class Drafter {
  readonly #model: Model;
  readonly #caller: Caller;
  #calls = 0;

  private constructor(model: Model, caller: Caller) {
    this.#model = model;
    this.#caller = caller;
  }

  static async open(model: Model, limits: DraftLimits = {}): Promise<Drafter> {
    const { budget = {}, retries, caps, timeouts = {}, patienceMs } = limits;
    const prices = await loadPrices();
    if (budget.usd !== undefined) requirePrices(prices, [model]);
    const caller = new Caller({
      limits: new Limits({
        clock: systemClock,
        random: (key) => new Rng(key).next(),
        retries,
        caps,
        patience: { ms: patienceMs ?? DEFAULTS.patienceMs, isChosen: patienceMs !== undefined },
      }),
      budget: new Budget(budget),
      prices,
      clock: systemClock,
      cache: null,
      callTimeoutMs: timeouts.callMs === undefined ? DEFAULTS.callTimeoutMs : timeouts.callMs,
      emit: () => {},
    });
    return new Drafter(model, caller);
  }

  /** What all calls have used so far. */
  get spending(): Caller["spending"] {
    return this.#caller.spending;
  }

  /** Drafts a scenario from a description. Throws `ProjectError` if the second answer cannot be used, either. */
  async scenario(description: string): Promise<Draft> {
    const messages: Message[] = [
      { role: "user", content: `The description of the scenario:\n\n${description}` },
    ];
    let tried = await this.#proposeScenario(messages);
    if (tried.problems.length > 0) {
      messages.push(
        { role: "assistant", content: tried.answer },
        { role: "user", content: repairText(tried.problems) },
      );
      tried = await this.#proposeScenario(messages);
    }
    const { problems, answer, scenario, toVerify } = tried;
    if (scenario === undefined)
      throw new ProjectError([
        `${this.#model.name} proposed no usable scenario, also when it was told what is wrong:`,
        ...problems.slice(0, SHOWN),
        `Its last answer was: ${shortened(answer)}`,
      ]);
    return { file: { version: 1, ...scenario }, scenarios: [String(scenario.name)], toVerify, missing: [] };
  }

  async #proposeScenario(messages: readonly Message[]): Promise<{
    readonly problems: readonly string[];
    readonly answer: string;
    readonly scenario?: JsonObject;
    readonly toVerify: readonly string[];
  }> {
    const { proposal, problems, answer } = await this.#propose<ProposedScenario>(SCENARIO_TASK, messages);
    if (proposal === undefined) return { problems, answer, toVerify: [] };
    const { made, warnings, found } = valid((report) => buildScenario(proposal, this.#model.name, report));
    if (made === undefined) return { problems: found, answer, toVerify: [] };
    return { problems: [], answer, scenario: made, toVerify: [...proposal.toVerify, ...warnings] };
  }

  /**
   * Drafts a scenario for each question. Questions for which the second answer cannot be used, either, are missing. Throws
   * `ProjectError` if all are, and `ModelError` if the first call fails.
   */
  async questions(
    questions: readonly Question[],
    group: string,
    onProgress: (done: number) => void = () => {},
  ): Promise<Draft> {
    const batches: (readonly Question[])[] = [];
    for (let start = 0; start < questions.length; start += BATCH)
      batches.push(questions.slice(start, start + BATCH));
    const drafted = new Map<string, DraftedQuestion>();
    const take = async (batch: readonly Question[]): Promise<void> => {
      for (const [id, one] of await this.#batch(batch, group)) drafted.set(id, one);
      onProgress(drafted.size);
    };
    // A wrong key or an unknown model shows in the first call.
    const [first = [], ...rest] = batches;
    await take(first);
    await Promise.all(
      rest.map((batch) =>
        take(batch).catch((error: unknown) => {
          if (!(error instanceof ModelError)) throw error;
          for (const { id } of batch)
            if (!drafted.has(id)) drafted.set(id, { problems: [errorMessage(error)], toVerify: [] });
        }),
      ),
    );

    const scenarios: JsonObject[] = [];
    const toVerify: string[] = [];
    const missing: { readonly id: string; readonly reasons: readonly string[] }[] = [];
    for (const { id } of questions) {
      const { scenario, problems, toVerify: ofQuestion } = drafted.get(id) as DraftedQuestion;
      if (scenario === undefined) missing.push({ id, reasons: problems });
      else scenarios.push(scenario);
      toVerify.push(...ofQuestion.map((text) => `${id}: ${text}`));
    }
    if (scenarios.length === 0)
      throw new ProjectError([
        `${this.#model.name} proposed no usable template, also when it was told what is wrong:`,
        ...missing.slice(0, SHOWN).map(({ id, reasons }) => `${id}: ${reasons.join(" ")}`),
      ]);
    return {
      file: { version: 1, scenarios },
      scenarios: scenarios.map(({ name }) => String(name)),
      toVerify,
      missing,
    };
  }

  /** The scenarios of some questions; unusable ones are requested once more. */
  async #batch(batch: readonly Question[], group: string): Promise<ReadonlyMap<string, DraftedQuestion>> {
    const wanted = batch.map(({ id, question, answer }) => ({ id, question, answer }));
    const messages: Message[] = [{ role: "user", content: JSON.stringify({ questions: wanted }, null, 1) }];
    const first = await this.#propose<ProposedTemplates>(TEMPLATES_TASK, messages);
    const drafted = new Map(batch.map((one) => [one.id, this.#drafted(one, first, group)]));
    const failed = batch.filter(({ id }) => drafted.get(id)?.scenario === undefined);
    if (failed.length === 0) return drafted;
    const problems = new Set(failed.flatMap(({ id }) => drafted.get(id)?.problems ?? []));
    const ids = failed.map(({ id }) => id).join(", ");
    messages.push(
      { role: "assistant", content: first.answer },
      { role: "user", content: `${repairText([...problems])} Only these questions are needed: ${ids}.` },
    );
    const second = await this.#propose<ProposedTemplates>(TEMPLATES_TASK, messages).catch(
      (error: unknown) => {
        // What the first answer gave is kept.
        if (error instanceof ModelError) return { problems: [errorMessage(error)], answer: "" };
        throw error;
      },
    );
    for (const one of failed) drafted.set(one.id, this.#drafted(one, second, group));
    return drafted;
  }

  /** Question, answer and topic are those of the table, never those of the model. */
  #drafted(
    { id, question, answer, topic }: Question,
    { proposal, problems }: Proposed<ProposedTemplates>,
    group: string,
  ): DraftedQuestion {
    if (proposal === undefined) return { problems, toVerify: [] };
    const proposed = proposal.questions.find((one) => one.id === id);
    if (proposed === undefined)
      return { problems: [`There is no template for question "${id}".`], toVerify: [] };
    const { made, warnings, found } = valid((report) => ({
      name: `${group}/${id}`,
      metadata: {
        ...draftMetadata(this.#model.name),
        ...(topic === undefined ? {} : { tags: [topic] }),
      },
      entry: "ask",
      nodes: {
        ask: {
          question: {
            question: plainText(question),
            rawAnswer: plainText(answer),
            template: templateOf(proposed.fields, id, report),
          },
        },
      },
      outcomes: { right: { lastTurn: { verify_result: true }, good: true } },
    }));
    if (made === undefined) return { problems: found, toVerify: [] };
    return { scenario: made, problems: [], toVerify: [...proposed.toVerify, ...warnings] };
  }

  /** Asks once, and reads the answer as far as the schema goes. */
  async #propose<Proposal>(task: DraftTask, messages: readonly Message[]): Promise<Proposed<Proposal>> {
    const turn = ++this.#calls;
    const reply = await this.#caller.call({
      model: this.#model,
      request: { ...task, messages },
      context: {
        signal: new AbortController().signal,
        purpose: "judge",
        scenario: "draft",
        conversation: "draft",
        node: "draft",
        turn,
        replicate: 1,
        seed: 0,
      },
      call: String(turn),
    });
    const answer = rawText(reply);
    const value = jsonOf(reply, task);
    if (value === undefined) return { problems: [notJson(reply)], answer };
    const problems: string[] = [];
    const proposal = readProposal<Proposal>(task.schema, value, (problem) => problems.push(problem));
    return problems.length > 0 ? { problems, answer } : { proposal, problems, answer };
  }
}

interface DraftedQuestion {
  readonly scenario?: JsonObject;
  readonly problems: readonly string[];
  readonly toVerify: readonly string[];
}

interface Proposed<Proposal> {
  /** Missing if the answer does not follow the schema. */
  readonly proposal?: Proposal;
  readonly problems: readonly string[];
  readonly answer: string;
}

const SHOWN = 20;

function jsonOf({ object, text, finish }: ModelReply, { schema }: DraftTask): unknown {
  // A truncated list could be mistaken for a complete one.
  if (finish === "length") return undefined;
  if (object !== undefined) return object;
  const keys = Object.keys(schema.properties as JsonObject);
  const found = extractJson(text, (one) => keys.some((key) => Object.hasOwn(one, key)));
  return found.status === "found" ? found.value : undefined;
}

function notJson({ finish }: ModelReply): string {
  return finish === "length"
    ? "The answer was cut off before its end. It has to be shorter, or the model needs a larger limit of output."
    : "The answer is not one JSON object of the form that was asked for.";
}

/** A scenario that was built and is valid, with its warnings, or what was found to be wrong. */
function valid(build: (report: Report) => JsonObject): {
  readonly made?: JsonObject;
  readonly warnings: readonly string[];
  readonly found: readonly string[];
} {
  const found: string[] = [];
  const made = build((problem) => found.push(problem));
  try {
    const { warnings } = parseScenario(made);
    return found.length > 0 ? { warnings: [], found } : { made, warnings: warnings.map(formatIssue), found };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { warnings: [], found: [...found, ...error.issues.map(formatIssue)] };
  }
}

/** An answer, shortened for messages. */
function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)} … (${text.length} characters)` : text;
}

const LONGEST_SHOWN = 4_000;
