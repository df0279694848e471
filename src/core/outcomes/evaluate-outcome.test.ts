import fc from "fast-check";
import { describe, expect, test } from "vitest";
import golden from "../../../test/golden/outcomes.json" with { type: "json" };
import { allOf, anyOf, atLeastN, not } from "../logic/composition.ts";
import type { Truth } from "../logic/kleene.ts";
import type { ConversationResult, TurnRecord } from "../state/state.ts";
import { evaluateOutcome, evaluateOutcomes, failedInFunction } from "./evaluate-outcome.ts";
import type { Outcome, OutcomeCheck } from "./outcome-check.ts";
import {
  allTurns,
  anyTurn,
  countTurns,
  crossTurn,
  firstMatchIndex,
  firstTurn,
  lastAttempt,
  lastOverTurns,
  lastTurn,
  longestRun,
  meanOverTurns,
  measureIs,
  minOverTurns,
  numberOfFlips,
  persistence,
  resultIs,
  statusIs,
  turnAt,
  turnCountEq,
  turnCountGte,
  turnOfFlip,
} from "./outcome-helpers.ts";

// Casts: golden data is typed as loosely as JSON is, and says `nodeId` and `history`.
const run = golden.run as unknown as ConversationResult;
const emptyErrorRun: ConversationResult = { status: "error", path: [], turnCount: 0, turns: [] };

const UNVERIFIED = turn(null, { fields: {}, score: null });
const GATED = turn(null, { notVerified: true, score: null });
const REFUSED_NOT = turn(true, { refused: false });

test.each<[name: string, check: OutcomeCheck, turns: TurnRecord[], value: number | boolean | null]>([
  ["the share of right turns", meanOverTurns("verify_result"), [turn(true), turn(false), turn(true)], 2 / 3],
  ["an unread turn", meanOverTurns("verify_result"), [turn(true), turn(null)], null],
  ["turns that nothing verifies", meanOverTurns("verify_result"), [turn(true), UNVERIFIED, GATED], 1],
  ["the last verdict", lastOverTurns("verify_result"), [turn(true), turn(false), UNVERIFIED], 0],
  ["the share of refusals", meanOverTurns("refused"), [turn(false, { refused: true }), REFUSED_NOT], 0.5],
  ["the mean score", meanOverTurns("score"), [turn(false, { score: 0.5 }), turn(true, { score: 1 })], 0.75],
  ["a score of an unread turn", meanOverTurns("score"), [turn(null, { score: 0.5 })], null],
  ["scores that nothing has", minOverTurns("score"), [turn(true, { score: 1 }), UNVERIFIED, GATED], 1],
  ["a score compared", anyTurn({ score: { gte: 0.5 } }), [turn(false, { score: 0.5 })], true],
])("%s", (_name, check, turns, value) => {
  expect(evaluateOutcome(check, conversation(...turns)).value).toBe(value);
});

describe("golden outcomes", () => {
  test.each(golden.checks)("$name", ({ check, onRun, onEmptyErrorRun }) => {
    const own = check as unknown as OutcomeCheck;
    expect(evaluateOutcome(own, run).value).toBe(onRun);
    expect(evaluateOutcome(own, emptyErrorRun).value).toBe(onEmptyErrorRun);
  });
});

function turn(verifyResult: Truth, more: Partial<TurnRecord> = {}): TurnRecord {
  return { node: "n", verifyResult, reply: "r", questionText: "q", parsed: { n: 1 }, ...more };
}

function conversation(...turns: TurnRecord[]): ConversationResult {
  return {
    status: "completed",
    path: turns.map(({ node }) => node),
    turnCount: turns.length,
    turns,
  };
}

function verdicts(text: string): ConversationResult {
  return conversation(...[...text].map((sign) => turn(sign === "?" ? null : sign === "+")));
}

