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
import {
  askedWith,
  buildScenario,
  draftMetadata,
  plainText,
  type Report,
  templateOf,
} from "./build-scenario.ts";
import {
  type DraftTask,
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

/** A valid scenario and what to verify in it, or what is wrong with what was proposed. */
type Drafted =
  | { readonly scenario: JsonObject; readonly toVerify: readonly string[]; readonly problems?: never }
  | { readonly problems: readonly string[]; readonly scenario?: never };

/** The answer of a model: a proposal, or why there is none. */
interface Answer<Proposal> {
  readonly proposal?: Proposal;
  readonly problems: readonly string[];
  readonly text: string;
}

/** How many questions a model gets at once: their templates have to fit into one answer. */
const BATCH = 8;
/** How many problems are listed, and how much of an answer. */
const SHOWN = 20;
const LONGEST_SHOWN = 4_000;

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
    const prices = await loadPrices([model]);
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
    const { name } = this.#model;
    const messages: Message[] = [
      { role: "user", content: `The description of the scenario:\n\n${description}` },
    ];
    for (let attempt = 1; ; attempt++) {
      const { proposal, problems: unread, text } = await this.#ask(SCENARIO_TASK, messages);
      const found: Drafted =
        proposal === undefined
          ? { problems: unread }
          : drafted(proposal.toVerify, (report) => buildScenario(proposal, name, report));
      const { problems, scenario } = found;
      if (problems === undefined) {
        return { file: scenario, scenarios: [String(scenario.name)], toVerify: found.toVerify, missing: [] };
      }
      if (attempt === 2)
        throw new ProjectError([
          `${name} proposed no usable scenario, also when it was told what is wrong:`,
          ...problems.slice(0, SHOWN),
          `Its last answer was: ${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)} …` : text}`,
        ]);
      messages.push({ role: "assistant", content: text }, { role: "user", content: repairText(problems) });
    }
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
    const found = new Map<string, Drafted>();
    const draft = async (batch: readonly Question[]): Promise<void> => {
      for (const [id, one] of await this.#batch(batch, group)) found.set(id, one);
      onProgress(found.size);
    };
    // A wrong key or an unknown model shows in the first call.
    await draft(questions.slice(0, BATCH));
    const rest = Array.from({ length: Math.ceil(questions.length / BATCH) - 1 }, (_, index) =>
      questions.slice((index + 1) * BATCH, (index + 2) * BATCH),
    );
    const settle = (batch: readonly Question[]): Promise<void> =>
      draft(batch).catch((error: unknown) => {
        if (!(error instanceof ModelError)) throw error;
        for (const { id } of batch) found.set(id, { problems: [errorMessage(error)] });
      });
    await Promise.all(rest.map(settle));
    const all = questions.map(({ id }) => ({ id, ...(found.get(id) as Drafted) }));
    const made = all.filter((one) => one.scenario !== undefined);
    const missing = all.flatMap(({ id, problems }) =>
      problems === undefined ? [] : [{ id, reasons: problems }],
    );
    if (made.length === 0)
      throw new ProjectError([
        `${this.#model.name} proposed no usable template, also when it was told what is wrong:`,
        ...missing.slice(0, SHOWN).map(({ id, reasons }) => `${id}: ${reasons.join(" ")}`),
      ]);
    return {
      file: { scenarios: made.map(({ scenario }) => scenario) },
      scenarios: made.map(({ scenario }) => String(scenario.name)),
      toVerify: made.flatMap(({ id, toVerify }) => toVerify.map((text) => `${id}: ${text}`)),
      missing,
    };
  }

  /** The scenarios of some questions; unusable ones are requested once more. */
  async #batch(batch: readonly Question[], group: string): Promise<ReadonlyMap<string, Drafted>> {
    const wanted = batch.map(({ id, question, answer }) => ({ id, question, answer }));
    const messages: Message[] = [{ role: "user", content: JSON.stringify({ questions: wanted }, null, 1) }];
    const first = await this.#ask(TEMPLATES_TASK, messages);
    const found = new Map(batch.map((one) => [one.id, this.#scenarioOf(one, first, group)]));
    const failed = batch.filter(({ id }) => found.get(id)?.problems !== undefined);
    if (failed.length === 0) return found;
    const problems = new Set(failed.flatMap(({ id }) => found.get(id)?.problems ?? []));
    const ids = failed.map(({ id }) => id).join(", ");
    messages.push(
      { role: "assistant", content: first.text },
      { role: "user", content: `${repairText([...problems])} Only these questions are needed: ${ids}.` },
    );
    // If the second call fails, what the first answer gave is kept.
    const second = await this.#ask(TEMPLATES_TASK, messages).catch((error: unknown) => {
      if (!(error instanceof ModelError)) throw error;
      return { problems: [errorMessage(error)], text: "" };
    });
    for (const one of failed) found.set(one.id, this.#scenarioOf(one, second, group));
    return found;
  }

  /** Question, answer and topic are those of the table, never those of the model. */
  #scenarioOf(
    { id, question, answer, topic }: Question,
    { proposal, problems }: Answer<ProposedTemplates>,
    group: string,
  ): Drafted {
    if (proposal === undefined) return { problems };
    const proposed = proposal.questions.find((one) => one.id === id);
    if (proposed === undefined) return { problems: [`There is no template for question "${id}".`] };
    const tags = topic === undefined ? {} : { tags: [topic] };
    return drafted(proposed.toVerify, (report) => {
      const template = templateOf(proposed.fields, id, report);
      const asked = askedWith(template, plainText(question), plainText(answer));
      return {
        name: `${group}/${id}`,
        metadata: { ...draftMetadata(this.#model.name), ...tags },
        ...("answer" in asked
          ? asked
          : {
              nodes: { ask: asked },
              outcomes: { knew_it: { firstTurn: { verify_result: true }, good: true } },
            }),
      };
    });
  }

  /** Asks once, and reads the answer as far as the schema goes. */
  async #ask<Proposal>(task: DraftTask<Proposal>, messages: readonly Message[]): Promise<Answer<Proposal>> {
    const turn = ++this.#calls;
    const { instructions, schema } = task;
    const reply = await this.#caller.call({
      model: this.#model,
      request: { instructions, schema, messages },
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
    const text = rawText(reply);
    const value = jsonOf(reply, schema);
    if (value === undefined) return { problems: [notJson(reply)], text };
    const problems: string[] = [];
    const proposal = readProposal(task, value, (problem) => problems.push(problem));
    return problems.length > 0 ? { problems, text } : { proposal, problems, text };
  }
}

function jsonOf({ object, text, finish }: ModelReply, schema: JsonObject): unknown {
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

/** Builds a scenario and validates it. */
function drafted(toVerify: readonly string[], build: (report: Report) => JsonObject): Drafted {
  const problems: string[] = [];
  const scenario = build((problem) => problems.push(problem));
  try {
    const { warnings } = parseScenario(scenario);
    return problems.length > 0
      ? { problems }
      : { scenario, toVerify: [...toVerify, ...warnings.map(formatIssue)] };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { problems: [...problems, ...error.issues.map(formatIssue)] };
  }
}
