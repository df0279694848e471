import { errorMessage } from "../core/error-message.ts";
import type {
  ModelReference,
  ModelReference as NodeModel,
  ScenarioDefinition,
} from "../core/scenario/definition.ts";
import { canonicalJson, type JsonObject } from "../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import { cassetteModel } from "../models/cassette/cassette-model.ts";
import { functionModel } from "../models/function/function-model.ts";
import { httpModel } from "../models/http/http-model.ts";
import { ModelError } from "../models/model-error.ts";
import { personModel } from "../models/person/person-model.ts";
import { resolveModel } from "../models/resolve-model.ts";
import { simulatedModel } from "../models/simulated/simulated-model.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import type { Judge, Subject } from "./run-context.ts";
import {
  type JudgeOption,
  list,
  type ModelOption,
  type RunOptions,
  type SubjectOption,
} from "./run-options.ts";
import { RULES_JUDGE } from "./step/node-plan.ts";

/** The models of a run, all resolved before the first call. */
export interface ResolvedModels {
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly judges: ReadonlyMap<string, Judge>;
  /** The models that nodes name. */
  readonly overrides: ReadonlyMap<string, AnyModel>;
}

/** Resolves all models that a run names; one error reports everything that is wrong with them. */
export async function resolveModels(options: RunOptions): Promise<ResolvedModels> {
  const resolver = new ModelResolver(options);
  const subjects = await Promise.all(list(options.subjects).map((subject) => resolver.subject(subject)));
  const judges = await Promise.all(list(options.judge ?? RULES_JUDGE).map((judge) => resolver.judge(judge)));
  const overrides = await Promise.all(
    [...overridesIn(list(options.scenarios))].map(async ([key, reference]) => {
      const { model, parameters } =
        typeof reference === "string" ? { model: reference, parameters: undefined } : reference;
      return [key, await resolver.model(model, parameters)] as const;
    }),
  );
  resolver.report();
  return {
    subjects: resolver.byName("subject", subjects),
    judges: resolver.byName("judge", judges),
    // What could not be found has been reported.
    overrides: new Map(overrides as readonly (readonly [string, AnyModel])[]),
  };
}

class ModelResolver {
  readonly #options: RunOptions;
  readonly #problems: string[] = [];
  #functions = 0;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async subject(option: SubjectOption): Promise<Subject | null> {
    const { model: given, name, parameters, systemPrompt, cache } = partsOf(option);
    const model = await this.model(given, parameters, name);
    if (model === null) return null;
    return {
      name: name ?? model.name,
      model,
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
    const { model: given, name, parameters, cache } = partsOf(option);
    const model = await this.model(given, parameters, name);
    if (model === null) return null;
    return { name: name ?? model.name, models: [model], ...(cache === undefined ? {} : { cache }) };
  }

  /** Null if the model cannot be resolved; the problem is reported later. */
  async model(option: ModelOption, parameters?: JsonObject, name?: string): Promise<AnyModel | null> {
    try {
      const model = await this.#find(option, parameters, name);
      const { replay } = this.#options;
      return replay === undefined || !("reply" in model) ? model : cassetteModel(model, replay);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.#problems.push(errorMessage(error));
      return null;
    }
  }

  async #find(
    option: ModelOption,
    parameters: JsonObject | undefined,
    name: string | undefined,
  ): Promise<AnyModel> {
    if (typeof option === "function") {
      const called = name ?? (option.name || `function ${++this.#functions}`);
      return functionModel(option, { name: called, ...(parameters === undefined ? {} : { parameters }) });
    }
    if (typeof option !== "string") return option;
    if (option.startsWith("sim/")) {
      return simulatedModel(option, parameters);
    }
    if (option === "person") {
      return personModel();
    }
    if (/^https?:\/\//i.test(option)) {
      // A fragment is never sent to a server, so it can name the model.
      const [url = "", ...fragment] = option.split("#");
      const model = fragment.join("#");
      return httpModel({
        url,
        ...(model === "" ? {} : { model, name: model }),
        ...(name === undefined ? {} : { name }),
      });
    }
    const { environment, providers } = this.#options;
    return resolveModel(
      {
        model: option,
        ...(name === undefined ? {} : { name }),
        ...(parameters === undefined ? {} : { parameters }),
      },
      {
        ...(environment === undefined ? {} : { environment }),
        ...(providers === undefined ? {} : { providers }),
        keyless: this.#options.replay !== undefined,
      },
    );
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

function partsOf(option: SubjectOption): {
  readonly model: ModelOption;
  readonly name?: string;
  readonly parameters?: JsonObject;
  readonly systemPrompt?: string;
  readonly cache?: boolean;
} {
  return typeof option === "object" && "model" in option ? option : { model: option };
}

function overridesIn(scenarios: readonly ScenarioDefinition[]): ReadonlyMap<string, NodeModel> {
  const references = new Map<string, NodeModel>();
  for (const { nodes } of scenarios) {
    for (const { modelOverride } of Object.values(nodes)) {
      const { subject, judge } = modelOverride ?? {};
      if (subject !== undefined) references.set(overrideKey(subject), subject);
      if (judge !== undefined && judge !== RULES_JUDGE) references.set(overrideKey(judge), judge);
    }
  }
  return references;
}

/** The key of the model of a `modelOverride`. */
export function overrideKey(reference: ModelReference): string {
  return typeof reference === "string" ? reference : canonicalJson(reference);
}