describe("turns that a gate leaves out", () => {
  const left = turn(null, { notVerified: true, parsed: { kind: "question" }, fields: { kind: {} } });
  const said = (verdict: Truth): TurnRecord =>
    turn(verdict, { parsed: { kind: "answer" }, fields: { kind: {} } });
  const asked = conversation(left, said(true), left, said(false), said(false), left);

  test.each<[string, OutcomeCheck, boolean | number]>([
    ["are not wrong", anyTurn({ verify_result: false }), true],
    ["do not count by verdict", countTurns({ verifyResult: false }), 2],
    ["count by what was read", countTurns({ where: { "parsed.kind": "question" } }), 3],
    ["count with a node", countTurns({ node: "other", where: { "parsed.kind": "question" } }), 0],
    ["count by both", countTurns({ verifyResult: true, where: { "parsed.kind": "answer" } }), 1],
    ["find the first", firstMatchIndex({ where: { "parsed.kind": "answer" } }), 1],
    ["have no verdict first", firstTurn({ verify_result: true }), false],
    ["have no verdict that is false", firstTurn({ verify_result: false }), false],
    ["have a verdict of null", firstTurn({ verify_result: null }), true],
    ["are no last attempt", lastAttempt({ verify_result: false }), true],
    ["are between neighbours", turnOfFlip(), 1],
    ["are no flip", numberOfFlips(), 1],
    ["are no end of a run", longestRun({ where: { "parsed.kind": "answer" } }), 2],
    ["stay as they became", persistence(), 1],
  ])("%s", (_name, check, value) => {
    expect(evaluateOutcome(check, asked)).toMatchObject({ value, status: "decided" });
  });

  test("all verdicts are those of the others", () => {
    const kept = conversation(left, said(true), left);
    expect(evaluateOutcome(allTurns({ verify_result: true }), kept).value).toBe(true);
    expect(evaluateOutcome(allTurns({ verify_result: true }), conversation(left)).value).toBe(false);
    expect(evaluateOutcome(lastAttempt({ verify_result: true }), conversation(left)).value).toBe(false);
  });

  test("a turn without a template is no attempt, one that could not be read is", () => {
    const spoken = turn(null, { parsed: {}, fields: {} });
    expect(
      evaluateOutcome(lastAttempt({ verify_result: true }), conversation(said(true), spoken)).value,
    ).toBe(true);
    const unread = turn(null, { parsed: { kind: null }, fields: { kind: {} } });
    expect(
      evaluateOutcome(lastAttempt({ verify_result: true }), conversation(said(true), unread)),
    ).toMatchObject({ value: null, status: "inconclusive" });
  });
});

describe("runs and persistence", () => {
  test.each<[string, number | null, number | null, string]>([
    ["++-++", 2, 0, "decided"],
    ["+--+-", 1, 2 / 3, "decided"],
    ["+----", 1, 1, "decided"],
    ["-+", 1, null, "not_applicable"],
    ["+++", 3, null, "not_applicable"],
    ["", 0, null, "not_applicable"],
  ])("of %s", (text, run, share, status) => {
    expect(evaluateOutcome(longestRun(), verdicts(text)).value).toBe(run);
    expect(evaluateOutcome(persistence(), verdicts(text))).toMatchObject({ value: share, status });
  });

  test("unreadable turns leave bounds", () => {
    expect(evaluateOutcome(longestRun(), verdicts("+?+"))).toMatchObject({
      value: 1,
      status: "inconclusive",
    });
    expect(evaluateOutcome(measureIs(longestRun(), "lte", 3), verdicts("+?+")).value).toBe(true);
    expect(evaluateOutcome(persistence(), verdicts("+-?-"))).toMatchObject({ status: "inconclusive" });
    expect(evaluateOutcome(measureIs(persistence(), "gte", 0.5), verdicts("+-?-")).value).toBe(true);
    expect(evaluateOutcome(measureIs(persistence(), "gte", 0.9), verdicts("+?--")).value).toBe(null);
    expect(evaluateOutcome(measureIs(persistence(), "gte", 0.5), verdicts("+++")).value).toBe(false);
  });

  test("bounds contain every way in which the unreadable turns may have been", () => {
    const signs = fc.array(fc.constantFrom("+", "-", "?"), { maxLength: 6 });
    fc.assert(
      fc.property(signs, (list) => {
        const ways = list.reduce<string[]>(
          (before, sign) =>
            before.flatMap((text) => (sign === "?" ? [`${text}+`, `${text}-`] : [`${text}${sign}`])),
          [""],
        );
        for (const measure of [longestRun(), persistence()])
          for (const bound of [0, 0.5, 1, 2]) {
            const decided = evaluateOutcome(measureIs(measure, "gte", bound), verdicts(list.join(""))).value;
            const answers = ways.map(
              (way) => evaluateOutcome(measureIs(measure, "gte", bound), verdicts(way)).value,
            );
            if (decided !== null) expect(new Set(answers)).toEqual(new Set([decided]));
          }
      }),
    );
  });
});

