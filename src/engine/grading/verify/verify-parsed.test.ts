import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  booleanMatch,
  exactMatch,
  numericGraded,
  numericTolerance,
  traceContains,
  traceLength,
} from "../../../core/checks/check-factories.ts";
import { allOf, anyOf, atLeastN, not } from "../../../core/logic/composition.ts";
import { allTrue, type Truth } from "../../../core/logic/kleene.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import {
  field,
  type Template,
  type TemplateField,
  type TemplateFields,
  template,
  truthFrom,
} from "../../../core/templates/template.ts";
import { type Verification, verifyParsed } from "./verify-parsed.ts";

const drug: TemplateField = { type: "string", description: "the drug", truth: "venetoclax" };
const dose: TemplateField = {
  type: "number",
  description: "the dose in mg",
  truth: 400,
  check: numericTolerance({ tolerance: 0.1 }),
};
const approved = { type: "boolean", description: "approved or not", truth: true } as const;

function verify(
  of: Template,
  parsed: Record<string, unknown>,
  reply = "",
  state?: ScenarioState,
): Verification {
  return verifyParsed(of, parsed, state === undefined ? { reply } : { reply, state });
}

describe("fields", () => {
  const all = template({ drug, dose, approved });
  /** What is parsed of drug, dose and approval; the verdict, the three results, and the score. */
  test.each<[readonly unknown[], Truth, readonly Truth[], number]>([
    [[" Venetoclax", 420, true], true, [true, true, true], 1],
    [["aspirin", 400, true], false, [false, true, true], 2 / 3],
    [["venetoclax", null, true], null, [true, null, true], 2 / 3],
    // What is wrong decides over what is not stated.
    [["aspirin", null, true], false, [false, null, true], 1 / 3],
    [["venetoclax"], null, [true, null, null], 1 / 3],
    // What cannot be compared is neither right nor wrong.
    [["venetoclax", "a lot", true], null, [true, null, true], 2 / 3],
    [[], null, [null, null, null], 0],
  ])("%j", (values, verifyResult, results, score) => {
    const names = ["drug", "dose", "approved"];
    const parsed = Object.fromEntries(values.map((value, index) => [names[index], value]));
    const verification = verify(all, parsed);
    expect(verification.verifyResult).toBe(verifyResult);
    expect(verification.score).toBeCloseTo(score, 12);
    expect(names.map((name) => verification.fields[name]?.result)).toEqual(results);
  });

  test("a null field says why", () => {
    const { fields } = verify(all, { drug: null, dose: "a lot", approved: true });
    expect(fields.drug?.reason).toBe("the reply does not state it");
    expect(fields.dose?.reason).toContain("a lot");
    expect(fields.approved).toEqual({ result: true, score: 1 });
  });

  test.each<[TemplateField["type"], unknown, object]>([
    ["boolean", false, {}],
    ["string", "x", {}],
    ["integer", 0, {}],
    ["number", 1.5, { check: numericTolerance({ tolerance: 0.1 }) }],
    ["date", "2024-03-01", {}],
    ["enum", "A", { values: ["A", "B"] }],
    ["array", [], { items: { type: "string" } }],
  ])("a truth of null: right if a %s is not stated, wrong if it is", (type, stated, more) => {
    const field = { type, description: "", truth: null, ...more } as TemplateField;
    const of = template({ x: field });
    expect(verify(of, { x: null }).fields.x).toEqual({ result: true, score: 1 });
    expect(verify(of, { x: stated }).fields.x).toEqual({ result: false, score: 0 });
    // Not read is not the same as not stated.
    expect(verify(of, {}).verifyResult).toBe(null);
    expect(verifyParsed(of, { x: null }, { reply: "", isUnread: () => true }).verifyResult).toBe(null);
  });

  test("a case of a truth that depends on the past may be null", () => {
    const truth = truthFrom("accumulated.x", { cases: { a: null }, otherwise: 3 });
    const of = template({ n: { type: "integer", description: "", truth } });
    const at = (x: string) => ({ ...INITIAL_STATE, accumulated: { x } });
    expect(verify(of, { n: null }, "", at("a")).verifyResult).toBe(true);
    expect(verify(of, { n: 3 }, "", at("a")).verifyResult).toBe(false);
    expect(verify(of, { n: 3 }, "", at("b")).verifyResult).toBe(true);
  });

  test("a check on the reply with the truth false means that it must not hold", () => {
    const check = traceContains({ substring: "sorry" });
    const polite = (truth: boolean | null) =>
      template({ sorry: { type: "boolean", description: "", truth, check } });
    expect(verify(polite(false), {}, "I am sorry").verifyResult).toBe(false);
    expect(verify(polite(false), {}, "No.").fields.sorry).toEqual({ result: true, score: 1 });
    expect(verify(polite(null), {}, "I am sorry").verifyResult).toBe(true);
  });

  test.each<[TemplateField, unknown, Truth]>([
    [{ type: "integer", description: "", truth: 3 }, 3, true],
    [{ type: "integer", description: "", truth: 3 }, "3", true],
    [{ type: "enum", values: ["A", "B"], description: "", truth: "B" }, "B", true],
    [{ type: "enum", values: ["A", "B"], description: "", truth: "B" }, "b", false],
    [{ type: "date", description: "", truth: "2024-03-01" }, "March 1, 2024", true],
    [{ type: "array", items: { type: "string" }, description: "", truth: ["a", "b"] }, ["b", "a"], true],
    [{ type: "array", items: { type: "string" }, description: "", truth: ["a", "b"] }, ["a"], false],
  ])("the default check follows from the type: %j", (of, value, result) => {
    expect(verify(template({ x: of }), { x: value }).verifyResult).toBe(result);
  });

  test("trace checks look at the reply, whatever was parsed", () => {
    const traced = template({
      cites: { type: "boolean", description: "", truth: true, check: traceContains({ substring: "[1]" }) },
      short: { type: "boolean", description: "", truth: true, check: traceLength({ max: 3, unit: "words" }) },
    });
    expect(verify(traced, {}, "See [1].").verifyResult).toBe(true);
    expect(verify(traced, { cites: true }, "See there, my friend.").fields).toEqual({
      cites: { result: false, score: 0 },
      short: { result: false, score: 0 },
    });
  });
});

