import type { JudgedTrait, MetricTrait, Trait } from "../template/rubric.ts";
import type { Template, TemplateField } from "../template/template.ts";
import { ownValue } from "../value/json.ts";
import { answerKeys } from "./answer-keys.ts";

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
