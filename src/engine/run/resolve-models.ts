import { RULES_JUDGE, SELF_JUDGE } from "../../core/defaults.ts";
import { errorMessage } from "../../core/error-message.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { type ModelReference, modelObject } from "../../core/scenario/model-override.ts";
import { canonicalJson, type JsonObject, withoutUndefined } from "../../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import { cassetteModel } from "../models/cassette/cassette-model.ts";
import { functionModel } from "../models/function/function-model.ts";
import { httpModel } from "../models/http/http-model.ts";
import { ModelError } from "../models/model-error.ts";
import { personModel } from "../models/person/person-model.ts";
import { aiSdkEmbedder, functionEmbedder } from "../models/providers/embedding-model.ts";
import { type ResolveOptions, resolveEmbedder, resolveModel } from "../models/resolve-model.ts";
import { simulatedModel } from "../models/simulated/simulated-model.ts";
import { isSimulatedUser, simulatedUser } from "../models/simulated/simulated-user.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import { silentModel } from "./records/known-replies.ts";
import type { Judge, NodeModels, Subject } from "./run-context.ts";
import {
  type EmbedderOption,
  type JudgeOption,
  list,
  type ModelOption,
  type RunOptions,
  type SubjectOption,
} from "./run-options.ts";

/** The models of a run, all resolved before the first call. */
export interface ResolvedModels {
  readonly subjects: ReadonlyMap<string, Subject>;
  /** With `self`, that judge has the models of all subjects that can read; `judgeAt` finds the one of a conversation. */
  readonly judges: ReadonlyMap<string, Judge>;
  /** The models that nodes name. */
  readonly overrides: NodeModels;
  /** Null if the run has none. */
  readonly embedder: AnyModel | null;
  /** Plays users; null if the run has none. */
  readonly simulator: AnyModel | null;
  /** The simulators that nodes name. */
  readonly simulators: ReadonlyMap<string, AnyModel>;
}

/** The options of a run, and how its models are resolved. */
interface ResolvedOptions extends RunOptions {
  /** True if only names and identities are needed: models are asked elsewhere, where the keys are. */
  readonly keyless?: boolean;
  /** True if subjects are not asked for replies: they only judge. */
  readonly onlyJudge?: boolean;
}

/** Resolves all models that a run names; one error reports everything that is wrong with them. */
export async function resolveModels(options: ResolvedOptions): Promise<ResolvedModels> {
  const resolver = new ModelResolver(options);
  const subjects = await Promise.all(list(options.subjects).map((subject) => resolver.subject(subject)));
  const judges = await Promise.all(
    list(options.judge ?? SELF_JUDGE).map((judge) =>
      judge === SELF_JUDGE ? ownJudges(subjects) : resolver.judge(judge),
    ),
  );
  resolver.report();
  const named = {
    subjects: resolver.byName("subject", subjects),
    judges: resolver.byName("judge", judges),
  };
  const nodeSubjects = await resolver.overrides(options, "subject", {
    known: named.subjects,
    resolve: (model) => resolver.subject(model),
  });
  const nodeJudges = await resolver.overrides(options, "judge", {
    known: named.judges,
    resolve: (model) => resolver.judge(model),
  });
  const embedder = options.embedder === undefined ? null : await resolver.embedder(options.embedder);
  const simulator = options.simulator === undefined ? null : await resolver.simulator(options.simulator);
  const simulators = new Map<string, AnyModel>();
  for (const name of simulatorsIn(list(options.scenarios))) {
    const model = await resolver.simulator(name);
    if (model !== null) simulators.set(name, model);
  }
  resolver.report();
  return {
    ...named,
    overrides: { subjects: nodeSubjects, judges: nodeJudges },
    embedder,
    simulator,
    simulators,
  };
}

class ModelResolver {
  readonly #options: ResolvedOptions;
  readonly #problems: string[] = [];
  #functions = 0;

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  async subject(option: SubjectOption): Promise<Subject | null> {
    const { model: given, name, systemPrompt, cache, ...more } = partsOf(option);
    const model = await this.model(given, { name, cache, ...more });
    if (model === null) return null;
    const called = name ?? model.name;
    const own = "asJudge" in model ? model.asJudge?.() : undefined;
    return {
      name: called,
      model: this.#options.onlyJudge ? silentModel(called) : model,
      ...(own === undefined ? {} : { judge: { name: called, models: [own] } }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(cache === undefined ? {} : { cache }),
    };
  }

  async judge(option: JudgeOption): Promise<Judge | null> {
    if (option === RULES_JUDGE) return { name: RULES_JUDGE, models: [] };
    if (typeof option === "object" && "panel" in option) {
      const members = await Promise.all(option.panel.map((member) => this.judge(member)));
      const found = members.filter((member) => member !== null);
      if (found.length < members.length) return null;
      const name = option.name ?? `panel of ${found.map((member) => member.name).join(", ")}`;
      return { name, models: found.flatMap(({ models }) => models) };
    }
    const { model: given, name, cache, ...more } = partsOf(option);
    if (given === SELF_JUDGE || name === SELF_JUDGE) {
      this.#problems.push(
        `"${SELF_JUDGE}" stands for each subject's own model. It can be no member of a panel and no other judge's name.`,
      );
      return null;
    }
    const model = await this.model(given, { name, cache, ...more });
    if (model === null) return null;
    return { name: name ?? model.name, models: [model], ...(cache === undefined ? {} : { cache }) };
  }