describe("verify", () => {
  const parts = { a: approved, b: approved, c: approved } as const;
  const parsed = (text: string): Record<string, unknown> =>
    Object.fromEntries(
      [..."abc"].map((name, index) => [name, text[index] === "?" ? null : text[index] === "+"]),
    );

  const [a, b, c] = [field("a"), field("b"), field("c")];
  test.each<[string, Parameters<typeof template>[1], string, Truth, number]>([
    ["any of", { verify: anyOf(a, b) }, "-+-", true, 1],
    ["any of, unknown", { verify: anyOf(a, b) }, "-?-", null, 0],
    ["unknown counts as wrong", { undecided: "wrong" }, "+?+", false, 2 / 3],
    ["unknown counts as wrong, any of", { verify: anyOf(a, b), undecided: "wrong" }, "-?-", false, 0],
    ["not", { verify: not(a) }, "-++", true, 1],
    ["not of unknown", { verify: not(a) }, "?++", null, 0],
    ["two of three", { verify: atLeastN(2, a, b, c) }, "+-+", true, 1],
    ["two of three, one there", { verify: atLeastN(2, a, b, c) }, "+--", false, 0.5],
    ["nested", { verify: allOf(a, anyOf(b, c)) }, "+-+", true, 1],
    ["nested, half", { verify: allOf(a, anyOf(b, c)) }, "-++", false, 0.5],
  ])("%s", (_name, options, text, verifyResult, score) => {
    const of = template<TemplateFields>(parts, options as never);
    expect(verify(of, parsed(text))).toMatchObject({ verifyResult, score });
  });

  test("a function decides, and sees the reply and each verdict", () => {
    const of = template(parts, {
      verify: ({ a }, { reply, results }) => a === true && reply === "r" && results.b === false,
    });
    expect(verify(of, parsed("+-?"), "r").verifyResult).toBe(true);
    expect(verify(of, parsed("+-?"), "x").verifyResult).toBe(false);
  });

  test.each<[string, Template["verify"], string]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      "the verification threw: boom",
    ],
    ["returns something else", (() => "yes") as never, "did not return true, false or null"],
    ["returns a promise", (async () => true) as never, "did not return true, false or null"],
    ["source", "(parsed) => parsed.a", "a source string runs only within a run"],
  ])("a function that %s gives no verdict", (_name, code, reason) => {
    const verification = verify(
      { fields: parts, ...(code === undefined ? {} : { verify: code }) },
      parsed("+++"),
    );
    expect(verification.verifyResult).toBe(null);
    expect(verification.reason).toContain(reason);
  });
});

