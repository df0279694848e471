import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import { INITIAL_STATE } from "../../../core/state/state.ts";
import type { Trait } from "../../../core/templates/rubric.ts";
import {
  gateOf,
  isCaseTruth,
  isTraceCheck,
  isTruthFrom,
  isVerified,
  type TemplateField,
} from "../../../core/templates/template.ts";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";
import { concludeLabels } from "../../../engine/grading/verify/conclude-labels.ts";
import { evaluateCodeTraits } from "../../../engine/grading/verify/trait-value.ts";
import type { TurnLabels } from "../../../engine/journal/turn.ts";
import { rightValues, wrongValues } from "../../../engine/models/simulated/field-values.ts";
import { failingFragments, passingFragments } from "../../../engine/models/simulated/intended-answers.ts";
import { patternSample } from "../../../engine/models/simulated/pattern-sample.ts";
import { type ResolvedField, resolvedFields } from "../../../engine/models/simulated/resolved-field.ts";
import { type Comparison, fixedComparison, fixedPart, stateChecks } from "./comparisons.ts";
import type { DefinitionCode } from "./prepare-code.ts";
import { answersOf, fieldValues, traitValues } from "./representative-values.ts";
import type { WatchedTurn } from "./watched-turns.ts";

/** One reply in place of all replies that the scenario does not distinguish from it. */
export interface ReplyClass {
  /** The text, for checks that look at the raw reply. */
  readonly reply: string;
  readonly labels: TurnLabels;
  readonly isUnreadable: boolean;
  /** True if it has a verdict or a trait that code which was not run may never give. */
  readonly isAssumed: boolean;
}

/** The replies at a node that the scenario distinguishes. */
export interface ReplyClasses {
  readonly replies: readonly ReplyClass[];
  /** False if there are too many to try all of them. */
  readonly isWhole: boolean;
}

/** How many combinations of values of one node are tried. */
const MOST_COMBINATIONS = 512;

/** The replies at a node that the scenario distinguishes: right, wrong and unreadable answers, as far as anything reads them. */
export function replyClasses(
  definition: ScenarioDefinition,
  id: string,
  { watched, code }: { readonly watched: WatchedTurn; readonly code: DefinitionCode },
): ReplyClasses {
  return new ClassFinder(definition, id, { watched, code }).find();
}

/** A value to try; values with the same signature are not distinguished. */
interface Choice {
  readonly value: JsonValue;
  readonly signature: string;
  /** Is part of the text of the reply. */
  readonly fragment?: string;
}

interface Part {
  readonly name: string;
  readonly isTrait: boolean;
  readonly choices: readonly Choice[];
}

class ClassFinder {
  readonly #definition: ScenarioDefinition;
  readonly #node: ScenarioNode;
  readonly #watched: WatchedTurn;
  readonly #traits: readonly Trait[];
  readonly #isVerdictOpaque: boolean;
  /** True if what is right depends on the conversation, or on code. */
  readonly #isVerdictOpen: boolean;

  constructor(
    definition: ScenarioDefinition,
    id: string,
    { watched, code }: { readonly watched: WatchedTurn; readonly code: DefinitionCode },
  ) {
    this.#definition = definition;
    this.#node = definition.nodes[id] as ScenarioNode;
    this.#watched = watched;
    const { question, rubric } = this.#node;
    const traits = [...(rubric?.traits ?? []), ...(question.rubric?.traits ?? [])];
    this.#traits = traits.filter(({ name }) => watched.traits.has(name));
    this.#isVerdictOpaque = code.opaqueVerdicts.has(id);
    const { fields = {} } = question.template ?? {};
    this.#isVerdictOpen =
      code.verifications.has(id) ||
      needsOfParts(question.template?.verify).readsState ||
      Object.values(fields).some(
        ({ truth, check }) => isTruthFrom(truth) || needsOfParts(truth, check).readsState,
      );
  }

