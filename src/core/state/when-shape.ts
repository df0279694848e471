import { CHECK_SHAPE } from "../checks/check-shapes.ts";
import { SHORTHAND_SHAPE } from "../checks/shorthand.ts";
import { compositionShapes } from "../logic/composition-shapes.ts";
import {
  described,
  either,
  functionOrSource,
  json,
  object,
  type RecordShape,
  reference,
  type Shape,
  text,
} from "../schema/shape.ts";

const STATE_CHECK = object(
  "a state check",
  { type: { kind: "literal", values: ["state_check"] }, field: text },
  { optional: { expected: json, verifyWith: CHECK_SHAPE } },
);

const SHORTHAND: RecordShape = {
  kind: "record",
  values: SHORTHAND_SHAPE,
  ifEmpty: "empty_condition",
  single: true,
  description: "One path of the state and the value it must have.",
};

const STATE_TEST: Shape = either(
  { kind: "variant", owner: "a condition", variants: { state_check: STATE_CHECK } },
  SHORTHAND,
);

const COMPOSED: Shape = reference("condition", () => ({
  kind: "variant",
  owner: "a condition",
  variants: { state_check: STATE_CHECK, ...compositionShapes(either(COMPOSED, functionOrSource, SHORTHAND)) },
}));

/** Everything that may stand as `when` on an edge. */
export const WHEN_SHAPE: Shape = described(
  either(
    SHORTHAND,
    COMPOSED,
    { kind: "array", items: STATE_TEST, ifEmpty: "empty_condition", description: "All of these must hold." },
    functionOrSource,
    { kind: "null" },
  ),
  "When the edge may be taken; without it the edge is the fallback.",
);
