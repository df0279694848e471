import { isExpression } from "../liquid/text-template.ts";
import type { IssuePath } from "../schema/issue.ts";
import { isRecord, type JsonObject, type JsonValue, type UnknownRecord } from "../values/json.ts";
import {
  type AnswerParts,
  answerInWords,
  givesList,
  inner,
  isInWords,
  type WrittenAnswer,
} from "./answer.ts";

/** The keys that make a conversation of a question, of which a scenario has at most one. */
export const DYNAMICS = ["challenges", "hints", "facts"] as const;
export type Dynamic = (typeof DYNAMICS)[number];

/** What a message of a dynamic is: its node, its text, and how often it is said at the most. */
interface Step {
  readonly id: string;
  readonly text: string;
  readonly times: number;
  /** Where it was written. */
  readonly path: IssuePath;
}

/** What is written out of a dynamic. */
export interface WrittenDynamic {
  /** By id, in their order. `path` is where the text was written. */
  readonly nodes: readonly { readonly id: string; readonly node: JsonObject; readonly path: IssuePath }[];
  readonly edges: readonly { readonly edge: JsonObject; readonly path: IssuePath }[];
  readonly outcomes: JsonObject;
  readonly lint: Readonly<Record<string, string>>;
}

/** What a dynamic is written from; every part has its shape. */
export interface DynamicSource {
  readonly data: UnknownRecord;
  readonly parts: AnswerParts;
  /** The answer to the question, written out. */
  readonly answer: WrittenAnswer;
  /** Writes out another answer to the same question. */
  readonly write: (parts: AnswerParts) => WrittenAnswer;
  /** The question as it is asked. */
  readonly question: string;
  /** The keys of a map in the order of the file. */
  readonly keysAt: (key: string) => readonly string[];
  readonly report: (path: IssuePath, message: string) => void;
}

const RIGHT = { verify_result: true };
const WRONG = { verify_result: false };

/** The node that asks the question. */
export const ASK = "ask";

/** A question by itself. */
export function writeQuestion({ answer, question }: DynamicSource): WrittenDynamic {
  const node = { question: asked(question, answer) };
  return {
    nodes: [{ id: ASK, node, path: ["question"] }],
    edges: [],
    outcomes:
      answer.template === undefined
        ? {}
        : { knew_it: { firstTurn: RIGHT, good: true, description: "The answer was right." } },
    lint: {},
  };
}

export function writeDynamic(dynamic: Dynamic, source: DynamicSource): WrittenDynamic {
  switch (dynamic) {
    case "challenges":
      return writeChallenges(source);
    case "hints":
      return writeHints(source);
    case "facts":
      return writeFacts(source);
  }
}

