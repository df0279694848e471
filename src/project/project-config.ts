import type { BudgetLimits } from "../run/calls/budget.ts";
import type { JudgeOption, SubjectOption } from "../run/run-options.ts";
import type { Settings } from "./settings.ts";

type OneOrSeveral<Item> = Item | readonly Item[];

/** Settings as one writes them: all may be left out, and some have a short form. */
export interface ProjectSettings
  extends Partial<
    Omit<Settings, "scenarios" | "only" | "tags" | "subjects" | "judges" | "budget" | "failUnder">
  > {
  readonly scenarios?: OneOrSeveral<string>;
  readonly only?: OneOrSeveral<string>;
  readonly tags?: OneOrSeveral<string>;
  readonly subjects?: OneOrSeveral<SubjectOption>;
  readonly judges?: OneOrSeveral<JudgeOption>;
  /** `5usd`, `2M tokens`, or an object. */
  readonly budget?: string | BudgetLimits;
  /** `resisted=0.9`, several of them, or rates by outcome. */
  readonly failUnder?: OneOrSeveral<string> | Readonly<Record<string, string | number>>;
}

/**
 * What `elenchus.config.ts` exports as `config`.
 *
 * @example
 * export const config: ProjectConfig = { subjects: [myAgent, "openai/gpt-5-mini"], replicates: 5 };
 */
export interface ProjectConfig extends ProjectSettings {
  readonly version?: 1;
  /** The profile that is used if the command names none. */
  readonly profile?: string;
  /** Named sets of settings that go before the others. */
  readonly profiles?: Readonly<Record<string, ProjectSettings>>;
}