test("undecided: wrong says nothing about a field that could not be read", () => {
  const strict = template({ drug, approved }, { undecided: "wrong" });
  const context = { reply: "", isUnread: (name: string): boolean => name === "drug" };
  expect(verifyParsed(strict, { drug: null, approved: true }, context).verifyResult).toBeNull();
  expect(verifyParsed(strict, { drug: "venetoclax", approved: null }, context).verifyResult).toBe(false);
});

describe("score", () => {
  test("weights count, and a null field keeps its weight", () => {
    const weighted = template({ a: { ...approved, weight: 3 }, b: approved });
    expect(verify(weighted, { a: true, b: false }).score).toBe(0.75);
    expect(verify(weighted, { a: null, b: true }).score).toBe(0.25);
  });

  test("graded checks give partial credit", () => {
    const graded = template({
      n: { type: "number", description: "", truth: 100, check: numericGraded({ cutoff: 0.2 }) },
      b: approved,
    });
    const { fields, score, verifyResult } = verify(graded, { n: 110, b: true });
    expect(fields.n).toEqual({ result: true, score: 0.5 });
    expect(score).toBe(0.75);
    expect(verifyResult).toBe(true);
  });

  test("without any weight there is no score", () => {
    expect(verify(template({ a: { ...approved, weight: 0 } }), { a: true }).score).toBe(null);
  });

  test("lies between 0 and 1, is 1 if all is right and 0 if all is null, for any composition", () => {
    const names = ["a", "b", "c"];
    const { composition } = fc.letrec<{ composition: Exclude<Template["verify"], string | undefined> }>(
      (tie) => ({
        composition: fc.oneof(
          { depthSize: "small" },
          fc.constantFrom(...names).map((name) => field(name)),
          fc
            .array(tie("composition"), { minLength: 1, maxLength: 3 })
            .map((parts) => allOf(...(parts as never[]))),
          fc
            .array(tie("composition"), { minLength: 1, maxLength: 3 })
            .map((parts) => anyOf(...(parts as never[]))),
        ),
      }),
    );
    const weights = fc.tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
    );
    const values = fc.tuple(...names.map(() => fc.constantFrom<Truth>(true, false, null)));
    fc.assert(
      fc.property(composition, weights, values, (verifyWith, weight, value) => {
        const fields = Object.fromEntries(
          names.map((name, i) => [name, { ...approved, weight: weight[i] ?? 1 }]),
        );
        const of: Template = { fields, verify: verifyWith };
        const at = (pick: (i: number) => Truth): Verification =>
          verify(of, Object.fromEntries(names.map((name, i) => [name, pick(i)])));
        const { score, verifyResult } = at((i) => value[i] ?? null);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        if (verifyResult === true) expect(score).toBe(1);
        expect(at(() => true).score).toBe(1);
        expect(at(() => null).score).toBe(0);
      }),
    );
  });

  test("the verdict of all fields is Kleene's", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Truth>(true, false, null), { minLength: 1, maxLength: 6 }),
        (values) => {
          const fields = Object.fromEntries(values.map((_, i) => [`f${i}`, approved]));
          const parsed = Object.fromEntries(values.map((value, i) => [`f${i}`, value]));
          expect(verify({ fields }, parsed).verifyResult).toBe(allTrue(values));
        },
      ),
    );
  });
});

