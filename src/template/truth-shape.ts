import { CHECK_SHAPE } from "../check/check-shapes.ts";
import {
  boolean,
  described,
  either,
  json,
  list,
  number,
  object,
  reference,
  type Shape,
  text,
} from "../shape/shape.ts";

const PLAIN_TRUTHS: readonly Shape[] = [text, number, boolean, { kind: "null" }, list(json)];

const CASE: Shape = either(
  ...PLAIN_TRUTHS,
  object("a case", { truth: either(...PLAIN_TRUTHS) }, { optional: { check: CHECK_SHAPE } }),
);

const TRUTH_FROM: Shape = reference("truthFrom", () =>
  object(
    "a truth that depends on the past",
    {
      from: described(text, "A path of the state before the turn, such as node_results.ask.parsed.letter."),
      cases: described(
        { kind: "record", values: CASE, ifEmpty: "empty_value" },
        "The truth by the value there.",
      ),
    },
    { optional: { otherwise: described(CASE, "The truth for any other value, or none.") } },
  ),
);

/** The truth of a field: a value, or where it comes from. */
export const TRUTH_SHAPE: Shape = described(
  either(...PLAIN_TRUTHS, TRUTH_FROM),
  "The right value; compared by code, never shown to a model.",
);
