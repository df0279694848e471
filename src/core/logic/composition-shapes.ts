import { list, type ObjectShape, object, type Shape } from "../schema/shape.ts";

/** The shapes of the four compositions over parts of the given shape, by their `type`. */
export function compositionShapes(
  part: Shape,
): Readonly<Record<"all_of" | "any_of" | "at_least_n" | "not", ObjectShape>> {
  const conditions = list(part);
  return {
    all_of: object("an all_of", { type: typeShape("all_of"), conditions }),
    any_of: object("an any_of", { type: typeShape("any_of"), conditions }),
    at_least_n: object("an at_least_n", {
      type: typeShape("at_least_n"),
      n: { kind: "number", integer: true, minimum: 0 },
      conditions,
    }),
    not: object("a not", { type: typeShape("not"), condition: part }),
  };
}

function typeShape(type: string): Shape {
  return { kind: "literal", values: [type] };
}