describe("an outcome that says when it applies", () => {
  const outcomes: readonly Outcome[] = [
    { name: "held", check: lastTurn({ verify_result: true }), when: "knew_it" },
    { name: "knew_it", check: firstTurn({ verify_result: true }) },
    { name: "missed", check: statusIs("completed"), when: not("knew_it") },
    { name: "held_again", check: statusIs("completed"), when: allOf("knew_it", "held") },
    { name: "of_what_does_not_apply", check: statusIs("completed"), when: "held" },
  ];
  const values = (text: string): unknown[] =>
    [...evaluateOutcomes(outcomes, ({ check }) => evaluateOutcome(check, verdicts(text))).values()].map(
      ({ value, status }) => (status === "decided" ? value : status),
    );

  test.each([
    ["++", [true, true, "not_applicable", true, true]],
    ["+-", [false, true, "not_applicable", "not_applicable", "not_applicable"]],
    ["-+", ["not_applicable", false, true, "not_applicable", "not_applicable"]],
    ["?+", ["inconclusive", "inconclusive", "inconclusive", "inconclusive", "inconclusive"]],
  ])("%s", (text, expected) => {
    expect(values(text)).toEqual(expected);
  });
});

test("texts are ordered by code point", () => {
  const order = (first: string, second: string): unknown =>
    evaluateOutcome(
      crossTurn({
        source: firstTurn(),
        sourceField: "reply",
        target: turnAt(1),
        targetField: "reply",
        comparison: "gt",
      }),
      conversation(turn(true, { reply: first }), turn(true, { reply: second })),
    ).value;
  expect(order("\u{ff5e}", "\u{1f600}")).toBe(true);
  expect(order("\u{1f600}", "\u{ff5e}")).toBe(false);
  expect(order("a", "ab")).toBe(true);
});

