import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { clusteredMean } from "../../../core/statistics/clusters.ts";
import { canonicalJson, isRecord, type JsonObject } from "../../../core/values/json.ts";
import type { ConversationSummary, RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions, storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { addUsage, inspectSample, sampleId, type UsageByModel } from "./inspect-sample.ts";
import { isoTime } from "./sample-events.ts";
import type { LogData } from "./sample-messages.ts";
import { ZipWriter } from "./zip-file.ts";

/** How logs are made of a run. */
export interface InspectOptions {
  /** True for one log per scenario and subject; otherwise one per subject (and judge, if there are several). */
  readonly byScenario?: boolean;
  /** The version that stands in the log. */
  readonly version?: string;
}

/** A log of a run that Inspect opens. Everything is read from the store while it is written. */
export interface InspectLog {
  /** The name of the file without its ending, as listings of Inspect want it. */
  readonly name: string;
  /** The log as one JSON object, for small runs. */
  json(): Generator<string>;
  /** The log as an archive (`.eval`), one conversation at a time. */
  eval(): Generator<Uint8Array>;
}

/** The logs of a run. Throws `RunError` if there is no such run. */
export function inspectLogs(store: Store, name: string, options: InspectOptions = {}): readonly InspectLog[] {
  const run = storedRun(store, name);
  const definitions = storedDefinitions(store, run.run);
  const groups = Map.groupBy(store.conversations(run.run), ({ scenario, subject, judge }) =>
    JSON.stringify([subject, judge, ...(options.byScenario === true ? [scenario] : [])]),
  );
  return [...groups.values()].map((conversations) =>
    new LogWriter({ store, run, definitions, conversations, options }).log(groups.size),
  );
}

interface LogSource {
  readonly store: Store;
  readonly run: RunSummary;
  readonly definitions: ReadonlyMap<string, ScenarioDefinition>;
  readonly conversations: readonly ConversationSummary[];
  readonly options: InspectOptions;
}

class LogWriter {
  readonly #source: LogSource;
  readonly #scoreNames: (scenario: string, outcome: string) => string;

  constructor(source: LogSource) {
    this.#source = source;
    this.#scoreNames = scoreNames(source);
  }

  log(logs: number): InspectLog {
    const { run, conversations, options } = this.#source;
    const [{ subject, judge, scenario }] = conversations as [ConversationSummary];
    const task = options.byScenario === true ? scenario : run.run;
    const judges = new Set(conversations.map((conversation) => conversation.judge));
    const id = logs > 1 && (judges.size > 1 || judge !== RULES_JUDGE) ? `${subject}-${judge}` : subject;
    return {
      name: [
        isoTime(run.startedAt)
          .replace(/\.\d+Z$/, "-00-00")
          .replaceAll(":", "-"),
        fileName(task),
        fileName(id),
      ].join("_"),
      json: () => this.#json(),
      eval: () => this.#eval(),
    };
  }

  *#json(): Generator<string> {
    const usage = new UsageSum();
    for (const { usage: own } of this.#samples()) usage.add(own);
    const header = text(this.#header(usage));
    yield header.slice(0, -1);
    yield ',"samples":[';
    let isFirst = true;
    for (const { sample } of this.#samples()) {
      yield `${isFirst ? "" : ","}\n${text(sample)}`;
      isFirst = false;
    }
    yield "]}\n";
  }

  *#eval(): Generator<Uint8Array> {
    const archive = new ZipWriter();
    const usage = new UsageSum();
    const header = this.#header(usage);
    yield* archive.entry("_journal/start.json", text({ version: 2, eval: header.eval, plan: header.plan }));
    const summaries: string[] = [];
    for (const { sample, summary, usage: own } of this.#samples()) {
      usage.add(own);
      summaries.push(text(summary));
      yield* archive.entry(`samples/${String(sample.id)}_epoch_${String(sample.epoch)}.json`, text(sample));
    }
    yield* archive.entry("summaries.json", `[${summaries.join(",")}]`);
    yield* archive.entry("header.json", text(this.#header(usage)));
    yield* archive.end();
  }

  *#samples(): Generator<ReturnType<typeof inspectSample>> {
    const { store, run, definitions, conversations } = this.#source;
    for (const summary of conversations) {
      // A conversation that was forked is the beginning of its arms; what never began is not a sample.
      if (summary.status === null && summary.turnCount === 0) continue;
      yield inspectSample({
        store,
        run: run.run,
        summary,
        definition: definitions.get(summary.scenario),
        budget: run.start.configuration.budget,
        scoreName: (outcome) => this.#scoreNames(summary.scenario, outcome),
      });
    }
  }

  #header(usage: UsageSum): LogData {
    const { run, conversations, options } = this.#source;
    const { start } = run;
    const [{ subject, judge, scenario }] = conversations as [ConversationSummary];
    const scenarios = [...new Set(conversations.map((conversation) => conversation.scenario))];
    const ids = [...new Set(conversations.map(sampleId))];
    const task = options.byScenario === true ? scenario : run.run;
    const id = [run.run, subject, judge, ...(options.byScenario === true ? [scenario] : [])].join(".");
    const scores = this.#scores();
    return {
      version: 2,
      status: run.endedAt === null ? "started" : conversations.some(isStopped) ? "cancelled" : "success",
      eval: {
        eval_id: id,
        run_id: run.run,
        created: isoTime(run.startedAt),
        task,
        task_id: id,
        task_version: 0,
        task_attribs: {},
        task_args: { seed: start.seed, replicates: start.replicates },
        solver: "elenchus",
        tags: ["elenchus", ...run.tags],
        dataset: {
          name: scenarios.join(", ").slice(0, 200),
          samples: ids.length,
          sample_ids: ids,
          shuffled: false,
        },
        model: subject,
        model_generate_config: parametersOf(start.configuration, subject),
        model_args: {},
        model_roles: {
          ...(judge === RULES_JUDGE ? {} : { judge: { model: judge === SELF_JUDGE ? subject : judge } }),
          ...simulatorOf(start.configuration),
        },
        config: {
          epochs: start.replicates,
          epochs_reducer: ["mean"],
          ...limitsOf(start.configuration),
        },
        packages: options.version === undefined ? {} : { elenchus: options.version },
        metadata: {
          tool: "elenchus",
          run: run.run,
          seed: start.seed,
          scenarios: Object.fromEntries(scenarios.map((name) => [name, start.scenarios[name] ?? null])),
        },
        scorers: scores.map(({ name }) => ({
          name,
          metrics: [{ name: "mean" }, { name: "stderr" }],
        })),
      },
      plan: { name: "elenchus", steps: [{ solver: "elenchus", params: { scenarios } }], config: {} },
      results: {
        total_samples: conversations.length,
        completed_samples: conversations.filter(({ status }) => status !== null && status !== "error").length,
        scores,
      },
      stats: {
        started_at: isoTime(run.startedAt),
        completed_at: isoTime(run.endedAt ?? run.startedAt),
        model_usage: usage.models,
        role_usage: usage.roles,
      },
    };
  }

  /** Means over decided conversations; an outcome that was decided nowhere has no metrics. */
  #scores(): readonly LogData[] {
    const { store, run, conversations } = this.#source;
    const own = new Set(conversations.map(({ conversation }) => conversation));
    const values = new Map<
      string,
      { readonly decided: number[]; readonly items: string[]; unscored: number }
    >();
    for (const { conversation, scenario, item, outcomes } of store.scores(run.run)) {
      if (!own.has(conversation)) continue;
      for (const [outcome, score] of outcomes) {
        const name = this.#scoreNames(scenario, outcome);
        const known = values.get(name) ?? { decided: [], items: [], unscored: 0 };
        values.set(name, known);
        if (typeof score === "string") known.unscored++;
        else {
          known.decided.push(Number(score));
          known.items.push(item);
        }
      }
    }
    return [...values].map(([name, { decided, items, unscored }]) => {
      const found = decided.length === 0 ? null : clusteredMean(decided, items);
      const metric = (key: string, value: number): LogData => ({ name: key, value, params: {} });
      return {
        name,
        scorer: name,
        reducer: "mean",
        scored_samples: decided.length,
        unscored_samples: unscored,
        params: {},
        metrics: {
          mean: found === null ? undefined : metric("mean", found.mean),
          stderr: found?.standardError == null ? undefined : metric("stderr", found.standardError),
        },
      };
    });
  }
}

