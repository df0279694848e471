import { describe, expect, test } from "vitest";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { compileLinearRegex, type LinearRegex } from "../../../core/checks/linear-regex.ts";
import { readKarenina } from "./checkpoint.ts";
import { toCheck } from "./primitives.ts";
import { pythonPattern, translatePattern } from "./python-regex.ts";

const note = (): void => {};

/** Whether upstream finds a pattern in its trace of a reply, by what it became here. */
function finds(pattern: string, reply: string): boolean {
  const result = translatePattern(pattern, { seesHeader: true });
  if ("problem" in result) throw new Error(result.problem);
  const regex = compileLinearRegex(result.pattern, result.flags);
  if ("problem" in regex) throw new Error(regex.problem);
  return regex.find(reply);
}

describe("patterns on traces that begin with a header", () => {
  // Each answer is that of Python's re.search on "--- AI Message ---\n" and the reply.
  test.each<[string, string, boolean]>([
    ["(^|\\s)yes\\b", "yes", true],
    ["(^|\\s)yes\\b", "eyes", false],
    ["\\Wno", "no", true],
    ["[^a-z]yes", "yes", true],
    ["^yes", "yes", false],
    ["(?m)^yes", "yes", true],
    ["(?s)^.*yes", "so, yes", true],
    ["^[\\s\\S]*yes\\Z", "so, yes.", false],
    ["(?s)AI.*yes", "yes", true],
    ["(?i)ai.*yes", "yes", false],
    ["\\bAI\\b", "", true],
    [".", "", true],
    ["^", "", true],
    ["\\s{2}", " x", true],
    ["\\s{2}", "x", false],
    ["\\n$", "", true],
    ["\\n\\Z", "x", false],
    ["(?:---\\s+){2}yes", "yes", false],
    ["(?:\\w+\\s|-|\\s)*yes", "yes", true],
    ["^(?:-|\\s|AI|Message){9,12}yes", "yes", true],
    ["^(?:-|\\s|AI|Message){2,10}yes", "yes", false],
  ])("%s on %j: %s", (pattern, reply, found) => {
    expect(finds(pattern, reply)).toBe(found);
  });

  test.each(["^yes", "\\Ayes|no$", "[\\^]x|^y", "(?i)^yes", "(?m)^yes"])(
    "%s of ours goes out as the beginning of the reply, and comes back",
    (pattern) => {
      const python = pythonPattern(pattern, { flags: "", seesHeader: true });
      const back = translatePattern(python as string, { seesHeader: true });
      if ("problem" in back) throw new Error(back.problem);
      const [first, second] = [pattern, back.pattern].map((text) => compileLinearRegex(text));
      for (const reply of ["yes", "no", "no\nyes", "ax", "y", "", "Yes"])
        expect([reply, (second as LinearRegex).find(reply)]).toEqual([
          reply,
          (first as LinearRegex).find(reply),
        ]);
    },
  );

  test.each(["AI", "\\s+yes", "[^a]", "."])("%s of ours would be found in the header", (pattern) => {
    expect(pythonPattern(pattern, { flags: "", seesHeader: true })).toMatchObject({
      problem: expect.stringContaining("header"),
    });
  });

  test("what grows without end is refused", () => {
    expect(translatePattern("((((-*\\s*)*\\w*)*)*.?)*x", { seesHeader: true })).toHaveProperty("problem");
  });

  test("occurrences that the header adds to are not counted", () => {
    expect(() => toCheck({ type: "TraceRegex", pattern: "\\w+", count_min: 3 }, note)).toThrow("header");
    expect(toCheck({ type: "TraceRegex", pattern: "yes", count_min: 3 }, note)).toMatchObject({
      countMin: 3,
    });
  });

  test.each([
    ["AI", "no", true],
    ["\nno.", "no.", true],
    ["\nno.", "not", false],
    ["no.", "no.", true],
  ])("TraceContains %j on %j: %s", (substring, reply, found) => {
    const check = toCheck({ type: "TraceContains", substring }, note);
    expect(evaluateCheck(check, reply, true).passes).toBe(found);
  });
});

describe("outcomes on raw_response", () => {
  const template =
    "class A(BaseAnswer):\n    a: bool = VerifiedField('d', True, BooleanMatch())\n    s: str = VerifiedField('d', 'x', ExactMatch())\n";
  const read = (check: object): ReturnType<typeof readKarenina> =>
    readKarenina(
      JSON.stringify({
        "@context": {},
        name: "n",
        dateCreated: "",
        dateModified: "",
        dataFeedElement: [],
        hasPart: [
          {
            name: "s",
            entryNode: "a",
            nodes: {
              a: { question: { text: "q", acceptedAnswer: { text: "x" }, hasPart: { text: template } } },
            },
            edges: [],
            outcomeCriteria: [{ name: "o", check }],
          },
        ],
      }),
    );
  const turnCheck = (verify_with: object, expected: unknown = null): object => ({
    type: "TurnCheck",
    scope: { type: "last_turn" },
    field: "raw_response",
    expected,
    verify_with,
  });
  const across = (source_field: string, comparison: string, normalize: readonly string[] = []): object => ({
    type: "CrossTurnCheck",
    source_turn: { type: "first_turn" },
    source_field,
    target_turn: { type: "last_turn" },
    target_field: source_field === "raw_response" && normalize.length === 0 ? "parsed.s" : "raw_response",
    comparison,
    normalize,
  });
  const never = { type: "any_of", conditions: [] };

  test.each<[string, object, object]>([
    [
      "of texts that must all be there, those in the header are",
      turnCheck({ type: "ContainsAll", substrings: ["AI", "yes"], normalize: [] }),
      { verifyWith: { type: "contains_all", substrings: ["yes"] } },
    ],
    ["it is never a number", turnCheck({ type: "NumericExact" }, 42), never],
    ["it is never empty", turnCheck({ type: "BooleanMatch" }, false), never],
    ["no field is equal to it", across("raw_response", "eq"), never],
    ["no field contains it", across("raw_response", "contains"), never],
  ])("%s", (_, check, expected) => {
    const { scenarios, refused } = read(check);
    expect(refused).toEqual([]);
    expect(scenarios[0]?.definition.outcomes[0]?.check).toMatchObject(expected);
  });

  test.each<[string, object, RegExp]>([
    [
      "a text that may begin in the header",
      turnCheck({ type: "ContainsAny", substrings: ["\nyes"], normalize: [] }),
      /may begin in the header/,
    ],
    ["the order of a reply and a field", across("raw_response", "gt"), /with its header by gt/],
    ["a reply in another, normalised", across("raw_response", "contains", ["strip"]), /normalised/],
    ["the characters of a reply", turnCheck({ type: "SetContainment" }, ["y"]), /characters/],
  ])("%s is refused", (_, check, reason) => {
    expect(read(check).refused[0]?.reasons[0]?.message).toMatch(reason);
  });

  test("a global rating of an unknown type is refused by name, and not left out", () => {
    const checkpoint = {
      "@context": {},
      name: "n",
      dataFeedElement: [],
      rating: [{ name: "Odd", additionalType: "karenina:GlobalOddTrait" }],
      hasPart: [
        {
          name: "s",
          entryNode: "a",
          nodes: {
            a: { question: { text: "q", acceptedAnswer: { text: "x" }, hasPart: { text: template } } },
          },
          edges: [],
        },
      ],
    };
    expect(readKarenina(JSON.stringify(checkpoint)).refused[0]?.reasons[0]?.message).toMatch(/rating Odd/);
  });
});