  find(): ReplyClasses {
    const parts = [...this.#fieldParts(), ...this.#traitParts()];
    const { combinations, isWhole } = combined(parts);
    const isOpen = this.#isVerdictOpaque && this.#watched.verdict;
    const classes = new Map<string, ReplyClass>();
    const keep = (found: ReplyClass, signature: string): void => {
      if (!classes.has(signature)) classes.set(signature, found);
    };
    const hasNull = (combination: Combination): boolean =>
      parts.some(({ isTrait }, index) => !isTrait && combination[index]?.value === null);
    const readable = combinations.filter((combination) => !hasNull(combination));
    const partly = combinations.filter(hasNull);
    const add = (combination: Combination): void => {
      for (const verifyResult of isOpen ? ([true, false, null] as const) : [undefined])
        for (const found of this.#reply(parts, combination, verifyResult)) keep(found.reply, found.signature);
    };
    readable.forEach(add);
    for (const found of this.#unreadable(parts)) keep(found.reply, found.signature);
    partly.forEach(add);
    return { replies: [...classes.values()], isWhole };
  }

  #fieldParts(): readonly Part[] {
    const { template } = this.#node.question;
    if (template === undefined) return [];
    const gate = stateChecks(gateOf(template)?.when as Parameters<typeof stateChecks>[0]);
    return resolvedFields(template, INITIAL_STATE).map((resolved) => {
      const gated = gate
        .filter(({ field }) => field === `parsed.${resolved.name}`)
        .flatMap((leaf) => fixedComparison(leaf, this.#definition) ?? []);
      return { name: resolved.name, isTrait: false, choices: this.#fieldChoices(resolved, gated) };
    });
  }

  #fieldChoices({ name, field }: ResolvedField, gated: readonly Comparison[]): readonly Choice[] {
    if (isTraceCheck(field.check)) return this.#traceChoices(field);
    const watch = this.#watched.fields.get(name);
    const { verdict } = this.#watched;
    const cases = this.#truths(field);
    const comparisons = [...(watch?.comparisons ?? []), ...gated];
    const named = [...this.#watched.named, ...this.#valuesOfOthers(field)];
    const right = cases.flatMap((one) =>
      rightValues({ name, field, looksAtReply: false, ...one }, "").slice(0, 1),
    );
    const wrong = cases.flatMap((one) =>
      wrongValues({ name, field, looksAtReply: false, ...one }, []).slice(0, 1),
    );
    const values = [...right, ...wrong, ...fieldValues(field, comparisons, named), null];
    const truthComparisons = cases.map(({ truth, check }) => ({ check, expected: truth }));
    const isSeen = watch?.isSeen === true || (verdict && this.#isVerdictOpen);
    return distinctChoices(
      values.map((value) => ({
        value,
        signature: isSeen
          ? JSON.stringify(value)
          : [
              answersOf(value, watch?.comparisons ?? []),
              watch === undefined ? "" : String(value === null),
              verdict ? answersOf(value, [...gated, ...truthComparisons]) + String(value === null) : "",
            ].join(" "),
      })),
    );
  }

  /** What may be right: one truth, or one for each case. */
  #truths(field: TemplateField): readonly Pick<ResolvedField, "truth" | "check">[] {
    const [resolved] = resolvedFields({ fields: { field } }, INITIAL_STATE);
    // There is one for each field.
    const { check } = resolved as ResolvedField;
    const { truth } = field;
    if (!isVerified(field)) return [];
    if (!isTruthFrom(truth)) {
      const fixed = fixedPart({ type: field.type, truth, check }, this.#definition);
      return fixed === undefined ? [] : [{ truth: fixed.truth as JsonValue, check: fixed.check }];
    }
    const all = [...Object.values(truth.cases), ...(truth.otherwise === undefined ? [] : [truth.otherwise])];
    return all.map((one) =>
      isCaseTruth(one) ? { truth: one.truth, check: one.check ?? check } : { truth: one, check },
    );
  }

  /** A truth that is what another field was has that field's values. */
  #valuesOfOthers({ truth, check }: TemplateField): readonly JsonValue[] {
    return needsOfParts(truth, check).turns.flatMap(({ node, part, name }) => {
      if (part !== "parsed" || typeof node !== "string") return [];
      const other = this.#definition.nodes[node]?.question.template?.fields[name];
      if (other === undefined) return [];
      return [...this.#truths(other).map((one) => one.truth), ...fieldValues(other, [], [])];
    });
  }

  #traceChoices({ check, truth }: TemplateField): readonly Choice[] {
    if (check === undefined || !this.#watched.verdict) return [{ value: null, signature: "" }];
    const holds = truth !== false;
    const texts = [...passingFragments(check), ...failingFragments(check)].map((one) => String(one ?? ""));
    return distinctChoices(
      texts.map((fragment) => ({
        value: null,
        fragment,
        signature: String(evaluateCheck(check, `${REPLY} ${fragment}`.trim(), null).passes === holds),
      })),
    );
  }

  #traitParts(): readonly Part[] {
    return this.#traits.map((trait) => {
      const { comparisons = [], isSeen = false } = this.#watched.traits.get(trait.name) ?? {};
      const values = [...traitValues(trait, comparisons, [...this.#watched.named]), null];
      const choices = values.map((value) => ({
        value,
        signature: isSeen ? JSON.stringify(value) : `${answersOf(value, comparisons)} ${value === null}`,
        ...(trait.type === "regex" && value === !trait.invert
          ? { fragment: patternSample(trait.pattern, { variant: 0 }) }
          : {}),
      }));
      return { name: trait.name, isTrait: true, choices: distinctChoices(choices) };
    });
  }

  #reply(
    parts: readonly Part[],
    combination: Combination,
    verifyResult: boolean | null | undefined,
  ): readonly Found[] {
    const valuesOf = (isTrait: boolean): JsonObject =>
      Object.fromEntries(
        parts.flatMap((part, index) =>
          part.isTrait === isTrait ? [[part.name, combination[index]?.value ?? null]] : [],
        ),
      );
    const fragments = combination.flatMap(({ fragment }) => (fragment === undefined ? [] : [fragment]));
    const reply = [REPLY, ...fragments].join(" ").trim();
    const rubric = this.#rubric(reply, valuesOf(true));
    if (rubric === undefined) return [];
    const labels: TurnLabels = {
      parsed: valuesOf(false),
      ...(verifyResult === undefined ? {} : { verifyResult }),
      ...(this.#watched.refused ? { refused: false } : {}),
      ...(this.#traits.length === 0 ? {} : { rubric }),
    };
    const signatures = combination.map(({ signature }) => signature);
    const isAssumed = verifyResult !== undefined || this.#traits.some(({ type }) => type === "function");
    return [this.#found({ reply, labels, isUnreadable: false, isAssumed }, signatures)];
  }

  /** The values of traits; undefined if code reads the reply otherwise. */
  #rubric(reply: string, wanted: JsonObject): JsonObject | undefined {
    const patterns = this.#traits.filter(({ type }) => type === "regex");
    const read = evaluateCodeTraits(patterns, reply);
    const isSame = patterns.every(({ name }) => (read[name]?.value ?? null) === (wanted[name] ?? null));
    return isSame ? wanted : undefined;
  }

  /** A reply that nothing can be read of, and one that declines to answer. */
  #unreadable(parts: readonly Part[]): readonly Found[] {
    const { template } = this.#node.question;
    const signatures = parts.map(
      ({ choices }) => choices.find(({ value }) => value === null)?.signature ?? "",
    );
    const patterns = this.#traits.filter(({ type }) => type === "regex");
    const read = evaluateCodeTraits(patterns, REPLY);
    const rubric = Object.fromEntries(this.#traits.map(({ name }) => [name, read[name]?.value ?? null]));
    const traits = this.#traits.length === 0 ? {} : { rubric };
    const found: Found[] = [];
    const base = { reply: REPLY, isUnreadable: true, isAssumed: false };
    if (template !== undefined) {
      const labels = { verifyResult: null, ...traits, ...(this.#watched.refused ? { refused: null } : {}) };
      found.push(this.#found({ ...base, labels }, signatures));
    }
    if (this.#watched.refused) {
      const nothing = Object.fromEntries(Object.keys(template?.fields ?? {}).map((name) => [name, null]));
      const labels = { parsed: nothing, refused: true, ...traits };
      found.push(this.#found({ ...base, isUnreadable: false, labels }, signatures));
    }
    return found;
  }

  #found(reply: ReplyClass, signatures: readonly string[]): Found {
    const { verdict, refused, fields, traits } = this.#watched;
    const { template } = this.#node.question;
    const question =
      template === undefined || this.#isVerdictOpen
        ? { ...this.#node.question }
        : { ...this.#node.question, template: fixedPart(template, this.#definition) ?? template };
    if (this.#isVerdictOpen) delete (question as { template?: unknown }).template;
    const { verifyResult, notVerified } = concludeLabels(
      { question, reply: reply.reply, state: INITIAL_STATE },
      reply.labels,
    );
    const names = [...Object.keys(template?.fields ?? {}), ...this.#traits.map(({ name }) => name)];
    const isWatched = (name: string): boolean =>
      fields.has(name) || traits.has(name) || (verdict && this.#isVerdictOpen);
    const signature = [
      verdict
        ? this.#isVerdictOpen
          ? String(reply.isUnreadable)
          : notVerified === true
            ? "-"
            : String(verifyResult)
        : "",
      refused ? String(reply.labels.refused ?? null) : "",
      ...names.map((name, index) => (isWatched(name) ? (signatures[index] ?? "") : "")),
    ];
    return { reply, signature: JSON.stringify(signature) };
  }
}

interface Found {
  readonly reply: ReplyClass;
  readonly signature: string;
}

/** No rule reads anything in it. */
const REPLY = "…";

type Combination = readonly Choice[];

/** All combinations of the choices; if there are too many, those that differ from the first in one or two parts. */
function combined(parts: readonly Part[]): {
  readonly combinations: readonly Combination[];
  readonly isWhole: boolean;
} {
  const count = parts.reduce((product, { choices }) => product * choices.length, 1);
  if (count <= MOST_COMBINATIONS) {
    let combinations: readonly Combination[] = [[]];
    for (const { choices } of parts)
      combinations = combinations.flatMap((combination) => choices.map((choice) => [...combination, choice]));
    return { combinations, isWhole: true };
  }
  const uniform = (position: number): Combination =>
    parts.map(({ choices }) => choices[Math.min(position, choices.length - 1)] as Choice);
  const bases = [0, 1, Number.POSITIVE_INFINITY].map(uniform);
  const varied = bases.flatMap((base) =>
    parts.flatMap(({ choices }, index) => choices.map((choice) => base.with(index, choice))),
  );
  return { combinations: [...bases, ...varied].slice(0, MOST_COMBINATIONS), isWhole: false };
}

function distinctChoices(choices: readonly Choice[]): readonly Choice[] {
  const found = new Map<string, Choice>();
  for (const choice of choices) if (!found.has(choice.signature)) found.set(choice.signature, choice);
  return [...found.values()];
}
