import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import type { ModelReference } from "../core/scenario/model-override.ts";
import { isRecord } from "../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import { type JudgeOption, list, type RunOptions, type SubjectOption } from "../run/run-options.ts";
import { DATA_OPTIONS, isOwn, isOwnModel, type WorkSheet } from "./work-sheet.ts";

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
      return found ?? "rules";
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
