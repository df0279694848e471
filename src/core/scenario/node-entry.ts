import type { Operators, ShorthandValue } from "../checks/shorthand.ts";
import type { Composition } from "../logic/composition.ts";
import type { ConditionFunction, StateCheck, WhenLeaf } from "../state/condition.ts";
import type { END, END_IN_FILES } from "./scenario-edge.ts";

/**
 * What the compiler knows of a node that was added in a chain. A builder carries the union of its entries: a union
 * grows by one member at each step, where a merged object type would be computed anew.
 */
export interface NodeEntry {
  readonly id: string;
  readonly parsed: unknown;
}

/** The entry for a node; an id that is not known to the compiler says nothing about its fields. */
export interface Entry<Id extends string, Parsed> extends NodeEntry {
  readonly id: Id;
  readonly parsed: string extends Id ? unknown : Parsed;
}

/** The type of an id that may be added, or a sentence that says why not. */
export type NewId<Id extends string, Known extends string> = string extends Known | Id
  ? Id
  : [Id] extends [Known]
    ? `Node "${Id}" already exists in this scenario`
    : Id;

/** True if the compiler does not know all nodes: none was added in the chain, or one under an id from data. */
type IsOpen<Entries extends NodeEntry> = [Entries] extends [never]
  ? true
  : string extends Entries["id"]
    ? true
    : false;

/** The ids that edges or the entry name and that no node has; none if the compiler cannot know. */
export type MissingNode<Entries extends NodeEntry, Named extends string> = string extends Named
  ? never
  : IsOpen<Entries> extends true
    ? never
    : Exclude<Named, Entries["id"] | typeof END | typeof END_IN_FILES>;

type ParsedById<Entries extends NodeEntry> = { readonly [Node in Entries as Node["id"]]: Node["parsed"] };

/** The fields that reading a reply at a node gives; unknown if the node is not known or has no template. */
export type ParsedAt<Entries extends NodeEntry, Id extends string> = Id extends keyof ParsedById<Entries>
  ? ParsedById<Entries>[Id]
  : unknown;

interface EqualityOperators<Value> {
  readonly eq?: Value;
  readonly ne?: Value;
  readonly in?: readonly Value[];
}
type NumberOperators<Value> = EqualityOperators<Value> & Pick<Operators, "gte" | "gt" | "lte" | "lt">;
type TextOperators<Value> = EqualityOperators<Value> & { readonly contains?: string };
type BooleanTest = boolean | null | EqualityOperators<boolean>;
type NumberTest<Value = number> = Value | null | NumberOperators<Value>;
type TextTest<Value = string> = Value | null | TextOperators<Value>;

/** What a path with values of a type may be compared with. */
type TestFor<Value> = [Value] extends [boolean]
  ? BooleanTest
  : [Value] extends [number]
    ? NumberTest<Value>
    : [Value] extends [string]
      ? TextTest<Value>
      : [Value] extends [readonly (infer Item)[]]
        ? readonly Item[] | null | { readonly contains?: Item | readonly Item[] }
        : ShorthandValue;

type ParsedTests<Parsed> = unknown extends Parsed
  ? { readonly [Path in `parsed.${string}`]?: ShorthandValue }
  : { readonly [Field in keyof Parsed & string as `parsed.${Field}`]?: TestFor<NonNullable<Parsed[Field]>> };

/** Paths of this turn, and paths that are open in any scenario. */
type TurnTests = {
  readonly verify_result?: BooleanTest;
  readonly refused?: BooleanTest;
  readonly turn?: NumberTest;
  readonly current_node?: TextTest;
  readonly [path: `accumulated.${string}`]: ShorthandValue;
  readonly [path: `node_results.${string}.rubric.${string}`]: ShorthandValue;
};

/**
 * If not all nodes are known, every path to a past node is open. Otherwise these patterns are closed here and the known ones
 * stand in `PastTests`: an object type for all of them at once would be resolved anew for every edge.
 */
type OpenPastTests<Entries extends NodeEntry> =
  IsOpen<Entries> extends true
    ? {
        readonly [path: `node_visits.${string}`]: NumberTest;
        readonly [path: `node_results.${string}`]: ShorthandValue;
      }
    : {
        readonly [path: `node_visits.${string}`]: never;
        readonly [path: `node_results.${string}.${"parsed" | "verify_result" | "refused"}${string}`]: never;
      };

type PastTests<Entries extends NodeEntry> =
  IsOpen<Entries> extends true
    ? never
    : { readonly [Test in PastTest<Entries> as Test["path"]]?: Test["value"] };

type PastTest<Entries extends NodeEntry> = Entries extends unknown
  ?
      | { readonly path: `node_visits.${Entries["id"]}`; readonly value: NumberTest }
      | {
          readonly path: `node_results.${Entries["id"]}.${"verify_result" | "refused"}`;
          readonly value: BooleanTest;
        }
      | PastField<Entries["id"], Entries["parsed"]>
  : never;

type PastField<Id extends string, Parsed> = unknown extends Parsed
  ? { readonly path: `node_results.${Id}.parsed.${string}`; readonly value: ShorthandValue }
  : {
      [Field in keyof Parsed & string]: {
        readonly path: `node_results.${Id}.parsed.${Field}`;
        readonly value: TestFor<NonNullable<Parsed[Field]>>;
      };
    }[keyof Parsed & string];

/** One path and the value it must have, for an edge that leaves `Source`. A union is enough, for there is one key. */
type TypedShorthand<Entries extends NodeEntry, Source extends string> =
  | (TurnTests & OpenPastTests<Entries> & ParsedTests<ParsedAt<Entries, Source>>)
  | PastTests<Entries>;

/** Everything that may stand as `when` on an edge that leaves `Source`. */
export type TypedWhen<Entries extends NodeEntry, Source extends string> =
  | TypedShorthand<Entries, Source>
  | readonly (TypedShorthand<Entries, Source> | StateCheck)[]
  | StateCheck
  | Composition<WhenLeaf>
  | ConditionFunction<ParsedAt<Entries, Source>>
  | string
  | null;