  /** The models that nodes have for a role: those of the run that they name, or others. */
  async overrides<Found extends Subject | Judge>(
    { scenarios }: RunOptions,
    role: "subject" | "judge",
    {
      known,
      resolve,
    }: {
      readonly known: ReadonlyMap<string, Found>;
      readonly resolve: (option: SubjectOption) => Promise<Found | null>;
    },
  ): Promise<ReadonlyMap<unknown, Found>> {
    const found = new Map<unknown, Found>();
    for (const [key, { reference, place }] of overridesIn(list(scenarios), role)) {
      const option = optionOf(reference);
      const ofRun = subjectOrJudgeOfRun(reference, known);
      const { length: before } = this.#problems;
      const resolved = ofRun ?? (await resolve(option));
      this.#problems.splice(
        before,
        Infinity,
        ...this.#problems
          .slice(before)
          .map((problem) => `${place}: ${problem} The run has the ${role}s ${[...known.keys()].join(", ")}.`),
      );
      const { systemPrompt } = typeof option === "object" ? (option as Partial<Subject>) : {};
      if (resolved !== null)
        found.set(key, systemPrompt === undefined ? resolved : { ...resolved, systemPrompt });
    }
    return found;
  }

  async simulator(option: ModelOption): Promise<AnyModel | null> {
    if (typeof option !== "string" || !option.startsWith("sim/")) return this.model(option);
    if (isSimulatedUser(option)) {
      try {
        return simulatedUser(option);
      } catch (error) {
        this.#problems.push(errorMessage(error));
        return null;
      }
    }
    this.#problems.push(`${option} plays a subject, not a user. The simulated user is sim/user.`);
    return null;
  }

  embedder(option: EmbedderOption): Promise<AnyModel | null> {
    return this.#replayed(async () => {
      if (typeof option === "function") return functionEmbedder(option);
      if (typeof option !== "string") return aiSdkEmbedder(option);
      return resolveEmbedder(option, this.#resolveOptions);
    });
  }

  /** Null if the model cannot be resolved; the problem is reported later. */
  model(option: ModelOption, given: ModelDetails = {}): Promise<AnyModel | null> {
    return this.#replayed(async () => cachedAs(await this.#find(option, given), given));
  }

  async #replayed(find: () => Promise<AnyModel>): Promise<AnyModel | null> {
    try {
      const model = await find();
      const { replay } = this.#options;
      if (replay === undefined || !("reply" in model)) return model;
      const judge = model.asJudge?.();
      return {
        ...cassetteModel(model, replay),
        ...(judge === undefined ? {} : { asJudge: () => cassetteModel(judge, replay) }),
      };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.#problems.push(errorMessage(error));
      return null;
    }
  }

  async #find(option: ModelOption, { parameters, name }: ModelDetails): Promise<AnyModel> {
    if (typeof option === "function") {
      const called = name ?? (option.name || `function ${++this.#functions}`);
      return withParameters(functionModel(option, { name: called }), parameters);
    }
    if (typeof option !== "string") return withParameters(option, parameters);
    if (option.startsWith("sim/")) {
      return simulatedModel(option, parameters);
    }
    if (option === "person") return withParameters(personModel(), parameters);
    if (isAddress(option)) {
      // A fragment is never sent to a server, so it can name the model.
      const [url = "", ...fragment] = option.split("#");
      const model = fragment.join("#");
      const endpoint = httpModel({
        url,
        ...(model === "" ? {} : { model, name: model }),
        ...(name === undefined ? {} : { name }),
      });
      return withParameters(endpoint, parameters);
    }
    return resolveModel(withoutUndefined({ model: option, name, parameters }), this.#resolveOptions);
  }

  get #resolveOptions(): ResolveOptions {
    const { environment, providers, replay, keyless = false } = this.#options;
    return withoutUndefined({ environment, providers, keyless: keyless || replay !== undefined });
  }

  byName<Named extends { readonly name: string }>(
    kind: string,
    found: readonly (Named | null)[],
  ): Map<string, Named> {
    const byName = new Map<string, Named>();
    for (const one of found) {
      if (one === null) continue;
      if (byName.has(one.name))
        this.#problems.push(
          `Two ${kind}s are called "${one.name}". Give them different names: { model, name }.`,
        );
      byName.set(one.name, one);
    }
    this.report();
    return byName;
  }

  report(): void {
    if (this.#problems.length > 0) throw new RunError([...new Set(this.#problems)]);
  }
}