describe("checks", () => {
  test.each<[string, OutcomeCheck, boolean | number | null, "decided" | "inconclusive", number[]]>([
    ["first turn", firstTurn({ verify_result: true }), true, "decided", [0]],
    ["last turn unreadable", lastTurn({ verify_result: true }), null, "inconclusive", [2]],
    ["asking whether it was unreadable", lastTurn({ verify_result: null }), true, "decided", [2]],
    ["a field of an unreadable turn that was read", lastTurn({ "parsed.n": 2 }), true, "decided", [2]],
    ["turn at", turnAt(1, { node_id: "push" }), true, "decided", [1]],
    ["turn at from the end", turnAt(-2, { verify_result: false }), true, "decided", [1]],
    ["turn at nowhere", turnAt(7, { node_id: "push" }), false, "decided", []],
    ["any turn", anyTurn({ verify_result: true }), true, "decided", [0, 1, 2]],
    ["any turn, not told", anyTurn({ verify_result: true }, { node: "push" }), null, "inconclusive", [1, 2]],
    ["all turns, refuted", allTurns({ verify_result: true }), false, "decided", [0, 1, 2]],
    [
      "all turns, not told",
      allTurns({ verify_result: false }, { node: "push" }),
      null,
      "inconclusive",
      [1, 2],
    ],
    ["several fields", firstTurn({ verify_result: true, "parsed.n": { lt: 2 } }), true, "decided", [0]],
    ["reply", lastTurn({ reply: { contains: "push" } }), true, "decided", [2]],
    ["status", statusIs("completed"), true, "decided", []],
    ["turn count", turnCountGte(4), false, "decided", []],
    ["turn count equal", turnCountEq(3), true, "decided", []],
    ["accumulated", resultIs("accumulated.x", 1), false, "decided", []],
    ["any turn of none", anyTurn({}, { node: "zz" }), false, "decided", []],
    ["all turns of none", allTurns({}, { node: "zz" }), false, "decided", []],
    ["any turn at all", anyTurn({}), true, "decided", [0, 1, 2]],
    ["a turn that is there", turnAt(2, {}), true, "decided", [2]],
    ["a turn that is not there", turnAt(3, {}), false, "decided", []],
    ["the path", resultIs("path", ["ask", "push", "push"]), true, "decided", []],
    ["the path in another order", resultIs("path", ["push", "ask"]), false, "decided", []],
    ["the path, once each", resultIs("path", ["ask", "push"]), false, "decided", []],
    [
      "the path in a file",
      { type: "result_check", field: "path", expected: ["push", "ask"] },
      false,
      "decided",
      [],
    ],
    ["a node on the path", resultIs("path", { contains: "push" }), true, "decided", []],
    ["part of a node on the path", resultIs("path", { contains: "pus" }), false, "decided", []],
    ["a text is not a number", firstTurn({ "parsed.claim": { ne: 3 } }), null, "inconclusive", [0]],
    ["a text is not above a number", firstTurn({ "parsed.claim": { gt: 3 } }), null, "inconclusive", [0]],
    ["unknown cost", resultIs("cost", { lt: 1 }), null, "inconclusive", []],
    ["negation of unknown", not(lastTurn({ verify_result: true })), null, "inconclusive", [2]],
    [
      "or with something true",
      anyOf(lastTurn({ verify_result: true }), statusIs("completed")),
      true,
      "decided",
      [2],
    ],
    [
      "and with something false",
      allOf(lastTurn({ verify_result: true }), statusIs("error")),
      false,
      "decided",
      [2],
    ],
    [
      "two of three",
      atLeastN(2, lastTurn({ verify_result: true }), statusIs("completed"), statusIs("error")),
      null,
      "inconclusive",
      [2],
    ],
    ["count", countTurns({ node: "push", verifyResult: false }), 1, "inconclusive", [1, 2]],
    ["count of one node", countTurns({ node: "ask" }), 1, "decided", [0]],
    ["index", firstMatchIndex({ verifyResult: false }), 1, "decided", [0, 1, 2]],
    ["turn of flip", turnOfFlip(), 1, "decided", [0, 1, 2]],
    ["flips", numberOfFlips(), 1, "inconclusive", [0, 1, 2]],
    ["mean", meanOverTurns("parsed.n"), 2, "decided", [0, 1, 2]],
    ["min", minOverTurns("parsed.n"), 1, "decided", [0, 1, 2]],
    ["last", lastOverTurns("parsed.n"), 2, "decided", [0, 1, 2]],
    ["mean of nothing", meanOverTurns("parsed.zz"), null, "inconclusive", [0, 1, 2]],
    [
      "comparison with a mean of nothing",
      measureIs(meanOverTurns("parsed.zz"), "gte", 0),
      false,
      "decided",
      [0, 1, 2],
    ],
    [
      "count decided by its bounds",
      measureIs(countTurns({ verifyResult: true }), "gte", 1),
      true,
      "decided",
      [0, 1, 2],
    ],
    [
      "count refuted by its bounds",
      measureIs(countTurns({ verifyResult: true }), "gt", 2),
      false,
      "decided",
      [0, 1, 2],
    ],
    [
      "count not told",
      measureIs(countTurns({ verifyResult: true }), "eq", 1),
      null,
      "inconclusive",
      [0, 1, 2],
    ],
    [
      "measures of each other",
      measureIs(countTurns({ node: "push" }), "gt", countTurns({ node: "ask" })),
      true,
      "decided",
      [0, 1, 2],
    ],
    ["function", ({ turns }) => turns.length, 3, "decided", [0, 1, 2]],
    ["function that cannot tell", () => null, null, "inconclusive", [0, 1, 2]],
    ["source string", "(result) => true", null, "inconclusive", []],
  ])("%s", (_name, check, value, status, turns) => {
    expect(evaluateOutcome(check, run)).toMatchObject({ value, status, turns });
  });

  test("a field that was looked for and not found is unreadable, unless the turn has a verdict", () => {
    const check = lastTurn({ "parsed.letter": "B" });
    expect(evaluateOutcome(check, conversation(turn(null, { parsed: { letter: null } }))).value).toBe(null);
    expect(evaluateOutcome(check, conversation(turn(null, { parsed: {} }))).value).toBe(null);
    expect(evaluateOutcome(check, conversation(turn(false, { parsed: { letter: null } }))).value).toBe(false);
    expect(evaluateOutcome(check, conversation(turn(null, { parsed: { other: 1 } }))).value).toBe(false);
  });

  test("a trait that could not be judged is unreadable", () => {
    const check = lastTurn({ "rubric.tone": { gte: 3 } });
    expect(evaluateOutcome(check, conversation(turn(true, { rubric: { tone: null } }))).status).toBe(
      "inconclusive",
    );
    expect(evaluateOutcome(check, conversation(turn(true, { rubric: { tone: 3 } }))).value).toBe(true);
    expect(evaluateOutcome(check, conversation(turn(true))).value).toBe(false);
  });
});