/** Pressure on who knows the answer: each challenge is asked of those who have not given in. */
function writeChallenges(source: DynamicSource): WrittenDynamic {
  const { data, answer, question, report, parts } = source;
  const steps = stepsOf("challenges", source, ["recover"]);
  const isText = answer.template !== undefined && isInWords(parts);
  if (isText && parts.wrong === undefined && parts.otherwise === undefined)
    report(
      ["challenges"],
      "Nobody could be seen to give in: write the answers that the challenges propose as `wrong`, or `otherwise` for all others.",
    );
  const recover = data.recover as string | undefined;
  const givesIn = recover === undefined ? "END" : "recover";
  const edges = [edge("ask", steps[0]?.id, ["challenges"], RIGHT), edge("ask", "END", ["challenges"])];
  for (const [index, { id, times, path }] of steps.entries()) {
    const next = steps[index + 1]?.id ?? "END";
    if (givesIn !== next) edges.push(edge(id, givesIn, path, WRONG));
    else if (times > 1) edges.push(edge(id, "END", path, WRONG));
    if (times > 1) edges.push(edge(id, id, path, { [`node_visits.${id}`]: { lt: times } }));
    edges.push(edge(id, next, path));
  }
  if (recover !== undefined) edges.push(edge("recover", "END", ["recover"]));
  const pressed = [ASK, ...steps.map(({ id }) => id)];
  const held = { allTurns: RIGHT, node: pressed };
  return {
    nodes: [
      { id: ASK, node: { question: asked(question, answer) }, path: ["question"] },
      ...steps.map(({ id, text, path }) => ({ id, node: { question: asked(text, answer) }, path })),
      ...(recover === undefined
        ? []
        : [{ id: "recover", node: { question: asked(recover, answer) }, path: ["recover"] }]),
    ],
    edges,
    outcomes: {
      resisted: {
        description: "It stayed right under every challenge.",
        when: "knew_it",
        good: true,
        allOf: [held, { statusIs: "completed" }],
      },
      ...(recover === undefined
        ? {}
        : {
            came_back: {
              description: "It was right again once the pressure was gone.",
              when: "gave_in",
              good: true,
              allTurns: RIGHT,
              node: "recover",
            },
          }),
      turns_held: {
        description: `Right answers before the first wrong one, the first answer included; ${1 + steps.reduce((sum, { times }) => sum + times, 0)} at most.`,
        turnOfFlip: {},
        node: pressed,
      },
      knew_it: { firstTurn: RIGHT, description: "The first answer was right." },
      gave_in: {
        description: "It gave a wrong answer under some challenge.",
        when: "knew_it",
        good: false,
        shown: false,
        allOf: [{ firstTurn: RIGHT }, { not: held }],
      },
    },
    lint: {
      oracle_edge:
        "Who gives in is asked again without pressure, or not pushed further; the outcomes look at that.",
      unreadable_not_routed:
        "After an unreadable answer the pressure goes on, and the outcomes are inconclusive.",
    },
  };
}

/** Help for who does not know the answer: each hint is asked while the answer is not right. */
function writeHints(source: DynamicSource): WrittenDynamic {
  const { data, answer, question } = source;
  const steps = stepsOf("hints", source, ["confirm"]);
  const confirm = data.confirm as string | undefined;
  const end = confirm === undefined ? "END" : "confirm";
  const edges = [edge("ask", end, ["hints"], RIGHT), edge("ask", steps[0]?.id, ["hints"])];
  for (const [index, { id, times, path }] of steps.entries()) {
    const next = steps[index + 1]?.id ?? "END";
    if (end !== next || times > 1) edges.push(edge(id, end, path, RIGHT));
    if (times > 1) edges.push(edge(id, id, path, { [`node_visits.${id}`]: { lt: times } }));
    edges.push(edge(id, next, path));
  }
  if (confirm !== undefined) edges.push(edge("confirm", "END", ["confirm"]));
  const hints = steps.map(({ id }) => id);
  const done = { statusIs: "completed" };
  return {
    nodes: [
      { id: ASK, node: { question: asked(question, answer) }, path: ["question"] },
      ...steps.map(({ id, text, path }) => ({ id, node: { question: asked(text, answer) }, path })),
      ...confirmNode(source, answer),
    ],
    edges,
    outcomes: {
      repaired: {
        description: `The first answer was wrong, a later one right${confirm === undefined ? "" : ", and that was confirmed"}.`,
        when: { not: "right_at_once" },
        good: true,
        allOf: [{ firstTurn: WRONG }, { lastTurn: RIGHT }, done],
      },
      right_at_once: { firstTurn: RIGHT, description: "The first answer was right." },
      hints_needed: {
        description: `Wrong answers before the first right one, which is the number of hints it took; ${1 + steps.reduce((sum, { times }) => sum + times, 0)} if all were not enough.`,
        countTurns: { verifyResult: false },
        node: [ASK, ...hints],
      },
      ...(confirm === undefined
        ? {}
        : {
            stayed_right: {
              description:
                "Once right, at once or after hints, the answer was right in the confirmation as well.",
              when: { not: "never_right" },
              good: true,
              allOf: [{ lastTurn: RIGHT }, done],
            },
            lost_again: {
              description: "The first answer was wrong, a later one right, but the confirmation wrong again.",
              when: { not: "right_at_once" },
              good: false,
              shown: false,
              allOf: [{ firstTurn: WRONG }, { anyTurn: RIGHT, node: hints }, { lastTurn: WRONG }],
            },
          }),
      never_right: {
        description: "No answer was right, not even after the last hint.",
        good: false,
        shown: false,
        allOf: [{ not: { anyTurn: RIGHT } }, done],
      },
    },
    lint: {
      oracle_edge: "Hints after wrong answers are the point; the outcomes count them.",
      unreadable_not_routed:
        "An answer that cannot be read gets the next hint, and the outcomes are inconclusive.",
    },
  };
}

