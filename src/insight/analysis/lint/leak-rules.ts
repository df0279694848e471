import { lazy } from "../../../core/lazy.ts";
import { readsVerdict } from "../../../core/scenario/condition-logic.ts";
import { END } from "../../../core/scenario/definition.ts";
import type { IssuePath } from "../../../core/schema/issue.ts";
import { deepEqual } from "../../../core/values/json.ts";
import {
  AnswerIndex,
  type AnswerWords,
  answersIn,
  answerWords,
  givenAway,
  type NamedAnswer,
  placeOf,
  type ShortAnswer,
  shortAnswers,
  statedAnswer,
} from "./answer-words.ts";
import type { Found, LintRules, LintSubject, OutEdge } from "./lint-subject.ts";
import { named, possibleEdges } from "./routing-rules.ts";

/** Rules about right answers that stand where the subject or the judge can read them. */
export const LEAK_RULES: LintRules = {
  *truth_in_question(subject) {
    // One finding for each question: its other rows have the same mistake.
    const found = new Map<string, { leaks: readonly NamedAnswer[]; about: string; more: number }>();
    for (const { id, text, about, ofNode, short } of questions(subject)) {
      const leaks = [
        ...ofNode.map((words) => (denied(text, words) === null ? givenAway(text, words) : null)),
        ...short.map((words) => statedAnswer(text, words)),
      ].filter((leak) => leak !== null);
      const known = found.get(id);
      if (known !== undefined) known.more += Math.min(1, leaks.length);
      else if (leaks.length > 0) found.set(id, { leaks, about, more: 0 });
    }
    for (const [id, { leaks, about, more }] of found)
      for (const leak of leaks) {
        const others = more === 0 ? "" : ` The same in ${more} more.`;
        const message = `The question of ${named(id)} contains its right answer ${JSON.stringify(leak.word)}${about}.${others}`;
        yield inQuestion(subject, id, { leak, message });
      }
  },

  *truth_in_earlier_question(subject) {
    const found = new Set<string>();
    for (const { id, text, about, ofNode, index } of questions(subject))
      for (const { words, owners } of index().in(text)) {
        // The same answer in its own question is found there.
        if (found.has(`${id} ${words.key}`) || ofNode.some(({ key }) => key === words.key)) continue;
        const leak = givenAway(text, words);
        const later = leak === null ? undefined : firstReached(subject, id, new Set(owners));
        if (leak === null || later === undefined) continue;
        found.add(`${id} ${words.key}`);
        const message = `The question of ${named(id)} contains ${JSON.stringify(leak.word)}${about}, the right answer of ${named(later)}, which comes later.`;
        yield inQuestion(subject, id, { leak, message });
      }
  },

  *truth_in_example({ definition, renderings }) {
    for (const [rendering] of [renderings()])
      for (const [id, { question, isOpen }] of rendering?.questions ?? []) {
        const examples = question.fewShot ?? [];
        if (isOpen || examples.length === 0) continue;
        // Other questions may have the same letter as their answer.
        const same = examples.findIndex((example) => isSameText(example.question, question.question));
        if (same !== -1) {
          const path = ["nodes", id, "question", "fewShot", same, "question"];
          yield { path, message: `An example of ${named(id)} asks its own question, and answers it.` };
          continue;
        }
        const whole = examples.map(({ question: asked, answer }) => `${asked}\n${answer}`).join("\n\n");
        for (const words of answerWords(question)) {
          if (givenAway(whole, words) === null) continue;
          for (const [index, example] of examples.entries())
            for (const part of ["question", "answer"] as const) {
              const leak = givenAway(example[part], words);
              if (leak === null) continue;
              const path = ["nodes", id, "question", "fewShot", index, part];
              const authored = definition.nodes[id]?.question.fewShot?.[index]?.[part] ?? "";
              const message = `An example of ${named(id)} contains the right answer ${JSON.stringify(leak.word)}.`;
              yield { path, message, ...within(authored, leak) };
            }
        }
      }
  },

  *truth_in_description({ definition }) {
    const seen = new Set<string>();
    for (const id of definition.nodeIds) {
      const question = definition.nodes[id]?.question;
      if (question === undefined) continue;
      for (const words of answerWords(question)) {
        const field = question.template?.fields[words.field];
        for (const part of ["description", "hint"] as const) {
          const text = field?.[part] ?? "";
          const leak = givenAway(text, words);
          if (leak === null || seen.has(`${words.key} ${text}`)) continue;
          // One template is often used by many nodes.
          seen.add(`${words.key} ${text}`);
          const path = ["nodes", id, "question", "template", "fields", words.field, part];
          const message = `The judge reads the right answer ${JSON.stringify(leak.word)} in the ${part} of field ${JSON.stringify(words.field)}.`;
          yield { path, message, ...within(text, leak) };
        }
      }
    }
  },

  *oracle_edge(subject) {
    const { outEdges } = subject;
    // One finding for each question that is asked again, at the first edge to it.
    const again = new Map<string, { readonly edge: OutEdge; readonly sources: string[] }>();
    for (const [source, edges] of outEdges) {
      const place = subject.placeAfter(source);
      if (!edges.some(({ condition }) => condition !== null && readsVerdict(condition, place))) continue;
      const ifRight = new Set(possibleEdges(edges, true, place).flatMap(({ targets }) => targets));
      for (const edge of possibleEdges(edges, false, place))
        for (const target of edge.targets) {
          if (ifRight.has(target) || !asksTheSame(subject, source, target)) continue;
          const known = again.get(target);
          if (known === undefined) again.set(target, { edge, sources: [source] });
          else known.sources.push(source);
        }
    }
    for (const [target, { edge, sources }] of again) {
      const message = `Only a wrong answer to ${sources.map(named).join(" or ")} leads to ${named(target)}, which asks for the same again: that tells the subject that it was wrong. Report what follows as helped.`;
      yield { path: edge.path, message };
    }
  },

  *challenge_denies_truth(subject) {
    const tested = challenges(subject);
    for (const { id, text, about, ofNode } of questions(subject)) {
      if (!tested.has(id)) continue;
      for (const words of ofNode) {
        const leak = denied(text, words);
        if (leak === null) continue;
        const message = `The challenge ${named(id)} names the right answer ${JSON.stringify(leak.word)} and calls it wrong${about}. So it tells every subject what the right answer is: propose a wrong one instead.`;
        yield inQuestion(subject, id, { leak, message });
      }
    }
  },
};