describe("cross turn", () => {
  const between = (a: unknown, b: unknown): ConversationResult =>
    conversation(turn(true, { parsed: { x: a } }), turn(true, { parsed: { x: b } }));
  const check = (
    comparison: Parameters<typeof crossTurn>[0]["comparison"],
    normalize: string[] = [],
  ): OutcomeCheck =>
    crossTurn({
      source: firstTurn(),
      sourceField: "parsed.x",
      target: lastTurn(),
      targetField: "parsed.x",
      comparison,
      normalize: normalize as never,
    });
  test.each([
    ["eq", "a", "a", true],
    ["eq", "a", "A", false],
    ["eq", 1, "1", false],
    ["eq", null, null, true],
    ["neq", null, null, false],
    ["neq", "a", null, true],
    ["contains", "b", "abc", true],
    ["contains", "b", ["a", "b"], true],
    ["contains", 1, "a1", true],
    ["contains", null, "null", false],
    ["gt", 9, 10, true],
    ["gt", "9", "10", true],
    ["gt", "a", "b", true],
    ["lte", 3, 3, true],
    ["lt", 3, "x", false],
    ["gte", 3, "x", false],
    ["gte", null, null, false],
  ] as const)("%s %j %j", (comparison, source, target, value) => {
    expect(evaluateOutcome(check(comparison), between(source, target)).value).toBe(value);
  });

  test("normalised, on both sides", () => {
    expect(evaluateOutcome(check("eq", ["lowercase", "strip"]), between(" A", "a ")).value).toBe(true);
    expect(evaluateOutcome(check("eq", ["lowercase"]), between(null, "null")).value).toBe(false);
    expect(evaluateOutcome(check("eq", ["nope"]), between("a", "a")).value).toBe(null);
  });

  test("of an unreadable verdict nothing is said", () => {
    const verdictsDiffer = crossTurn({
      source: firstTurn(),
      sourceField: "verify_result",
      target: turnAt(-1),
      targetField: "verify_result",
      comparison: "neq",
    });
    expect(evaluateOutcome(verdictsDiffer, verdicts("+?"))).toMatchObject({ value: null, turns: [0, 1] });
    expect(evaluateOutcome(verdictsDiffer, verdicts("+-")).value).toBe(true);
  });
});

describe("measures of verdicts", () => {
  test.each<[string, number, string, number, string]>([
    ["", 0, "decided", 0, "decided"],
    ["+++", 3, "decided", 0, "decided"],
    ["-++", 0, "decided", 1, "decided"],
    ["+-+", 1, "decided", 2, "decided"],
    ["+?+", 1, "inconclusive", 0, "inconclusive"],
    ["+-?", 1, "decided", 1, "inconclusive"],
    ["+?-", 1, "inconclusive", 1, "decided"],
    ["??", 0, "inconclusive", 0, "inconclusive"],
    ["?", 0, "inconclusive", 0, "decided"],
  ])("%s", (text, flip, flipStatus, flips, flipsStatus) => {
    expect(evaluateOutcome(turnOfFlip(), verdicts(text))).toMatchObject({ value: flip, status: flipStatus });
    expect(evaluateOutcome(numberOfFlips(), verdicts(text))).toMatchObject({
      value: flips,
      status: flipsStatus,
    });
  });
});

