import { RULES_JUDGE, SELF_JUDGE } from "../../core/defaults.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { ModelReference } from "../../core/scenario/model-override.ts";
import { portableScenario } from "../../core/scenario/scenario-to-json.ts";
import { DefinitionError, formatIssue } from "../../core/schema/format-issue.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import {
  type JudgeOption,
  list,
  type ModelOption,
  type RunOptions,
  type SubjectOption,
} from "../run/run-options.ts";
import { loadAcorn } from "../run/sandbox/acorn-library.ts";

/** The version of the work sheet. A worker of another version takes no conversations of the run. */
export const WORK_FORMAT = 1;

/** What a worker must know about a run beside its journal: data only. Models are named; addresses, tools and keys are the worker's own. */
export interface WorkSheet {
  readonly format: number;
  readonly options: JsonObject;
  /** The tool servers that the worker must have, by name. */
  readonly tools: readonly string[];
  /** Sentences about the code of the run: a worker needs the same project file. */
  readonly code: readonly string[];
  /** The scenarios that have code. What the journal keeps of their functions would run in the sandbox, and do something else there. */
  readonly coded: readonly string[];
  /** The hash of that project file. */
  readonly project?: string;
  /** What a resume retries. */
  readonly resume?: { readonly retryErrors: boolean; readonly retryUnreadable: boolean };
}

/** A model that only the project file of a worker can give: an address, or code. */
interface OwnModel {
  readonly ofProject: string;
}

/** The options of a run that are data as they are: workers use these and no others. */
const DATA_OPTIONS: readonly (keyof RunOptions)[] = [
  "replicates",
  "turnLimit",
  "timeouts",
  "patienceMs",
  "budget",
  "seed",
  "judging",
  "reading",
  "detectRefusal",
  "earlierTurns",
  "toolSteps",
  "caps",
  "retries",
  "fresh",
  "useCalls",
  "retryUnreadable",
  "variant",
];

/** The names that the models of a run have in results. */
interface ModelNames {
  readonly subjects: readonly string[];
  readonly judges: readonly string[];
}

/**
 * The work sheet of a run. Throws `RunError` that names every function, if there is no project file that workers could use, too.
 */
export function workSheet(
  options: RunOptions,
  { names, project }: { readonly names: ModelNames; readonly project?: string | undefined },
): WorkSheet {
  if (options.replay !== undefined)
    throw new RunError(["A cassette answers in one process only. Leave out --replay, or --workers."]);
  const code: string[] = [];
  const coded: string[] = [];
  for (const definition of list(options.scenarios)) {
    const functions = functionsIn(definition);
    if (functions.length > 0) coded.push(definition.name);
    code.push(...functions);
  }
  const models = new SheetModels(code);
  const subjects = list(options.subjects).map((option, index) =>
    models.named(option, {
      name: names.subjects[index] ?? "",
      place: `the subject "${names.subjects[index]}"`,
    }),
  );
  const judge = list(options.judge ?? SELF_JUDGE).map((option, index) =>
    models.judge(option, { name: names.judges[index] ?? "", place: `the judge "${names.judges[index]}"` }),
  );
  const { embedder, simulator, rubric } = options;
  if (containsCode(rubric)) code.push("The rubric of the run has functions.");
  const data = Object.fromEntries(
    DATA_OPTIONS.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  );
  const sheet: WorkSheet = {
    format: WORK_FORMAT,
    // What is undefined is left out.
    options: JSON.parse(
      JSON.stringify({
        ...data,
        subjects,
        judge,
        ...(embedder === undefined
          ? {}
          : { embedder: models.plain(embedder as ModelOption, { name: "embedder", place: "the embedder" }) }),
        ...(simulator === undefined
          ? {}
          : { simulator: models.plain(simulator, { name: "simulator", place: "the simulator" }) }),
        ...(rubric === undefined ? {} : { rubric: containsCode(rubric) ? { ofProject: "rubric" } : rubric }),
      }),
    ) as JsonObject,
    tools: Object.keys(options.tools ?? {}),
    code,
    coded,
    ...(code.length === 0 || project === undefined ? {} : { project }),
  };
  if (code.length > 0 && project === undefined)
    throw new RunError([
      "Workers get data, and this run has code. Put it in a project file, and start workers with the same file: elenchus worker … --config elenchus.config.ts",
      ...code,
    ]);
  return sheet;
}

