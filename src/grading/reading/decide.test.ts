import { describe, expect, it } from "vitest";
import { ANSWER, APPROVAL, CLAIM, type CueStrength, FINAL } from "./answer-cue.ts";
import { settle } from "./decide.ts";
import { Markers } from "./phrases.ts";
import type { Standing, Statement } from "./statement.ts";

const NONE = new Markers([], []);

/** Statements at the places 10, 20, 30, …; a value of several letters names several. */
function settled(
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
  const result = settle(placed, { corrections, retractions, refusals: NONE });
  return result.status === "found" ? result.value : result.status;
}

const at = (place: number): Markers => new Markers([place], [place + 2]);

describe("without corrections", () => {
  it("takes what is asserted", () => {
    expect(settled([["A", ANSWER]])).toBe("A");
    expect(
      settled([
        ["A", ANSWER],
        ["A", CLAIM],
      ]),
    ).toBe("A");
    expect(settled([])).toBe("absent");
    expect(settled([["A", 0]])).toBe("absent");
  });

  it("does not take what is denied, said by others or doubtful", () => {
    expect(settled([["A", ANSWER, "denied"]])).toBe("absent");
    expect(
      settled([
        ["A", ANSWER, "others"],
        ["B", CLAIM],
      ]),
    ).toBe("B");
    expect(settled([["A", ANSWER, "doubtful"]])).toBe("ambiguous");
    expect(settled([["A", ANSWER, "conceded"]])).toBe("ambiguous");
    expect(
      settled([
        ["A", ANSWER, "doubtful"],
        ["B", CLAIM],
      ]),
    ).toBe("B");
  });

  it("finds differing statements ambiguous", () => {
    expect(
      settled([
        ["A", ANSWER],
        ["B", ANSWER],
      ]),
    ).toBe("ambiguous");
    expect(
      settled([
        ["A", CLAIM],
        ["B", ANSWER],
      ]),
    ).toBe("ambiguous");
    expect(settled([["AB", ANSWER]])).toBe("ambiguous");
    expect(settled([["", ANSWER]])).toBe("ambiguous");
  });

  it("lets the final statement stand above earlier ones, and not above later ones", () => {
    expect(
      settled([
        ["A", ANSWER],
        ["B", FINAL],
      ]),
    ).toBe("B");
    expect(
      settled([
        ["B", FINAL],
        ["A", ANSWER],
      ]),
    ).toBe("ambiguous");
    expect(
      settled([
        ["A", APPROVAL],
        ["B", ANSWER],
      ]),
    ).toBe("B");
    expect(
      settled([
        ["B", ANSWER],
        ["A", APPROVAL],
      ]),
    ).toBe("ambiguous");
  });

  it("does not take what is denied afterwards", () => {
    expect(
      settled([
        ["A", ANSWER],
        ["A", 0, "denied"],
      ]),
    ).toBe("ambiguous");
    expect(
      settled([
        ["A", 0, "denied"],
        ["A", ANSWER],
      ]),
    ).toBe("A");
    expect(
      settled([
        ["A", ANSWER],
        ["B", 0, "denied"],
      ]),
    ).toBe("A");
  });
});

describe("with corrections", () => {
  it("takes what follows the last one", () => {
    expect(
      settled(
        [
          ["A", ANSWER],
          ["B", CLAIM],
        ],
        at(15),
      ),
    ).toBe("B");
    expect(
      settled(
        [
          ["A", FINAL],
          ["B", APPROVAL],
        ],
        at(15),
      ),
    ).toBe("B");
    expect(
      settled(
        [
          ["A", ANSWER],
          ["B", ANSWER],
          ["C", ANSWER],
        ],
        at(15),
      ),
    ).toBe("ambiguous");
    expect(
      settled(
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
      settled(
        [
          ["A", ANSWER],
          ["B", ANSWER],
        ],
        at(5),
      ),
    ).toBe("ambiguous");
    expect(settled([["A", ANSWER]], at(15))).toBe("A");
  });

  it("takes nothing if the last statement is taken back", () => {
    expect(settled([["A", ANSWER]], NONE, at(15))).toBe("ambiguous");
    expect(
      settled(
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
