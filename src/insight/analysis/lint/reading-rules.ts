import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import { gateReadsRefusal } from "../../../core/scenario/routed-on.ts";
import type { ExtractRule } from "../../../core/templates/extract-rule.ts";
import { isTraceCheck, isTruthFrom, judgedFields, type Template } from "../../../core/templates/template.ts";
import { canonicalJson, type JsonValue, type UnknownRecord } from "../../../core/values/json.ts";
import { joinParts } from "../../../engine/grading/judge/judge-turn.ts";
import { aliasMentions, aliasTree } from "../../../engine/grading/reading/alias-matches.ts";
import { concludeReply } from "../../../engine/grading/verify/conclude-reply.ts";
import type { FieldVerdict } from "../../../engine/grading/verify/verify-parsed.ts";
import { answersIn, answerWords } from "./answer-words.ts";
import type { LintRules, LintSubject } from "./lint-subject.ts";
import { named } from "./routing-rules.ts";

/** Rules about what is read out of replies: tried on the reference answers and on the questions themselves. */
export const READING_RULES: LintRules = {
  *truth_fails_check({ renderings }) {
    const seen = new Set<string>();
    for (const { questions, about } of renderings())
      for (const [id, { question, isOpen }] of questions)
        for (const [name, field] of Object.entries(isOpen ? {} : (question.template?.fields ?? {}))) {
          const { truth, check } = field;
          const key = canonicalJson([name, truth, check ?? null] as JsonValue);
          if (
            seen.has(key) ||
            check === undefined ||
            truth === undefined ||
            truth === null ||
            isTruthFrom(truth)
          )
            continue;
          seen.add(key);
          // The words of a reply, and meanings, are not compared with the truth.
          if (isTraceCheck(check) || check.type === "semantic_match") continue;
          const { passes, evaluable } = evaluateCheck(check, truth, truth);
          if (passes || !evaluable) continue;
          const message = `The truth ${JSON.stringify(truth)} of field ${JSON.stringify(name)} does not pass its own check ${check.type}${about}: one of them is wrong.`;
          yield { path: ["nodes", id, "question", "template", "fields", name, "truth"], message };
        }
  },

  *reference_misread(subject) {
    for (const { id, about, verdict, read, rawAnswer } of references(subject)) {
      if (verdict !== false) continue;
      const message = `The reference answer of ${named(id)} does not verify${about}: ${shown(rawAnswer)} ${read}. Correct the answer, the truth or the rule.`;
      yield { path: ["nodes", id, "question", "rawAnswer"], message };
    }
  },

  *reference_unread(subject) {
    for (const { id, about, verdict, read, rawAnswer } of references(subject)) {
      if (verdict !== null) continue;
      const message = `The rules of ${named(id)} cannot read its own reference answer${about}: ${shown(rawAnswer)} ${read}. Replies like it will be unreadable, too.`;
      yield { path: ["nodes", id, "question", "rawAnswer"], message };
    }
  },

  *same_alias(subject) {
    for (const { path, values } of aliasLists(subject)) {
      const tree = aliasTree(values);
      const reported = new Set<string>();
      for (const [value, aliases] of Object.entries(values))
        for (const [index, alias] of aliases.entries()) {
          const whole = aliasMentions(alias, tree).filter(({ start, end }) => isWhole(alias, start, end));
          const other = whole.find((mention) => mention.value !== value)?.value;
          if (other === undefined || reported.has(alias.toLowerCase())) continue;
          reported.add(alias.toLowerCase());
          const message = `The alias ${JSON.stringify(alias)} stands for both ${JSON.stringify(value)} and ${JSON.stringify(other)}: a reply with it cannot be read.`;
          yield { path: [...path, value, index], message };
        }
    }
  },

  *alias_in_alias(subject) {
    for (const { path, values } of aliasLists(subject))
      for (const [value, aliases] of Object.entries(values)) {
        const { [value]: _, ...rest } = values;
        const others = aliasTree(rest);
        for (const [index, alias] of [value, ...aliases].entries()) {
          const inside = aliasMentions(alias, others).find(({ start, end }) => !isWhole(alias, start, end));
          if (inside === undefined) continue;
          const word = alias.slice(inside.start, inside.end);
          const message = `${alias === value ? "The value" : "The alias"} ${JSON.stringify(alias)}${alias === value ? "" : ` of ${JSON.stringify(value)}`} contains ${JSON.stringify(word)}, which stands for ${JSON.stringify(inside.value)}: the longer one counts, so a slightly different spelling is read as the other value.`;
          yield { path: index === 0 ? [...path, value] : [...path, value, index - 1], message };
        }
      }
  },

  *alias_in_question(subject) {
    const { definition, outEdges } = subject;
    const later = new Set([...outEdges.values()].flatMap((edges) => edges.flatMap(({ targets }) => targets)));
    for (const { questions } of subject.renderings().slice(0, 1))
      for (const [id, { question, isOpen }] of questions) {
        // A challenge proposes a wrong answer on purpose; the first question of a conversation does not.
        if (isOpen || later.has(id) || id !== definition.entryNode) continue;
        for (const words of answerWords(question)) {
          if (question.template?.fields[words.field]?.extract?.type !== "aliases") continue;
          const found = answersIn(question.question, words);
          const values = new Set(found.map(({ value }) => value));
          const [first] = found;
          if (first === undefined || values.size !== 1 || values.has(words.truth)) continue;
          const message = `The question of ${named(id)} contains ${JSON.stringify(first.word)}, an alias of ${JSON.stringify(first.value)}: a reply that repeats the question may be read as that answer.`;
          yield { path: ["nodes", id, "question", "question"], message };
        }
      }
  },
};