/** The functions of a scenario that cannot be written as data, in sentences. */
function functionsIn(definition: ScenarioDefinition): readonly string[] {
  try {
    portableScenario(definition, loadAcorn);
    return [];
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.issues.map((issue) => `In scenario "${definition.name}", ${formatIssue(issue)}`);
  }
}

interface Place {
  readonly name: string;
  readonly place: string;
}

class SheetModels {
  readonly #code: string[];

  constructor(code: string[]) {
    this.#code = code;
  }

  judge(option: JudgeOption, where: Place): JsonValue {
    if (typeof option === "object" && "panel" in option) {
      const panel = option.panel.map((member, index) =>
        this.judge(member, {
          name: `${where.name} ${index + 1}`,
          place: `member ${index + 1} of ${where.place}`,
        }),
      );
      return { panel, ...(option.name === undefined ? {} : { name: option.name }) };
    }
    return this.named(option, where);
  }

  named(option: SubjectOption, where: Place): JsonValue {
    if (typeof option !== "object" || !("model" in option)) return this.plain(option, where);
    const model = this.plain(option.model, where);
    if (isOwnModel(model)) return model;
    // Parameters and texts are data.
    return { ...option, model } as JsonObject;
  }

  plain(option: ModelOption, { name, place }: Place): JsonValue {
    if (typeof option === "string") return isOwn(option) ? { ofProject: name } : option;
    this.#code.push(
      `${place[0]?.toUpperCase()}${place.slice(1)} is ${typeof option === "function" ? "a function" : "made by code"}.`,
    );
    return { ofProject: name };
  }
}

/** True of a model that a worker takes only from its own project file: an address, or a person. */
function isOwn(model: string): boolean {
  return /^\w+:\/\//.test(model) || model === "person";
}

/** True of what stands for a model of the worker's project file. */
function isOwnModel(value: unknown): value is OwnModel {
  return typeof value === "object" && value !== null && "ofProject" in value;
}

function containsCode(value: unknown): boolean {
  if (typeof value === "function") return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(containsCode);
}

/** The report of a worker about itself. */
export interface WorkerReport {
  readonly name: string;
  readonly version: string;
  readonly format: number;
  readonly concurrency: number;
  readonly running: number;
  readonly finished: number;
  readonly errors: number;
  readonly perMinute: number;
  /** The runs it works on. */
  readonly runs: readonly string[];
  /** The accounts that it asks. */
  readonly accounts: readonly string[];
  /** Why it takes no conversations of a run, by run. */
  readonly problems: Readonly<Record<string, string>>;
  readonly isDraining: boolean;
}

/** A worker as others see it. */
export interface SeenWorker extends WorkerReport {
  readonly id: number;
  /** Milliseconds since its start and since its last report, by the clock of the server. */
  readonly startedMs: number;
  readonly seenMs: number;
}

/** The worker's own parts of the options: nothing of them comes from a run. */
export interface OwnParts
  extends Pick<RunOptions, "providers" | "tools" | "environment" | "embedder" | "simulator" | "rubric"> {
  readonly subjects: readonly SubjectOption[];
  readonly judges: readonly JudgeOption[];
  /** The hash of its project file; undefined if it has none. */
  readonly project?: string | undefined;
  /** The scenarios of its project file. */
  readonly scenarios: () => Promise<readonly ScenarioDefinition[]>;
}

/**
 * The options of a run as a worker uses them. The run has only data: models are names, and addresses, programs, headers and
 * keys are the worker's own. Throws `RunError` for what the worker lacks.
 */
