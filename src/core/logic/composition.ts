import {
  integerFrom,
  list,
  type ObjectShape,
  type ShapeOf,
  type Typed,
  variantShapes,
} from "../schema/shape.ts";
import { allTrue, anyTrue, atLeastTrue, negate, type Truth } from "./kleene.ts";

/** Every part must hold; with no parts it holds. */
export interface AllOf<Leaf> {
  readonly type: "all_of";
  readonly conditions: readonly Composed<Leaf>[];
}

/** At least one part must hold; with no parts it does not. */
export interface AnyOf<Leaf> {
  readonly type: "any_of";
  readonly conditions: readonly Composed<Leaf>[];
}

/** At least `n` parts must hold. */
export interface AtLeastN<Leaf> {
  readonly type: "at_least_n";
  readonly n: number;
  readonly conditions: readonly Composed<Leaf>[];
}

/** The part must not hold. */
export interface Not<Leaf> {
  readonly type: "not";
  readonly condition: Composed<Leaf>;
}

/** A leaf, or a composition of leaves: edge conditions, outcomes and templates share this form. */
export type Composed<Leaf> = Leaf | Composition<Leaf>;

/** The four ways to compose. */
export type Composition<Leaf> = AllOf<Leaf> | AnyOf<Leaf> | AtLeastN<Leaf> | Not<Leaf>;

// Where the leaves are known from where the composition stands, each part must be one of them. Otherwise each part is inferred by
// itself, so that parts of different kinds may stand side by side.
type PartsOf<Leaf, Parts extends readonly unknown[]> = [Leaf] extends [never]
  ? Parts
  : readonly NoInfer<Composed<Leaf>>[];

/** All must hold: `allOf({ verify_result: true }, { turn: { gte: 2 } })`. */
export function allOf<Leaf = never, const Parts extends readonly unknown[] = readonly Composed<Leaf>[]>(
  ...conditions: PartsOf<Leaf, Parts>
): AllOf<Leaf | Parts[number]> {
  return { type: "all_of", conditions };
}

/** At least one must hold. */
export function anyOf<Leaf = never, const Parts extends readonly unknown[] = readonly Composed<Leaf>[]>(
  ...conditions: PartsOf<Leaf, Parts>
): AnyOf<Leaf | Parts[number]> {
  return { type: "any_of", conditions };
}

/** At least `n` must hold: `atLeastN(2, firstTurn({ … }), lastTurn({ … }), statusIs("completed"))`. */
export function atLeastN<Leaf = never, const Parts extends readonly unknown[] = readonly Composed<Leaf>[]>(
  n: number,
  ...conditions: PartsOf<Leaf, Parts>
): AtLeastN<Leaf | Parts[number]> {
  return { type: "at_least_n", n, conditions };
}

/** Must not hold. */
export function not<Leaf = never, const Part = Composed<Leaf>>(
  condition: [Leaf] extends [never] ? Part : NoInfer<Composed<Leaf>>,
): Not<Leaf | Part> {
  return { type: "not", condition };
}

const COMPOSITION_TYPES: ReadonlySet<unknown> = new Set(["all_of", "any_of", "at_least_n", "not"]);

/** True for the four compositions, false for a leaf. */
export function isComposition<Leaf>(node: Composed<Leaf>): node is Composition<Leaf> {
  return (
    typeof node === "object" && node !== null && COMPOSITION_TYPES.has((node as { type?: unknown }).type)
  );
}

/** The leaves of a composition, in order; a leaf is its own. */
export function leavesOf<Leaf>(node: Composed<Leaf>): readonly Leaf[] {
  if (!isComposition(node)) return [node];
  return node.type === "not" ? leavesOf(node.condition) : node.conditions.flatMap(leavesOf);
}

/** Evaluates a composition by Kleene's logic; `leaf` gives the truth of a leaf. */
export function evaluateComposition<Leaf>(node: Composed<Leaf>, leaf: (leaf: Leaf) => Truth): Truth {
  if (!isComposition(node)) return leaf(node);
  switch (node.type) {
    case "not":
      return negate(evaluateComposition(node.condition, leaf));
    case "all_of":
      return allTrue(node.conditions.map((part) => evaluateComposition(part, leaf)));
    case "any_of":
      return anyTrue(node.conditions.map((part) => evaluateComposition(part, leaf)));
    case "at_least_n":
      return atLeastTrue(
        node.n,
        node.conditions.map((part) => evaluateComposition(part, leaf)),
      );
  }
}

/** The shapes of the four compositions over parts of the given shape, by their `type`. */
export function compositionShapes<Leaf>(part: ShapeOf<Composed<Leaf>>): {
  readonly [Type in Composition<Leaf>["type"]]: ObjectShape &
    Typed<Extract<Composition<Leaf>, { type: Type }>>;
} {
  const required = { conditions: list(part) };
  return variantShapes({
    all_of: { required },
    any_of: { required },
    at_least_n: { required: { n: integerFrom(0), ...required } },
    not: { required: { condition: part } },
  });
}
