import { expect, test } from "vitest";
import { ANSWER } from "./answer-cue.ts";
import { distributed } from "./decide.ts";
import { ReplyText } from "./reply-text.ts";
import type { Standing, Statement } from "./statement.ts";

/** The standings that two values, X and Y, are left with if they come with these. */
function standings(reply: string, one: Standing = "asserted", other: Standing = "asserted"): Standing[] {
  const statement = (value: string, standing: Standing): Statement<string> => {
    const start = reply.indexOf(value);
    return { values: [value], standing, strength: ANSWER, start, end: start + 1 };
  };
  const statements = [statement("X", one), statement("Y", other)];
  return distributed(new ReplyText(reply), statements).map(({ standing }) => standing);
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

test("what is denied is not handed out", () => {
  expect(standings("On Earth it is not X, on the Moon Y.", "denied")).toEqual(["denied", "asserted"]);
});
