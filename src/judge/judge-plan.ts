import { isJudgedTrait, type JudgedTrait, type Trait } from "../template/rubric.ts";
import { judgedFields, type Template } from "../template/template.ts";
import { freezeDeep } from "../value/freeze-deep.ts";
import type { JsonObject } from "../value/json.ts";
import { type JudgeAsks, resolveAsked } from "./asked.ts";
import { judgeInstructions } from "./judge-instructions.ts";
import { judgeSchema } from "./judge-schema.ts";

/** How a turn is split into calls of the judge. */
export type Judging = "together" | "separate";

/** The constant part of a call of the judge: the same for every reply. */
export interface JudgePlan {
  readonly asks: JudgeAsks;
  readonly instructions: string;
  readonly schema: JsonObject;
  /** True if the reference answer is shown in this call. */
  readonly reference: boolean;
}

/** What a plan depends on. */
export interface PlanParts {
  readonly template: Template;
  readonly traits: readonly Trait[];
  readonly refusal: boolean;
  /** True if there is a reference answer to show to traits that want it. */
  readonly reference: boolean;
}

/** Stand for what is not there, so that the cache has something to hold on to. */
export const NO_TEMPLATE: Template = Object.freeze({ fields: Object.freeze({}) });
export const NO_TRAITS: readonly Trait[] = Object.freeze([]);

type PlansByKey = Map<string, readonly JudgePlan[]>;
const cache = new WeakMap<Template, WeakMap<readonly Trait[], PlansByKey>>();

/** The calls for a turn, planned once per template and traits; only frozen ones cannot change under our feet. */
export function judgePlans(parts: PlanParts, judging: Judging | "at once"): readonly JudgePlan[] {
  const { template, traits, refusal, reference } = parts;
  if (!Object.isFrozen(template) || !Object.isFrozen(template.fields) || !Object.isFrozen(traits))
    return makePlans(parts, judging);
  const byTraits = cache.get(template) ?? new WeakMap<readonly Trait[], PlansByKey>();
  const byKey = byTraits.get(traits) ?? new Map<string, readonly JudgePlan[]>();
  const key = `${judging} ${refusal} ${reference}`;
  const plans = byKey.get(key) ?? makePlans(parts, judging);
  byKey.set(key, plans);
  byTraits.set(traits, byKey);
  cache.set(template, byTraits);
  return plans;
}

function makePlans(parts: PlanParts, judging: Judging | "at once"): readonly JudgePlan[] {
  const fields = Object.keys(judgedFields(parts.template));
  const traits = parts.traits.filter(isJudgedTrait);
  const { refusal } = parts;
  if (judging === "at once") return [makePlan(parts, { fields, traits, refusal })];

  const seesReference = (trait: JudgedTrait): boolean => parts.reference && wantsReference(trait);
  const groups: Group[] =
    judging === "separate"
      ? [
          { fields, traits: [], refusal },
          ...traits.map((trait) => ({ fields: [], traits: [trait], refusal: false })),
        ]
      : [
          { fields, traits: traits.filter((trait) => !seesReference(trait)), refusal },
          // What is asked here sees the reference answer, and nothing else may.
          { fields: [], traits: traits.filter(seesReference), refusal: false },
        ];
  return groups.filter(asksSomething).map((group) => makePlan(parts, group));
}

interface Group {
  readonly fields: readonly string[];
  readonly traits: readonly JudgedTrait[];
  readonly refusal: boolean;
}

function asksSomething({ fields, traits, refusal }: Group): boolean {
  return fields.length > 0 || traits.length > 0 || refusal;
}

function wantsReference(trait: JudgedTrait): boolean {
  return trait.type === "llm" && trait.includeReference === true;
}

function makePlan(parts: PlanParts, { fields, traits, refusal }: Group): JudgePlan {
  const asks: JudgeAsks = { fields, traits: traits.map(({ name }) => name), refusal };
  const asked = resolveAsked(asks, { template: parts.template, traits });
  const reference = parts.reference && traits.some(wantsReference);
  return {
    asks,
    instructions: judgeInstructions(asked, { reference }),
    schema: freezeDeep(judgeSchema(asked)),
    reference,
  };
}