describe("truth that depends on the past", () => {
  const state = (letter: unknown): ScenarioState => ({
    ...INITIAL_STATE,
    nodeResults: { ask: { verifyResult: true, parsed: { letter }, rubric: {} } },
  });
  const opposite = template({
    other: {
      type: "string",
      description: "the other option",
      truth: truthFrom("node_results.ask.parsed.letter", {
        cases: { A: "B", true: { truth: "YES", check: exactMatch({ normalize: [] }) } },
        otherwise: "A",
      }),
    },
  });

  test.each([
    ["A", "b", true],
    ["A", "a", false],
    ["B", "a", true],
    [null, "a", true],
    [true, "YES", true],
    [true, "yes", false],
    ["constructor", "a", true],
  ])("%j said before, %j now", (before, now, result) => {
    expect(verify(opposite, { other: now }, "", state(before)).verifyResult).toBe(result);
  });

  test("without a case there is no verdict", () => {
    const only = template({
      x: {
        type: "boolean",
        description: "",
        truth: truthFrom("turn", { cases: { 7: true } }),
        check: booleanMatch(),
      },
    });
    expect(verify(only, { x: true })).toMatchObject({
      verifyResult: null,
      fields: { x: { reason: "no case of its truth applies" } },
    });
  });
});

describe("a gate", () => {
  const kind = {
    type: "enum",
    values: ["answer", "question"],
    description: "what the reply does",
    truth: "answer",
  } as const;
  const city = { type: "string", description: "the city", truth: "Canberra" } as const;
  const gated = template({ kind, city }, { verify: { when: { "parsed.kind": "answer" } } });

  test.each<[string, Record<string, unknown>, boolean | null, true | undefined]>([
    ["open and right", { kind: "answer", city: "Canberra" }, true, undefined],
    ["open and wrong", { kind: "answer", city: "Sydney" }, false, undefined],
    ["closed", { kind: "question", city: "Sydney" }, null, true],
    ["not known", { kind: null, city: "Canberra" }, null, undefined],
    ["open and unreadable", { kind: "answer", city: null }, null, undefined],
  ])("%s", (_name, parsed, verifyResult, notVerified) => {
    const found = verify(gated, parsed);
    expect([found.verifyResult, found.notVerified]).toEqual([verifyResult, notVerified]);
    if (notVerified) {
      expect(found.score).toBe(null);
      expect(found.fields.city).toMatchObject({ result: null, reason: "the reply is not verified" });
    }
  });

  test("may ask whether anything was read, and which fields must be right then", () => {
    const committed = template(
      { kind, city },
      { verify: { when: { "parsed.city": { ne: null } }, of: { type: "field", field: "city" } } },
    );
    expect(verify(committed, { kind: null, city: null }).notVerified).toBe(true);
    expect(verify(committed, { kind: null, city: "Canberra" }).verifyResult).toBe(true);
  });

  test("may be a list or a composition, and may ask for refusals", () => {
    const both = template(
      { kind, city },
      { verify: { when: [{ refused: false }, { "parsed.kind": "answer" }] } },
    );
    const of = (refused: boolean | null): boolean | undefined =>
      verifyParsed(both, { kind: "answer", city: "Canberra" }, { reply: "", refused }).notVerified;
    expect([of(true), of(false), of(null)]).toEqual([true, undefined, undefined]);
  });
});

describe("fields without a truth", () => {
  const confidence = { type: "integer", description: "how sure it is, in percent" } as const;
  const city = { type: "string", description: "the city", truth: "Canberra" } as const;

  test("are read, and take no part in verdict and score", () => {
    const both = template({ city, confidence });
    expect(verify(both, { city: "Canberra", confidence: null })).toMatchObject({
      verifyResult: true,
      score: 1,
    });
    expect(verify(both, { city: "Sydney", confidence: 90 })).toMatchObject({ verifyResult: false, score: 0 });
  });

  test("alone make a turn that is not verified", () => {
    const found = verify(template({ confidence }), { confidence: 90 });
    expect(found).toMatchObject({ verifyResult: null, score: null, notVerified: true });
    expect(found.fields.confidence).toMatchObject({ result: null, reason: "it has no truth" });
  });

  test("are verified by a check that needs none, and by a function", () => {
    const ranged = template({ confidence: { ...confidence, check: { type: "numeric_range", min: 50 } } });
    expect(verify(ranged, { confidence: 90 }).verifyResult).toBe(true);
    const decided = template({ confidence }, { verify: ({ confidence }) => confidence === 90 });
    expect(verify(decided, { confidence: 90 }).verifyResult).toBe(true);
  });
});
