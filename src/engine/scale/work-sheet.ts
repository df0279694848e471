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
  "onlyRows",
  "rowLimit",
  "variant",
];

/**
 * The work sheet of a run. Throws `RunError` that names every function, if there is no project file that workers could use, too.
 */
export function workSheet(
  options: RunOptions,
  {
    names,
    project,
  }: {
    /** The names that the models of the run have in results. */
    readonly names: { readonly subjects: readonly string[]; readonly judges: readonly string[] };
    readonly project?: string | undefined;
  },
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
  const plain = (option: ModelOption, name: string, place = `the ${name}`): JsonValue => {
    if (typeof option === "string") return isOwn(option) ? { ofProject: name } : option;
    const kind = typeof option === "function" ? "a function" : "made by code";
    code.push(`${place[0]?.toUpperCase()}${place.slice(1)} is ${kind}.`);
    return { ofProject: name };
  };
  const named = (option: SubjectOption | JudgeOption, name: string, place: string): JsonValue => {
    if (typeof option !== "object") return plain(option, name, place);
    if ("panel" in option) {
      const panel = option.panel.map((member, index) =>
        named(member, `${name} ${index + 1}`, `member ${index + 1} of ${place}`),
      );
      return { panel, ...(option.name === undefined ? {} : { name: option.name }) };
    }
    if (!("model" in option)) return plain(option, name, place);
    const model = plain(option.model, name, place);
    // Parameters and texts are data.
    return isOwnModel(model) ? model : ({ ...option, model } as JsonObject);
  };
  const allNamed = (
    given: readonly (SubjectOption | JudgeOption)[],
    kind: "subject" | "judge",
  ): JsonValue[] =>
    given.map((option, index) => {
      const name = names[`${kind}s`][index] ?? "";
      return named(option, name, `the ${kind} "${name}"`);
    });
  const { embedder, simulator, rubric } = options;
  if (containsCode(rubric)) code.push("The rubric of the run has functions.");
  const data = {
    ...dataOf(options),
    subjects: allNamed(list(options.subjects), "subject"),
    judge: allNamed(list(options.judge ?? SELF_JUDGE), "judge"),
    embedder: embedder && plain(embedder as ModelOption, "embedder"),
    simulator: simulator && plain(simulator, "simulator"),
    rubric: containsCode(rubric) ? { ofProject: "rubric" } : rubric,
  };
  if (code.length > 0 && project === undefined)
    throw new RunError([
      "Workers get data, and this run has code. Put it in a project file, and start workers with the same file: elenchus worker … --config elenchus.config.ts",
      ...code,
    ]);
  return {
    format: WORK_FORMAT,
    // What is undefined is left out.
    options: JSON.parse(JSON.stringify(data)) as JsonObject,
    tools: Object.keys(options.tools ?? {}),
    code,
    coded,
    ...(code.length === 0 || project === undefined ? {} : { project }),
  };
}

/** The options that are data, and no others: anyone who can write to the store may add a path, an address, a header. */
function dataOf(options: Readonly<Partial<Record<keyof RunOptions, unknown>>>): Partial<RunOptions> {
  return Object.fromEntries(
    DATA_OPTIONS.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  );
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
  /** A model that has no name of its own. */
  const single = (value: unknown, mine: unknown): unknown => {
    if (value === undefined || (isOwnModel(value) && mine !== undefined)) return value && mine;
    return ownModel(value, []);
  };
  const tools = sheet.tools.flatMap((name) => {
    const server = Object.hasOwn(own.tools ?? {}, name) ? own.tools?.[name] : undefined;
    if (server !== undefined) return [[name, server] as const];
    problems.push(`The run uses the tool server "${name}", which is not in the project file of this worker.`);
    return [];
  });
  const options = {
    ...dataOf(sheet.options),
    subjects: list(subjects as unknown).map((subject) => ownModel(subject, own.subjects)),
    judge: list(judge as unknown).map((one) => ownModel(one, own.judges)),
    embedder: single(embedder, own.embedder),
    simulator: single(simulator, own.simulator),
    rubric: isOwnModel(rubric) ? own.rubric : rubric,
    tools: tools.length === 0 ? undefined : Object.fromEntries(tools),
    providers: own.providers,
    environment: own.environment,
  };
  if (problems.length > 0) throw new RunError([...new Set(problems)]);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  // What the run was begun with, checked by its coordinator; `setUpRun` refuses what it cannot use.
  return Object.fromEntries(given) as unknown as Omit<RunOptions, "scenarios">;
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