interface Reference {
  readonly id: string;
  readonly about: string;
  readonly rawAnswer: string;
  readonly verdict: boolean | null;
  /** What was read of it, as the end of a sentence. */
  readonly read: string;
}

const NOTHING_JUDGED = joinParts([]);

/** What the rules of each node make of its reference answer, where rules read all of it. */
function* references({ renderings }: LintSubject): Generator<Reference> {
  const seen = new Set<string>();
  for (const { questions, about } of renderings())
    for (const [id, { question, isOpen }] of questions) {
      const { template, rawAnswer } = question;
      if (template === undefined || rawAnswer.trim() === "" || isOpen || !isReadByRules(template)) continue;
      const key = canonicalJson([id, rawAnswer, template as unknown as JsonValue]);
      if (seen.has(key)) continue;
      seen.add(key);
      const { verifyResult, parsed, fields, notVerified } = concludeReply(
        { question: question as Question, reply: rawAnswer },
        NOTHING_JUDGED,
      );
      if (notVerified) continue;
      yield { id, about, rawAnswer, verdict: verifyResult, read: readText(parsed, fields) };
    }
}

/** What was read, and which checks on the reply itself do not hold: those read nothing. */
function readText(parsed: UnknownRecord, fields: Readonly<Record<string, FieldVerdict>>): string {
  const values = Object.entries(parsed).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const failed = Object.entries(fields).flatMap(([name, { result }]) =>
    result === true || Object.hasOwn(parsed, name) ? [] : [name],
  );
  return [
    ...(values.length === 0 ? [] : [`is read as ${values.join(", ")}`]),
    ...(failed.length === 0 ? [] : [`does not pass ${failed.join(", ")}`]),
  ].join(" and ");
}

/** True if neither a judge nor earlier turns nor meanings decide the verdict. */
function isReadByRules(template: Template): boolean {
  if (Object.keys(judgedFields(template)).length > 0 || typeof template.verify === "string") return false;
  if (gateReadsRefusal(template) || needsOfParts(template).readsState) return false;
  return Object.values(template.fields).every(
    ({ truth, check }) => !isTruthFrom(truth) && check?.type !== "semantic_match",
  );
}

type AliasRule = Extract<ExtractRule, { readonly type: "aliases" }>;

/** The alias lists of a scenario, each once. */
function* aliasLists({ renderings }: LintSubject): Generator<{
  readonly path: readonly (string | number)[];
  readonly values: AliasRule["values"];
}> {
  const seen = new Set<string>();
  for (const { questions } of renderings().slice(0, 1))
    for (const [id, { question, isOpen }] of questions)
      for (const [name, { extract }] of Object.entries(question.template?.fields ?? {})) {
        if (isOpen || extract?.type !== "aliases") continue;
        const key = canonicalJson(extract.values as JsonValue);
        if (seen.has(key)) continue;
        seen.add(key);
        const path = ["nodes", id, "question", "template", "fields", name, "extract", "values"];
        yield { path, values: extract.values };
      }
}

function isWhole(alias: string, start: number, end: number): boolean {
  return alias.slice(0, start).trim() === "" && alias.slice(end).trim() === "";
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
}
