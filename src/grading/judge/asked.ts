import type { JudgedTrait, MetricTrait, Trait } from "../../core/templates/rubric.ts";
import type { Template, TemplateField } from "../../core/templates/template.ts";
import { ownValue } from "../../core/values/json.ts";
import { isReservedKey } from "../../core/values/reserved-key.ts";

/** What a request asks the judge for, by name. */
export interface JudgeAsks {
  readonly fields: readonly string[];
  readonly traits: readonly string[];
  readonly refusal: boolean;
}

/** A field that the judge reads, and the key of its answer. */
export interface AskedField {
  readonly name: string;
  readonly key: string;
  readonly field: TemplateField;
}

/** A trait that the judge answers, and the key of its answer. */
export interface AskedTrait {
  readonly name: string;
  readonly key: string;
  readonly trait: JudgedTrait;
}

/** All that one request asks for, with the definitions behind the names. */
export interface Asked {
  readonly fields: readonly AskedField[];
  readonly traits: readonly AskedTrait[];
  readonly refusal: boolean;
}

/** Finds the definitions of what was asked for, and the keys under which it was. */
export function resolveAsked(
  asks: JudgeAsks,
  definitions: { readonly template?: Template; readonly traits?: readonly Trait[] },
): Asked {
  const { template, traits = [] } = definitions;
  const traitsByName = new Map(traits.map((trait) => [trait.name, trait]));
  const fieldKeys = answerKeys(asks.fields, "field");
  const traitKeys = answerKeys(asks.traits, "trait");
  return {
    fields: asks.fields.map((name, index) => ({
      name,
      key: fieldKeys[index] as string,
      field: found(ownValue(template?.fields ?? {}, name) as TemplateField | undefined, "field", name),
    })),
    traits: asks.traits.map((name, index) => ({
      name,
      key: traitKeys[index] as string,
      // Only judged traits are ever asked for.
      trait: found(traitsByName.get(name), "trait", name) as JudgedTrait,
    })),
    refusal: asks.refusal,
  };
}

function found<Definition>(definition: Definition | undefined, kind: string, name: string): Definition {
  if (definition !== undefined) return definition;
  throw new TypeError(
    `Expected the input that the request was made from, got one without ${kind} \`${name}\``,
  );
}

/** The instructions of a metric trait with the keys of their answers, those that are hoped for first. */
export function metricItems(trait: MetricTrait): readonly { readonly key: string; readonly text: string }[] {
  return [
    ...trait.expected.map((text, index) => ({ key: `expected_${index + 1}`, text })),
    ...(trait.unexpected ?? []).map((text, index) => ({ key: `unexpected_${index + 1}`, text })),
  ];
}

/** What every provider takes as a key of a schema; Anthropic refuses all others. */
const PORTABLE_KEY = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The keys under which a judge answers, one per name: the name itself if it can be a key everywhere, else a number
 * with the prefix (`field_2`). The same names in the same order give the same keys.
 */
export function answerKeys(names: readonly string[], prefix: string): readonly string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name, index) => {
    let key = name;
    if (!PORTABLE_KEY.test(name) || isReservedKey(name) || used.has(name)) {
      key = `${prefix}_${index + 1}`;
      while (taken.has(key) || used.has(key)) key += "_";
    }
    used.add(key);
    return key;
  });
}