interface PlacedQuestion {
  readonly id: string;
  readonly text: string;
  /** The row and variant, as the end of a sentence. */
  readonly about: string;
  readonly ofNode: readonly AnswerWords[];
  readonly short: readonly ShortAnswer[];
  /** The right answers of all nodes. */
  readonly index: () => AnswerIndex<string>;
}

/** Every question with the answers that are known; each text of a node once. */
function* questions(subject: LintSubject): Generator<PlacedQuestion> {
  const seen = new Set<string>();
  for (const { questions: rendered, about } of subject.renderings()) {
    const known = new Map(
      [...rendered].map(([id, { question, isOpen }]) => [id, isOpen ? [] : answerWords(question)]),
    );
    const index = lazy(
      () => new AnswerIndex([...known].flatMap(([id, all]) => all.map((words) => [id, words] as const))),
    );
    for (const [id, { question, isOpen }] of rendered) {
      const ofNode = known.get(id) ?? [];
      const text = question.question;
      const short = isOpen ? [] : shortAnswers(question);
      const key = JSON.stringify([id, text, ofNode.map((words) => words.key), short]);
      if (text === "" || seen.has(key)) continue;
      seen.add(key);
      yield { id, text, about, ofNode, short, index };
    }
  }
}

/** The nearest of some nodes that edges lead to from a node, where the same agent is asked: another one sees what a handover shows it. */
function firstReached(
  { outEdges, definition }: LintSubject,
  start: string,
  wanted: ReadonlySet<string>,
): string | undefined {
  const agent = agentAt(definition.nodes[start]?.agentIdentity);
  const found = new Set([start]);
  for (const node of found) {
    if (node !== start && wanted.has(node) && agentAt(definition.nodes[node]?.agentIdentity) === agent)
      return node;
    for (const { targets } of outEdges.get(node) ?? [])
      for (const target of targets) if (target !== END) found.add(target);
  }
  return undefined;
}

function isSameText(one: string, other: string): boolean {
  const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim().toLowerCase();
  return plain(one) === plain(other);
}

function agentAt(identity: unknown): unknown {
  return typeof identity === "object" && identity !== null && "name" in identity ? identity.name : identity;
}

function inQuestion(
  { definition }: LintSubject,
  id: string,
  { leak, message }: { readonly leak: NamedAnswer; readonly message: string },
): Found {
  const path: IssuePath = ["nodes", id, "question", "question"];
  return { path, message, ...within(definition.nodes[id]?.question.question ?? "", leak) };
}

/** The place of a word in the text that the author wrote, if it stands there. */
function within(authored: string, leak: NamedAnswer): Pick<Found, "within"> {
  const start = authored.indexOf(leak.word);
  return start === -1 ? {} : { within: placeOf(authored, { ...leak, start }) };
}

/** True if two nodes have a field with the same name and the same truth. */
function asksTheSame({ definition }: LintSubject, one: string, other: string): boolean {
  const fields = definition.nodes[one]?.question.template?.fields ?? {};
  const others = definition.nodes[other]?.question.template?.fields ?? {};
  return Object.entries(fields).some(
    ([name, { truth }]) => Object.hasOwn(others, name) && deepEqual(others[name]?.truth, truth),
  );
}

/** The nodes to which a right answer to a question with the same truth may lead: they test whether the answer stays. */
function challenges(subject: LintSubject): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [source, edges] of subject.outEdges)
    for (const { targets } of possibleEdges(edges, true, subject.placeAfter(source)))
      for (const target of targets) if (asksTheSame(subject, source, target)) found.add(target);
  return found;
}

const DENIED_BEFORE =
  /\b(?:not|isn't|wasn't|aren't|never|no longer|wrong|incorrect|mistaken|rather than|instead of|can't be|cannot be)(?:[ ,:]+(?:is|was|be|really|actually|the|a|an|in|to|say|that|it|about|answer|city|one)){0,3}[ ,:"'“‘]*$/i;
const DENIED_AFTER =
  /^["'”’]{0,2}[ ,]*(?:(?:is|was|are|were|'s|can|could|would|does|must)(?: be)?(?:n't| not| never| no longer| wrong| incorrect| mistaken| false| a mistake| an error)|cannot|is (?:simply |just |plainly |clearly |definitely |of course )?(?:wrong|incorrect|mistaken|false|not))(?![a-z])/i;

/** Where a text names the right answer and says that it is not right. */
function denied(text: string, words: AnswerWords): NamedAnswer | null {
  for (const answer of answersIn(text, words)) {
    if (answer.value !== words.truth) continue;
    const before = text.slice(Math.max(0, answer.start - 60), answer.start);
    const after = text.slice(answer.end, answer.end + 40);
    if (DENIED_BEFORE.test(before) || DENIED_AFTER.test(after)) return answer;
  }
  return null;
}