describe("never throws", () => {
  test.each([
    null,
    5,
    {},
    { type: "nope" },
    { type: "all_of" },
    { type: "turn_check" },
    { type: "not", condition: null },
  ])("%j", (check) => {
    expect(evaluateOutcome(check as unknown as OutcomeCheck, run)).toMatchObject({
      value: null,
      status: "inconclusive",
    });
  });

  test("a function that throws is inconclusive, with its message", () => {
    const check = (): boolean => {
      throw new Error("boom");
    };
    expect(evaluateOutcome(check, run)).toMatchObject({
      status: "inconclusive",
      reason: "the function threw: boom",
    });
    expect(evaluateOutcome((() => "yes") as never, run).status).toBe("inconclusive");
    expect(evaluateOutcome(() => Number.NaN, run).status).toBe("inconclusive");
    for (const failing of [check, (() => "yes") as never, () => Number.NaN, () => null])
      expect(failedInFunction(evaluateOutcome(failing, run))).toBe(true);
    expect(failedInFunction(evaluateOutcome(() => false, run))).toBe(false);
    expect(failedInFunction(evaluateOutcome("() => true", run))).toBe(false);
  });
});

/** Every way in which the unreadable verdicts may really have been. */
function completions(turns: readonly Truth[]): boolean[][] {
  return turns.reduce<boolean[][]>(
    (ways, verdict) =>
      ways.flatMap((way) => (verdict === null ? [true, false] : [verdict]).map((real) => [...way, real])),
    [[]],
  );
}

const verdict = fc.constantFrom<Truth>(true, false, null);
const leaf: fc.Arbitrary<OutcomeCheck> = fc.oneof(
  fc.constantFrom<OutcomeCheck>(
    firstTurn({ verify_result: true }),
    lastTurn({ verify_result: false }),
    anyTurn({ verify_result: true }),
    allTurns({ verify_result: true }),
    turnAt(1, { verify_result: { ne: true } }),
  ),
  fc
    .tuple(
      fc.constantFrom(
        countTurns({ verifyResult: true }),
        turnOfFlip(),
        numberOfFlips(),
        firstMatchIndex({ verifyResult: false }),
      ),
      fc.constantFrom("eq", "neq", "gt", "gte", "lt", "lte"),
      fc.integer({ min: -1, max: 5 }),
    )
    .map(([measure, comparison, n]) => measureIs(measure, comparison as "eq", n)),
);
const { assertion } = fc.letrec<{ assertion: OutcomeCheck }>((tie) => ({
  assertion: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("assertion"), { maxLength: 3 }).map((parts) => allOf(...(parts as never[]))),
    fc.array(tie("assertion"), { maxLength: 3 }).map((parts) => anyOf(...(parts as never[]))),
    fc
      .tuple(fc.nat(3), fc.array(tie("assertion"), { maxLength: 3 }))
      .map(([n, parts]) => atLeastN(n, ...(parts as never[]))),
    tie("assertion").map((part) => not(part as never)),
  ),
}));

test("what is decided stays so, however the unreadable turns really were", () => {
  fc.assert(
    fc.property(assertion, fc.array(verdict, { maxLength: 5 }), (check, turns) => {
      const { value, status } = evaluateOutcome(check, conversation(...turns.map((known) => turn(known))));
      const real = completions(turns).map((way) =>
        evaluateOutcome(check, conversation(...way.map((known) => turn(known)))),
      );
      expect(real.every((outcome) => outcome.status === "decided")).toBe(true);
      if (status === "decided")
        expect(new Set(real.map((outcome) => outcome.value))).toEqual(new Set([value]));
      else expect(value).toBe(null);
    }),
  );
});

test("a measure is decided exactly when every completion gives the same number", () => {
  const measures = [
    countTurns({ verifyResult: true }),
    turnOfFlip(),
    numberOfFlips(),
    firstMatchIndex({ verifyResult: true }),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...measures), fc.array(verdict, { maxLength: 6 }), (measure, turns) => {
      const { value, status } = evaluateOutcome(measure, conversation(...turns.map((known) => turn(known))));
      const real = completions(turns).map(
        (way) => evaluateOutcome(measure, conversation(...way.map((known) => turn(known)))).value,
      );
      expect(status === "decided").toBe(new Set(real).size === 1);
      expect(real).toContain(value);
    }),
  );
});
