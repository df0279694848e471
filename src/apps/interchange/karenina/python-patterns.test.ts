import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileLinearRegex, type LinearRegex } from "../../../core/checks/linear-regex.ts";
import { pythonPattern, TRACE_HEADER, translatePattern } from "./python-patterns.ts";

function compiled(pattern: string, flags = ""): LinearRegex {
  const regex = compileLinearRegex(pattern, flags);
  if ("problem" in regex) throw new Error(regex.problem);
  return regex;
}

function translated(pattern: string, context: Parameters<typeof translatePattern>[1] = {}): LinearRegex {
  const result = translatePattern(pattern, context);
  if ("problem" in result) throw new Error(result.problem);
  return compiled(result.pattern, result.flags);
}

test.each<[string, string, boolean]>([
  ["^a$", "a\n", true],
  ["a$", "a\nb", false],
  ["(?m)a$", "a\nb", true],
  ["a\\Z", "a\n", false],
  ["\\d", "٣", true],
  ["[\\w]", "é", true],
  ["\\s", "\u00a0", true],
  ["\\S", "\u00a0", false],
  ["^a{,2}$", "aa", true],
  ["^a{,2}$", "aaa", false],
  ["a{x}", "a{x}", true],
  ["[[:alpha:]]x", ":]x", true],
  ["[]a]", "]", true],
  ["[^]a]", "]", false],
  ["\\u00e9", "é", true],
  ["(?P<n>a)(?#why)b", "ab", true],
  ["(?i:A)b", "ab", true],
])("%s on %j: %s", (pattern, text, found) => {
  expect(translated(pattern).find(text)).toBe(found);
});

test("with ASCII, digits are ASCII", () => {
  expect(translated("\\d", { flags: ["ASCII"] }).find("٣")).toBe(false);
  expect(translated("A", { flags: ["IGNORECASE", "U"] }).find("a")).toBe(true);
});

test.each(
  "(?=a) (?!a) (?<=a) (?<!a) (a)\\1 (?P<n>a)(?P=n) (?>a) a*+ (a)?(?(1)b) (?x)a (?a)a (?m:a) \\N{DASH} [\\D] a(?i)b ( [a \\".split(
    " ",
  ),
)("%s is refused", (pattern) => {
  expect(translatePattern(pattern)).toHaveProperty("problem");
});

test.each(["^a$", "\\d+\\s\\w[^\\d]", "[\\s\\w]", "\\bx\\Z", "\\u00e9", "(?m)^a$", "a{0,3}"])(
  "%s comes back from RE2",
  (pattern) => {
    const there = translatePattern(pattern);
    if ("problem" in there) throw new Error(there.problem);
    const back = pythonPattern(there.pattern, { flags: there.flags, seesHeader: false });
    expect(translatePattern(back as string)).toEqual(there);
  },
);

describe("patterns on traces that begin with a header", () => {
  const REPLIES = ["yes", "no", "no\nyes", "so, yes", "y", "", "Yes", "\n", "-- yes", "e ---\nyes", "sage"];

  // Each answer is that of Python's re.search on "--- AI Message ---\n" and the reply.
  test.each<[string, string, boolean]>([
    ["\\byes\\b", "eyes", false],
    ["^yes", "yes", false],
    ["(?m)^yes", "yes", true],
    [".*yes", "so, yes", true],
    ["(?:no\\s|sorry)+yes", "no\nyes", true],
  ])("%s on %j: %s", (pattern, reply, found) => {
    expect(translated(pattern, { seesHeader: true }).find(reply)).toBe(found);
  });

  test.each(["(^|\\s)yes", "(?s)^.*yes", "AI", ".", "^", "", "\\s{2}", "[^a]", "(?:---\\s+){2}yes"])(
    "%s may match in the header and is refused, in both directions",
    (pattern) => {
      const problem = { problem: expect.stringContaining("header") };
      expect(translatePattern(pattern, { seesHeader: true })).toMatchObject(problem);
      if (!pattern.includes("^") || pattern.includes("["))
        expect(pythonPattern(pattern, { flags: "", seesHeader: true })).toMatchObject(problem);
    },
  );

  test("what is not refused finds in the reply what it finds in the whole trace", () => {
    const part = fc.constantFrom(
      ...[
        "y",
        "es",
        "a",
        "ge",
        "-",
        "\\n",
        "\\s",
        "\\w",
        ".",
        "[^y]",
        "\\b",
        "\\B",
        "^",
        "$",
        "\\Z",
        "(?:e|y)",
        "no",
        " ",
      ],
    );
    const count = fc.constantFrom("", "", "", "*", "+", "?", "{2}");
    const counted = fc
      .tuple(part, count)
      .map(([text, times]) => (/^(?:\^|\$|\\[bBZ])$/.test(text) ? text : `(?:${text})${times}`));
    const sequence = fc.array(counted, { maxLength: 4 }).map((parts) => parts.join(""));
    const choice = fc.tuple(
      fc.constantFrom("", "(?i)", "(?s)", "(?m)"),
      fc.array(sequence, { minLength: 1, maxLength: 2 }),
    );
    fc.assert(
      fc.property(choice, ([flags, parts]) => {
        const pattern = `${flags}${parts.join("|")}`;
        const result = translatePattern(pattern, { seesHeader: true });
        if ("problem" in result) return;
        const whole = translated(pattern);
        const own = compiled(result.pattern, result.flags);
        for (const reply of REPLIES)
          expect([pattern, reply, own.find(reply)]).toEqual([
            pattern,
            reply,
            whole.find(TRACE_HEADER + reply),
          ]);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(["^yes", "\\Ayes|no$", "[\\^]x|^y", "(?i)^yes", "(?m)^yes"])(
    "%s of ours goes out as the beginning of the reply, and comes back",
    (pattern) => {
      const python = pythonPattern(pattern, { flags: "", seesHeader: true });
      const back = translated(python as string, { seesHeader: true });
      for (const reply of REPLIES)
        expect([reply, back.find(reply)]).toEqual([reply, compiled(pattern).find(reply)]);
    },
  );
});
