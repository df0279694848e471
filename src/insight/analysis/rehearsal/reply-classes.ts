import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { hasTexts } from "../../../core/liquid/fill-texts.ts";
import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import type { Question, ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
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
import { concludeLabels } from "../../../engine/grading/verify/conclude-reply.ts";
import { evaluateCodeTraits } from "../../../engine/grading/verify/trait-value.ts";
import type { TurnLabels } from "../../../engine/journal/turn.ts";
import { rightValues, wrongValues } from "../../../engine/models/simulated/field-values.ts";
import { failingFragments, passingFragments } from "../../../engine/models/simulated/intended-answers.ts";
import { patternSample } from "../../../engine/models/simulated/pattern-sample.ts";
import { type ResolvedField, resolvedFields } from "../../../engine/models/simulated/resolved-field.ts";
import {
  answersOf,
  type Comparison,
  fieldValues,
  fixedComparison,
  fixedPart,
  stateChecks,
  traitValues,
} from "./comparisons.ts";
import type { DefinitionCode } from "./prepare-code.ts";
import { seenOf, type WatchedTurn } from "./watched-turns.ts";

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

/** No rule reads anything in it. */
const REPLY = "…";

/** The replies at a node that the scenario distinguishes: right, wrong and unreadable answers, as far as anything reads them. */
export function replyClasses(
  definition: ScenarioDefinition,
  id: string,
  { watched, code }: { readonly watched: WatchedTurn; readonly code: DefinitionCode },
): ReplyClasses {
  const { question, rubric } = definition.nodes[id] as ScenarioNode;
  const { fields = {}, verify } = question.template ?? {};
  const isOpen =
    code.verifications.has(id) ||
    needsOfParts(verify).readsState ||
    Object.values(fields).some(
      ({ truth, check }) => isTruthFrom(truth) || needsOfParts(truth, check).readsState,
    );
  const traits = [...(rubric?.traits ?? []), ...(question.rubric?.traits ?? [])];
  return new ClassFinder({
    definition,
    question: withFixedFields(question, definition),
    watched,
    traits: traits.filter(({ name }) => watched.traits.has(name)),
    verdict: code.opaqueVerdicts.has(id) ? "unknown" : isOpen ? "open" : "computed",
  }).find();
}

/** A question whose fields have the values of the row, such as those of an enum; fields that read the conversation stay as they are. */
function withFixedFields(question: Question, definition: ScenarioDefinition): Question {
  const { template } = question;
  if (template === undefined || !hasTexts(template.fields)) return question;
  const fixed = Object.entries(template.fields).map(([name, field]) => [
    name,
    fixedPart(field, definition) ?? field,
  ]);
  return { ...question, template: { ...template, fields: Object.fromEntries(fixed) } };
}

interface ClassedNode {
  readonly definition: ScenarioDefinition;
  readonly question: Question;
  readonly watched: WatchedTurn;
  readonly traits: readonly Trait[];
  /** `open` if what is right depends on the conversation, or on code; `unknown` if on code that cannot be run. */
  readonly verdict: "computed" | "open" | "unknown";
}

class ClassFinder {
  readonly #node: ClassedNode;
  /** As replies are verified, where that is known. */
  readonly #question: Question;

  constructor(node: ClassedNode) {
    this.#node = node;
    const { template, ...question } = node.question;
    const isKnown = template !== undefined && node.verdict !== "open";
    this.#question = isKnown
      ? { ...question, template: fixedPart(template, node.definition) ?? template }
      : question;
  }

  find(): ReplyClasses {
    const parts = [...this.#fieldParts(), ...this.#traitParts()];
    const { combinations, isWhole } = combined(parts);
    const hasNull = (combination: Combination): boolean =>
      parts.some(({ isTrait }, index) => !isTrait && combination[index]?.value === null);
    const classes = new Map<string, ReplyClass>();
    for (const reply of [
      ...combinations.filter((one) => !hasNull(one)).flatMap((one) => this.#replies(parts, one)),
      ...this.#unreadable(),
      ...combinations.filter(hasNull).flatMap((one) => this.#replies(parts, one)),
    ]) {
      const key = this.#keyOf(reply);
      if (!classes.has(key)) classes.set(key, reply);
    }
    return { replies: [...classes.values()], isWhole };
  }

  #fieldParts(): readonly Part[] {
    const { question, definition } = this.#node;
    // The values of an enum may come from the row.
    const template = this.#question.template ?? question.template;
    if (template === undefined) return [];
    const gate = stateChecks(gateOf(template)?.when as Parameters<typeof stateChecks>[0]);
    return resolvedFields(template, INITIAL_STATE).map((resolved) => {
      const gated = gate
        .filter(({ field }) => field === `parsed.${resolved.name}`)
        .flatMap((leaf) => fixedComparison(leaf, definition) ?? []);
      return { name: resolved.name, isTrait: false, choices: this.#fieldChoices(resolved, gated) };
    });
  }

  #fieldChoices({ name, field }: ResolvedField, gated: readonly Comparison[]): readonly Choice[] {
    const { watched, verdict } = this.#node;
    if (isTraceCheck(field.check)) return this.#traceChoices(field);
    const { comparisons = [], isSeen = false } = watched.fields.get(name) ?? {};
    const cases = this.#truths(field).map((one) => ({ name, field, looksAtReply: false, ...one }));
    const named = [...watched.named, ...this.#valuesOfOthers(field)];
    const values = [
      ...cases.flatMap((one) => rightValues(one, "").slice(0, 1)),
      ...cases.flatMap((one) => wrongValues(one, []).slice(0, 1)),
      ...fieldValues(field, [...comparisons, ...gated], named),
      null,
    ];
    const verified = [...gated, ...cases.map(({ truth, check }) => ({ check, expected: truth }))];
    const compared = [...comparisons, ...(watched.verdict ? verified : [])];
    const isRead = watched.verdict || watched.fields.has(name);
    const isWhole = isSeen || (watched.verdict && verdict === "open");
    return distinctChoices(
      values.map((value) => ({
        value,
        signature: isWhole
          ? JSON.stringify(value)
          : `${answersOf(value, compared)} ${isRead && value === null}`,
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
      const fixed = fixedPart({ type: field.type, truth, check }, this.#node.definition);
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
      const other = this.#node.definition.nodes[node]?.question.template?.fields[name];
      if (other === undefined) return [];
      return [...this.#truths(other).map((one) => one.truth), ...fieldValues(other, [], [])];
    });
  }

  #traceChoices({ check, truth }: TemplateField): readonly Choice[] {
    if (check === undefined || !this.#node.watched.verdict) return [{ value: null, signature: "" }];
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
    const { traits, watched } = this.#node;
    return traits.map((trait) => {
      const { comparisons = [], isSeen = false } = watched.traits.get(trait.name) ?? {};
      const values = [...traitValues(trait, comparisons, [...watched.named]), null];
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

  /** The reply with these values; with each verdict, where that is unknown; none if code reads another value of a trait. */
  #replies(parts: readonly Part[], combination: Combination): readonly ReplyClass[] {
    const { watched, traits, verdict } = this.#node;
    const valuesOf = (isTrait: boolean): JsonObject =>
      Object.fromEntries(
        parts.flatMap((part, index) =>
          part.isTrait === isTrait ? [[part.name, combination[index]?.value ?? null]] : [],
        ),
      );
    const fragments = combination.flatMap(({ fragment }) => (fragment === undefined ? [] : [fragment]));
    const reply = [REPLY, ...fragments].join(" ").trim();
    const rubric = valuesOf(true);
    const read = this.#readTraits(reply);
    if (Object.entries(read).some(([name, value]) => value !== (rubric[name] ?? null))) return [];
    const labels: TurnLabels = {
      parsed: valuesOf(false),
      ...(watched.refused ? { refused: false } : {}),
      ...(traits.length === 0 ? {} : { rubric }),
    };
    const isUnknown = verdict === "unknown" && watched.verdict;
    const isAssumed = isUnknown || traits.some(({ type }) => type === "function");
    return (isUnknown ? [true, false, null] : [undefined]).map((verifyResult) => ({
      reply,
      labels: verifyResult === undefined ? labels : { ...labels, verifyResult },
      isUnreadable: false,
      isAssumed,
    }));
  }

  /** What patterns read in a reply. */
  #readTraits(reply: string): JsonObject {
    const patterns = this.#node.traits.filter(({ type }) => type === "regex");
    const read = evaluateCodeTraits(patterns, reply);
    return Object.fromEntries(patterns.map(({ name }) => [name, read[name]?.value ?? null]));
  }

  /** A reply that nothing can be read of, and one that declines to answer. */
  #unreadable(): readonly ReplyClass[] {
    const { watched, traits, question } = this.#node;
    const { template } = question;
    const nothing = Object.fromEntries(traits.map(({ name }) => [name, null]));
    const rubric = traits.length === 0 ? {} : { rubric: { ...nothing, ...this.#readTraits(REPLY) } };
    const found: ReplyClass[] = [];
    const base = { reply: REPLY, isUnreadable: true, isAssumed: false };
    if (template !== undefined)
      found.push({
        ...base,
        labels: { verifyResult: null, ...rubric, ...(watched.refused ? { refused: null } : {}) },
      });
    if (watched.refused) {
      const parsed = Object.fromEntries(Object.keys(template?.fields ?? {}).map((name) => [name, null]));
      found.push({ ...base, isUnreadable: false, labels: { parsed, refused: true, ...rubric } });
    }
    return found;
  }

  /** Replies with the same key are not distinguished. */
  #keyOf({ reply, labels, isUnreadable }: ReplyClass): string {
    const { watched, verdict } = this.#node;
    const conclusion = concludeLabels({ question: this.#question, reply, state: INITIAL_STATE }, labels);
    const seen = seenOf(conclusion, watched);
    return verdict === "open" && watched.verdict
      ? JSON.stringify([seen, isUnreadable, labels.parsed ?? null])
      : seen;
  }
}

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