export function optionsOf(sheet: WorkSheet, own: OwnParts): Omit<RunOptions, "scenarios"> {
  if (sheet.project !== undefined && sheet.project !== own.project)
    throw new RunError([
      `The run has code, so a worker needs the project file that it was begun with${own.project === undefined ? ": --config" : ", and the one of this worker is another"}.`,
      ...sheet.code,
    ]);
  const { subjects, judge, embedder, simulator, rubric } = sheet.options;
  // Anyone who can write to the store may add other keys: a path, an address, a header.
  const data = Object.fromEntries(
    DATA_OPTIONS.flatMap((key) => (sheet.options[key] === undefined ? [] : [[key, sheet.options[key]]])),
  );
  const problems: string[] = [];
  const ownModel = (value: unknown, known: readonly (SubjectOption | JudgeOption)[]): unknown => {
    if (isRecord(value) && Array.isArray(value.panel))
      return { ...value, panel: value.panel.map((member) => ownModel(member, known)) };
    if (isOwnModel(value)) {
      const found = known.find((option) => nameOf(option) === value.ofProject);
      if (found === undefined)
        problems.push(
          `"${value.ofProject}" is an address or code, and a worker takes these only from its own project file. Name it there, and start the worker with --config.`,
        );
      return found ?? RULES_JUDGE;
    }
    const model = isRecord(value) ? value.model : value;
    if (typeof model !== "string" || isOwn(model))
      problems.push("The run names a model in a way that workers do not use.");
    return value;
  };
  const tools = Object.fromEntries(
    sheet.tools.flatMap((name) => {
      const server = Object.hasOwn(own.tools ?? {}, name) ? own.tools?.[name] : undefined;
      if (server === undefined)
        problems.push(
          `The run uses the tool server "${name}", which is not in the project file of this worker.`,
        );
      return server === undefined ? [] : [[name, server] as const];
    }),
  );
  /** A model that has no name of its own. */
  const single = <Value>(value: unknown, mine: Value | undefined): Value | undefined =>
    isOwnModel(value) && mine !== undefined
      ? mine
      : value === undefined
        ? undefined
        : (ownModel(value, []) as Value);
  const foundEmbedder = single(embedder, own.embedder);
  const foundSimulator = single(simulator, own.simulator);
  const foundRubric = isOwnModel(rubric) ? own.rubric : (rubric as RunOptions["rubric"]);
  const options = {
    ...data,
    subjects: list(subjects as unknown).map((subject) => ownModel(subject, own.subjects)),
    judge: list(judge as unknown).map((one) => ownModel(one, own.judges)),
    ...(foundEmbedder === undefined ? {} : { embedder: foundEmbedder }),
    ...(foundSimulator === undefined ? {} : { simulator: foundSimulator }),
    ...(foundRubric === undefined ? {} : { rubric: foundRubric }),
    ...(sheet.tools.length === 0 ? {} : { tools }),
    ...(own.providers === undefined ? {} : { providers: own.providers }),
    ...(own.environment === undefined ? {} : { environment: own.environment }),
  };
  if (problems.length > 0) throw new RunError([...new Set(problems)]);
  // What the run was begun with, checked by its coordinator; `setUpRun` refuses what it cannot use.
  return options as unknown as Omit<RunOptions, "scenarios">;
}

/** Throws `RunError` if a scenario that came as data names an address for one of its nodes. */
export function refuseAddresses(scenarios: readonly ScenarioDefinition[], own: OwnParts): void {
  const known = new Set([...own.subjects, ...own.judges].map(nameOf));
  const addresses = scenarios.flatMap(({ name, nodes }) =>
    Object.entries(nodes).flatMap(([id, { modelOverride = {}, user }]) =>
      [modelOverride.subject, modelOverride.judge, user?.simulator]
        .map(modelNameOf)
        .filter((model) => model !== undefined && isOwn(model) && !known.has(model))
        .map(
          (model) =>
            `In scenario "${name}", node "${id}" names ${model}, which workers take only from their own project file.`,
        ),
    ),
  );
  if (addresses.length > 0) throw new RunError(addresses);
}

function modelNameOf(reference: ModelReference | undefined): string | undefined {
  const model = isRecord(reference) ? reference.model : reference;
  return typeof model === "string" ? model : undefined;
}

function nameOf(option: SubjectOption | JudgeOption): string | undefined {
  if (typeof option === "string") return option;
  if (typeof option === "function") return option.name;
  const { name, model } = option as { readonly name?: unknown; readonly model?: unknown };
  return [name, model].find((text) => typeof text === "string");
}