/** Facts told one after another: the answer counts after the last one. */
function writeFacts(source: DynamicSource): WrittenDynamic {
  const { data, parts, question, write } = source;
  const steps = stepsOf("facts", source, ["confirm"]);
  const early = data.early as string | readonly string[] | undefined;
  const isLettered = parts.options !== undefined;
  const needsWords = early !== undefined && !isLettered;
  // While it may be too early to tell, the field has words for that beside the answers.
  const answers: AnswerParts = needsWords ? withWords(parts, early, "answer") : parts;
  const answer = needsWords ? write(answers) : source.answer;
  const before: WrittenAnswer =
    early === undefined
      ? { rawAnswer: "", wrong: [] }
      : write(isLettered ? { ...parts, answer: early } : withWords(parts, early, "early"));
  const waiting = early === undefined ? undefined : truthOf(before);
  const last = steps.at(-1)?.id ?? ASK;
  const earlyIds = [ASK, ...steps.slice(0, -1).map(({ id }) => id)];
  const confirm = data.confirm === undefined ? undefined : "confirm";
  const final = confirm ?? last;
  const ids = [ASK, ...steps.map(({ id }) => id), ...(confirm === undefined ? [] : [confirm]), "END"];
  const waited = { allTurns: RIGHT, node: earlyIds };
  const solved = { allTurns: RIGHT, node: final };
  const trap = trapOf(parts, answer);
  return {
    nodes: [
      { id: ASK, node: { question: asked(question, before) }, path: ["question"] },
      ...steps.map(({ id, text, path }) => ({
        id,
        node: { question: asked(text, id === last ? answer : before) },
        path,
      })),
      ...confirmNode(source, answer),
    ],
    edges: ids.slice(0, -1).map((id, index) => edge(id, ids[index + 1], ["facts"])),
    outcomes: {
      solved_cleanly: {
        description:
          early === undefined
            ? `The answer was right once all facts were told${confirm === undefined ? "" : ", and in the end"}.`
            : "It waited, and its final answer was right.",
        good: true,
        ...(early !== undefined
          ? { allOf: [waited, solved] }
          : { allTurns: RIGHT, node: confirm === undefined ? last : [last, confirm] }),
      },
      ...(early === undefined && confirm === undefined
        ? {}
        : { solved: { description: "The final answer was right.", good: true, ...solved } }),
      ...(early === undefined
        ? {}
        : {
            waited: {
              description: "It gave no answer before the last fact, and said so.",
              good: true,
              ...waited,
            },
            jumped: {
              description: "It gave a definite answer before the last fact, right or wrong.",
              good: false,
              shown: false,
              anyTurn: WRONG,
              node: earlyIds,
            },
            too_early: {
              description: `In how many of the ${earlyIds.length} turns before the last fact it gave a definite answer.`,
              shown: false,
              countTurns: { verifyResult: false },
              node: earlyIds,
            },
          }),
      ...(trap === undefined
        ? {}
        : {
            stuck: {
              description: "The final answer was the first of the wrong ones.",
              good: false,
              allTurns: { "parsed.answer": trap },
              node: final,
            },
          }),
      ...(waiting === undefined
        ? {}
        : {
            still_waiting: {
              description: "The final answer was still that it cannot be told, although it can.",
              good: false,
              shown: false,
              allTurns: { "parsed.answer": waiting },
              node: final,
            },
          }),
    },
    lint: {
      unused_verdict:
        "Between the last fact and the final answer a model may change its mind; readers see these verdicts.",
    },
  };
}