function isStopped({ status }: ConversationSummary): boolean {
  return status === null || status === "cancelled" || status === "budget_exhausted";
}

/** An outcome keeps its name unless another scenario means something else by it. */
function scoreNames({
  definitions,
  conversations,
}: LogSource): (scenario: string, outcome: string) => string {
  const meanings = new Map<string, Set<string>>();
  for (const scenario of new Set(conversations.map((conversation) => conversation.scenario)))
    for (const { name, check, when } of definitions.get(scenario)?.outcomes ?? []) {
      const known = meanings.get(name) ?? new Set<string>();
      meanings.set(name, known.add(canonicalJson([check, when ?? null])));
    }
  return (scenario, outcome) => ((meanings.get(outcome)?.size ?? 0) > 1 ? `${scenario}/${outcome}` : outcome);
}

function limitsOf({ turnLimit, budget }: JsonObject): LogData {
  const { usd, tokens } = isRecord(budget) ? budget : {};
  const number = (limit: unknown): number | undefined => (typeof limit === "number" ? limit : undefined);
  return { turn_limit: number(turnLimit), cost_limit: number(usd), token_limit: number(tokens) };
}

/** Parameters that Inspect has, too, by their names there. */
const PARAMETERS: Readonly<Record<string, string>> = {
  temperature: "temperature",
  maxOutputTokens: "max_tokens",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  stopSequences: "stop_seqs",
  seed: "seed",
};

function parametersOf({ subjects }: JsonObject, subject: string): LogData {
  const identity = isRecord(subjects) ? subjects[subject] : undefined;
  const given = isRecord(identity) && isRecord(identity.parameters) ? identity.parameters : {};
  return Object.fromEntries(Object.entries(PARAMETERS).map(([own, theirs]) => [theirs, given[own]]));
}

function simulatorOf({ simulator }: JsonObject): LogData {
  const { provider, model } = isRecord(simulator) ? simulator : {};
  return typeof model === "string" ? { simulator: { model: `${String(provider)}/${model}` } } : {};
}

/** Underscores separate the parts of a name. */
function fileName(part: string): string {
  return part.replace(/[^A-Za-z0-9.-]+/g, "-").slice(0, 80);
}

class UsageSum implements UsageByModel {
  readonly models: Record<string, LogData> = {};
  readonly roles: Record<string, LogData> = {};

  add({ models, roles }: UsageByModel): void {
    for (const [model, usage] of Object.entries(models))
      this.models[model] = addUsage(this.models[model], usage);
    for (const [role, usage] of Object.entries(roles)) this.roles[role] = addUsage(this.roles[role], usage);
  }
}

const NAN = "\u0001NaN\u0001";

/** JSON with the bare word NaN, which Inspect reads as "no value". */
function text(data: LogData): string {
  const written = JSON.stringify(data, (_, value: unknown) => {
    if (typeof value === "number" && Number.isNaN(value)) return NAN;
    return value === NAN ? `${NAN} ` : value;
  });
  return written.replaceAll(JSON.stringify(NAN), "NaN");
}
