import { describe, expect, it, test } from "vitest";
import { ANSWER, APPROVAL, CLAIM, type CueStrength, FINAL } from "./answer-cue.ts";
import { decide, withSharedStanding } from "./decide.ts";
import { Markers } from "./phrases.ts";
import { ReplyText } from "./reply-text.ts";
import type { Standing, Statement } from "./statement.ts";

const NONE = new Markers([], []);

/** Statements at the places 10, 20, 30, …; a value of several letters names several. */
function decision(
  statements: readonly (readonly [values: string, strength: CueStrength | 0, standing?: Standing])[],
  corrections: Markers = NONE,
  retractions: Markers = NONE,
): string {
  const placed = statements.map(
    ([values, strength, standing = "asserted"], index): Statement<string> => ({
      values: [...values],
      strength,
      standing,
      start: 10 * (index + 1),
      end: 10 * (index + 1) + 1,
    }),
  );
  const result = decide(placed, { corrections, retractions, refusals: NONE });
  return result.status === "found" ? result.value : result.status;
}

const at = (place: number): Markers => new Markers([place], [place + 2]);

describe("without corrections", () => {
  it("takes what is asserted", () => {
    expect(decision([["A", ANSWER]])).toBe("A");
    expect(
      decision([
        ["A", ANSWER],
        ["A", CLAIM],
      ]),
    ).toBe("A");
    expect(decision([])).toBe("absent");
    expect(decision([["A", 0]])).toBe("absent");
  });

  it("does not take what is denied, said by others or doubtful", () => {
    expect(decision([["A", ANSWER, "denied"]])).toBe("absent");
    expect(
      decision([
        ["A", ANSWER, "others"],
        ["B", CLAIM],
      ]),
    ).toBe("B");
    expect(decision([["A", ANSWER, "doubtful"]])).toBe("ambiguous");
    expect(decision([["A", ANSWER, "conceded"]])).toBe("ambiguous");
    expect(
      decision([
        ["A", ANSWER, "doubtful"],
        ["B", CLAIM],
      ]),
    ).toBe("B");
  });

  it("finds differing statements ambiguous", () => {
    expect(
      decision([
        ["A", ANSWER],
        ["B", ANSWER],
      ]),
    ).toBe("ambiguous");
    expect(
      decision([
        ["A", CLAIM],
        ["B", ANSWER],
      ]),
    ).toBe("ambiguous");
    expect(decision([["AB", ANSWER]])).toBe("ambiguous");
    expect(decision([["", ANSWER]])).toBe("ambiguous");
  });

  it("lets the final statement stand above earlier ones, and not above later ones", () => {
    expect(
      decision([
        ["A", ANSWER],
        ["B", FINAL],
      ]),
    ).toBe("B");
    expect(
      decision([
        ["B", FINAL],
        ["A", ANSWER],
      ]),
    ).toBe("ambiguous");
    expect(
      decision([
        ["A", APPROVAL],
        ["B", ANSWER],
      ]),
    ).toBe("B");
    expect(
      decision([
        ["B", ANSWER],
        ["A", APPROVAL],
      ]),
    ).toBe("ambiguous");
  });

  it("does not take what is denied afterwards", () => {
    expect(
      decision([
        ["A", ANSWER],
        ["A", 0, "denied"],
      ]),
    ).toBe("ambiguous");
    expect(
      decision([
        ["A", 0, "denied"],
        ["A", ANSWER],
      ]),
    ).toBe("A");
    expect(
      decision([
        ["A", ANSWER],
        ["B", 0, "denied"],
      ]),
    ).toBe("A");
  });
});

describe("with corrections", () => {
  it("takes what follows the last one", () => {
    expect(
      decision(
        [
          ["A", ANSWER],
          ["B", CLAIM],
        ],
        at(15),
      ),
    ).toBe("B");
    expect(
      decision(
        [
          ["A", FINAL],
          ["B", APPROVAL],
        ],
        at(15),
      ),
    ).toBe("B");
    expect(
      decision(
        [
          ["A", ANSWER],
          ["B", ANSWER],
          ["C", ANSWER],
        ],
        at(15),
      ),
    ).toBe("ambiguous");
    expect(
      decision(
        [
          ["A", ANSWER],
          ["B", ANSWER],
          ["C", ANSWER],
        ],
        at(25),
      ),
    ).toBe("C");
  });

  it("minds only those between statements", () => {
    expect(
      decision(
        [
          ["A", ANSWER],
          ["B", ANSWER],
        ],
        at(5),
      ),
    ).toBe("ambiguous");
    expect(decision([["A", ANSWER]], at(15))).toBe("A");
  });

  it("takes nothing if the last statement is taken back", () => {
    expect(decision([["A", ANSWER]], NONE, at(15))).toBe("ambiguous");
    expect(
      decision(
        [
          ["A", ANSWER],
          ["B", ANSWER],
        ],
        at(15),
        at(15),
      ),
    ).toBe("B");
  });
});

/** The standings that two values, X and Y, are left with if they come with these. */
function standings(reply: string, one: Standing = "asserted", other: Standing = "asserted"): Standing[] {
  const statement = (value: string, standing: Standing): Statement<string> => {
    const start = reply.indexOf(value);
    return { values: [value], standing, strength: ANSWER, start, end: start + 1 };
  };
  const statements = [statement("X", one), statement("Y", other)];
  return withSharedStanding(new ReplyText(reply), statements).map(({ standing }) => standing);
}

test.each([
  "On Earth it is X, on the Moon Y.",
  "On Earth it is X; on the Moon, Y.",
  "On paper it is X, in practice Y.",
  "For adults X, for children Y.",
  "It is X on Earth, Y on the Moon.",
  "It is X on Earth and on the Moon Y.",
  "With air it is X, without air Y.",
])("of values for different places neither is chosen: %j", (reply) => {
  expect(standings(reply)).toEqual(["doubtful", "doubtful"]);
});

test.each([
  "It is X, on the Moon Y.",
  "On Earth it is X, but on the Moon it is Y.",
  "On Earth it is X, with a rest of Y.",
  "On Earth it is X. On the Moon Y.",
  "X rather than Y.",
])("anything else stays as it is: %j", (reply) => {
  expect(standings(reply)).toEqual(["asserted", "asserted"]);
});

test.each(["Some say X, others Y.", "They say X, your teacher Y.", "One says X and the other Y."])(
  "the second speaker says as little for the reply as the first: %j",
  (reply) => {
    expect(standings(reply, "others")).toEqual(["others", "others"]);
  },
);

test("what follows the words of others with a verb of its own is the reply's", () => {
  expect(standings("You say X, the answer is Y.", "others")).toEqual(["others", "asserted"]);
  expect(standings("You say X, I say Y.", "others")).toEqual(["others", "asserted"]);
});

test("what is denied shares no standing", () => {
  expect(standings("On Earth it is not X, on the Moon Y.", "denied")).toEqual(["denied", "asserted"]);
});