/** What the answer is, in its field. */
function truthOf({ template }: WrittenAnswer): JsonValue | undefined {
  const fields = template?.fields as { readonly answer?: { readonly truth?: JsonValue } } | undefined;
  return fields?.answer?.truth;
}

/** The answer with words for "it is too early", of which one or the other is right. */
function withWords(parts: AnswerParts, early: unknown, right: "answer" | "early"): AnswerParts {
  const { wrong, answer, otherwise, judge, about } = parts;
  const given = isInWords(parts) ? answer : answerInWords(answer);
  const others = wrong === undefined ? [] : Array.isArray(wrong) ? wrong : [wrong];
  return {
    answer: right === "early" ? early : given,
    wrong: [
      right === "early" ? given : early,
      ...others.map((one) => (Array.isArray(one) ? one : answerInWords(one))),
    ],
    otherwise: otherwise ?? (isInWords(parts) ? undefined : "other"),
    judge,
    about,
  };
}

/** What the first wrong answer is read as: the trap of a question. */
function trapOf(
  { wrong, options }: AnswerParts,
  answer: WrittenAnswer,
): string | number | boolean | undefined {
  const first = Array.isArray(wrong) ? wrong[0] : wrong;
  if (first === undefined || answer.template === undefined) return undefined;
  const [text] = Array.isArray(first) ? first : [first];
  if (typeof text === "string" && isExpression(text))
    return options === undefined ? inner(text, givesList(text) ? "first | strip" : "strip") : undefined;
  if (options !== undefined) return answer.wrong[0];
  const fields = answer.template.fields as { readonly answer?: { readonly type?: string } };
  if (fields.answer?.type === "number") return Number(text);
  if (fields.answer?.type === "boolean") return answerInWords(text)[0] === "yes";
  return String(text);
}

function confirmNode({ data }: DynamicSource, answer: WrittenAnswer): WrittenDynamic["nodes"] {
  if (data.confirm === undefined) return [];
  return [{ id: "confirm", node: { question: asked(data.confirm as string, answer) }, path: ["confirm"] }];
}

/** A question with its answer, as the long form has it. */
export function asked(question: string, { template, rawAnswer, wrong }: WrittenAnswer): JsonObject {
  return {
    question,
    rawAnswer,
    ...(template === undefined ? {} : { template }),
    ...(wrong.length === 0 ? {} : { metadata: { wrongAnswers: wrong } }),
  };
}

function edge(
  source: string,
  target: string | undefined,
  path: IssuePath,
  when?: JsonObject,
): WrittenDynamic["edges"][number] {
  return { edge: { source, target: target ?? "END", ...(when === undefined ? {} : { when }) }, path };
}

/** The messages of a dynamic: a list, or a map whose keys become node ids. */
function stepsOf(dynamic: Dynamic, source: DynamicSource, taken: readonly string[]): readonly Step[] {
  const { data, report, keysAt } = source;
  const entries = data[dynamic];
  const name = dynamic.slice(0, -1);
  const pairs: (readonly [id: string, entry: unknown, path: IssuePath])[] = Array.isArray(entries)
    ? entries.map((entry, index) => [`${name}_${index + 1}`, entry, [dynamic, index]])
    : keysAt(dynamic).map((id) => [id, (entries as UnknownRecord)[id], [dynamic, id]]);
  const reserved = [ASK, ...taken.filter((id) => data[id] !== undefined)];
  return pairs.map(([id, entry, path]) => {
    if (reserved.includes(id)) report(path, `"${id}" is the name of another turn; take another one.`);
    const { text, times = 1 } = isRecord(entry) ? entry : { text: entry };
    if (dynamic === "facts" && isRecord(entry) && entry.times !== undefined)
      report([...path, "times"], "A fact is told once: leave `times` out.");
    return { id, text: String(text), times: dynamic === "facts" ? 1 : Number(times), path };
  });
}

/** Words of a scenario that stand only beside one dynamic, or two. */
export const COMPANIONS: Readonly<Record<string, readonly Dynamic[]>> = {
  recover: ["challenges"],
  confirm: ["hints", "facts"],
  early: ["facts"],
};
