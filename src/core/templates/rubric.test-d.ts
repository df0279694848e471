import { expectTypeOf, test } from "vitest";
import { functionTrait, type LlmTrait, llmTrait, metricTrait } from "./rubric.ts";

test("each kind takes the keys that belong to it", () => {
  expectTypeOf(llmTrait("t", { kind: "score", min: 0, max: 3 })).toEqualTypeOf<LlmTrait>();
  llmTrait("t", { kind: "literal", classes: { a: "", b: "" } });
  // @ts-expect-error: a boolean has no range.
  llmTrait("t", { kind: "boolean", min: 0 });
  // @ts-expect-error: a literal needs classes.
  llmTrait("t", { kind: "literal" });
  // @ts-expect-error: a score has no classes.
  llmTrait("t", { kind: "score", classes: { a: "", b: "" } });
  // @ts-expect-error: classes have meanings.
  llmTrait("t", { kind: "literal", classes: ["a", "b"] });
  // @ts-expect-error: a trait needs a kind.
  llmTrait("t", {});
  // @ts-expect-error: there is no such metric.
  metricTrait("t", { expected: ["a"], metrics: ["kappa"] });
  // @ts-expect-error: a trait is decided at once.
  functionTrait("t", async () => true);
});