/** True of the name of a model that is a URL. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** The judge `self`. Where no subject can read, rules alone do. */
function ownJudges(subjects: readonly (Subject | null)[]): Judge {
  const models = subjects.flatMap((subject) => subject?.judge?.models ?? []);
  return { name: models.length === 0 ? RULES_JUDGE : SELF_JUDGE, models };
}

/** What stands beside a model. */
interface ModelDetails {
  readonly name?: string | undefined;
  readonly parameters?: JsonObject;
  readonly version?: string;
  readonly cache?: boolean | undefined;
}

function withParameters(model: AnyModel, parameters: JsonObject | undefined): AnyModel {
  if (parameters === undefined) return model;
  if (model.withParameters !== undefined) return model.withParameters(parameters);
  throw new ModelError(
    "bad_request",
    `${model.name} takes no \`parameters\`. Set them where the model is made, as part of its identity.`,
  );
}

/** A version is part of the identity, and says that the same answers can be expected. */
function cachedAs(model: AnyModel, { version, cache }: ModelDetails): AnyModel {
  if ((version === undefined && cache !== true) || "simulate" in model) return model;
  const { name, account, price, isPatient, hasMemory, asJudge } = model;
  return {
    name,
    account,
    identity: version === undefined ? model.identity : { ...model.identity, version },
    ...withoutUndefined({ price, isPatient, hasMemory, asJudge }),
    reply: (request, context) => model.reply(request, context),
    close: async () => model.close?.(),
  };
}

function partsOf(option: SubjectOption): ModelDetails & {
  readonly model: ModelOption;
  readonly systemPrompt?: string;
} {
  return typeof option === "object" && "model" in option ? option : { model: option };
}

interface FoundOverride {
  readonly reference: ModelReference;
  /** In words, for problems. */
  readonly place: string;
}

function overridesIn(
  scenarios: readonly ScenarioDefinition[],
  role: "subject" | "judge",
): ReadonlyMap<unknown, FoundOverride> {
  const references = new Map<unknown, FoundOverride>();
  for (const { name, nodes } of scenarios) {
    for (const [id, { modelOverride }] of Object.entries(nodes)) {
      const reference = modelOverride?.[role];
      if (reference === undefined || (role === "judge" && reference === RULES_JUDGE)) continue;
      const key = overrideKey(reference);
      if (references.has(key)) continue;
      references.set(key, { reference, place: `In scenario "${name}", the ${role} of node "${id}"` });
    }
  }
  return references;
}

/** The subject or judge of the run that a node names. With parameters of its own, it is another model. */
export function subjectOrJudgeOfRun<Found>(
  reference: ModelReference,
  known: ReadonlyMap<string, Found>,
): Found | undefined {
  if (typeof reference === "string") return known.get(reference);
  if (typeof reference !== "object" || !("model" in reference) || reference.parameters !== undefined)
    return undefined;
  const { model } = reference;
  return typeof model === "string" && modelObject(reference) === undefined ? known.get(model) : undefined;
}

/** What a node names, as an option of a run. */
function optionOf(reference: ModelReference): SubjectOption {
  const given = modelObject(reference) as AnyModel | undefined;
  // A name that a scenario chooses for its address could be that of any model: reports show the address.
  if (typeof reference === "string" && isAddress(reference)) return { model: reference, name: reference };
  if (typeof reference !== "object" || !("model" in reference)) return given ?? (reference as ModelOption);
  // Objects that are models have become data.
  const { model, parameters, systemPrompt } = reference;
  return withoutUndefined({ model: given ?? (model as ModelOption), parameters, systemPrompt });
}

/** The key of the model of a `modelOverride`: the same for two nodes that name the same. */
export function overrideKey(reference: ModelReference): unknown {
  if (typeof reference !== "object") return reference;
  const { model } = reference as { readonly model?: unknown };
  // Two functions with the same text may see different things.
  return typeof model === "function" || modelObject(reference) !== undefined
    ? reference
    : canonicalJson(reference);
}

/** The simulators that nodes name. */
function simulatorsIn(scenarios: readonly ScenarioDefinition[]): ReadonlySet<string> {
  return new Set(
    scenarios.flatMap(({ nodes }) => Object.values(nodes).flatMap(({ user }) => user?.simulator ?? [])),
  );
}
