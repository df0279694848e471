import type { Operators, ShorthandValue } from "../checks/shorthand.ts";
import type { Composed } from "../logic/composition.ts";
import type { ConditionFunction, StateCheck } from "./condition.ts";

/**
 * What the compiler knows of a node that was added in a chain. A builder carries the union of its entries: a union
 * grows by one member at each step, where a merged object type would be computed again.
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
type IsOpen<Nodes extends NodeEntry> = [Nodes] extends [never]
  ? true
  : string extends Nodes["id"]
    ? true
    : false;

/** The ids that may be named; any text if the compiler does not know all nodes. */
export type KnownNode<Nodes extends NodeEntry> = IsOpen<Nodes> extends true ? string : Nodes["id"];

type ParsedById<Nodes extends NodeEntry> = { readonly [Node in Nodes as Node["id"]]: Node["parsed"] };

/** The fields that reading a reply at a node gives; unknown if the node is not known or has no template. */
type ParsedAt<Nodes extends NodeEntry, Id extends string> = Id extends keyof ParsedById<Nodes>
  ? ParsedById<Nodes>[Id]
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
  readonly "user.done"?: BooleanTest;
  readonly "user.reveals"?: TestFor<readonly string[]>;
  readonly "user.revealed"?: TestFor<readonly string[]>;
  readonly [path: `accumulated.${string}`]: ShorthandValue;
  readonly [path: `node_results.${string}.rubric.${string}`]: ShorthandValue;
};

/**
 * If not all nodes are known, every path to a past node is open. Otherwise these patterns are closed here and the known ones
 * stand in `PastTests`: an object type for all of them at once would be resolved again for every edge.
 */
type OpenPastTests<Nodes extends NodeEntry> =
  IsOpen<Nodes> extends true
    ? {
        readonly [path: `node_visits.${string}`]: NumberTest;
        readonly [path: `node_results.${string}`]: ShorthandValue;
      }
    : {
        readonly [path: `node_visits.${string}`]: never;
        readonly [path: `node_results.${string}.${"parsed" | "verify_result" | "refused"}${string}`]: never;
      };

type PastTests<Nodes extends NodeEntry> =
  IsOpen<Nodes> extends true ? never : { readonly [Test in PastTest<Nodes> as Test["path"]]?: Test["value"] };

type PastTest<Nodes extends NodeEntry> = Nodes extends unknown
  ?
      | { readonly path: `node_visits.${Nodes["id"]}`; readonly value: NumberTest }
      | {
          readonly path: `node_results.${Nodes["id"]}.${"verify_result" | "refused"}`;
          readonly value: BooleanTest;
        }
      | PastField<Nodes["id"], Nodes["parsed"]>
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
type TypedShorthand<Nodes extends NodeEntry, Source extends string> =
  | (TurnTests & OpenPastTests<Nodes> & ParsedTests<ParsedAt<Nodes, Source>>)
  | PastTests<Nodes>
  | KnownFields<ParsedAt<Nodes, Source>>;

/** Accepts nothing that anybody writes: it is there for the compiler to name the fields where one is misspelt. */
type KnownFields<Parsed> = unknown extends Parsed
  ? never
  : { readonly [path: `parsed.${string}`]: `known fields: ${keyof Parsed & string}` };

/** Any path that `TypedShorthand` knows, for a check that names it. */
type TypedPath<Nodes extends NodeEntry, Source extends string> =
  IsOpen<Nodes> extends true
    ? string
    : keyof TurnTests | PastTest<Nodes>["path"] | (keyof ParsedTests<ParsedAt<Nodes, Source>> & string);

/** What may stand inside `allOf`, `anyOf`, `atLeastN` and `not` on an edge that leaves `Source`. */
type TypedLeaf<Nodes extends NodeEntry, Source extends string> =
  | TypedShorthand<Nodes, Source>
  | StateCheck<TypedPath<Nodes, Source>>
  | ConditionFunction<ParsedAt<Nodes, Source>>
  | string;

/** Everything that may stand as `when` on an edge that leaves `Source`. */
export type TypedWhen<Nodes extends NodeEntry, Source extends string> =
  | Composed<TypedLeaf<Nodes, Source>>
  | readonly (TypedShorthand<Nodes, Source> | StateCheck<TypedPath<Nodes, Source>>)[]
  | null;

type FieldNames<Nodes extends NodeEntry> = Nodes extends unknown
  ? unknown extends Nodes["parsed"]
    ? string
    : keyof Nodes["parsed"] & string
  : never;

type FieldTest<Nodes extends NodeEntry, Field extends string> = Nodes extends unknown
  ? unknown extends Nodes["parsed"]
    ? ShorthandValue
    : Field extends keyof Nodes["parsed"]
      ? TestFor<NonNullable<Nodes["parsed"][Field]>>
      : never
  : never;

/** Fields that every turn has, and what they may be compared with. */
interface TurnTestsOf<Id extends string> {
  readonly verify_result?: BooleanTest;
  readonly score?: NumberTest;
  readonly refused?: BooleanTest;
  readonly node_id?: TextTest<Id>;
  readonly reply?: TextTest;
  readonly raw_response?: TextTest;
  readonly question_text?: TextTest;
  readonly [path: `rubric.${string}`]: ShorthandValue;
}

/** Fields of a turn and the values they must have; the fields of templates are those of the scenario's nodes. */
export type TypedTurnFields<Nodes extends NodeEntry> =
  IsOpen<Nodes> extends true
    ? Readonly<Record<string, ShorthandValue>>
    : TurnTestsOf<Nodes["id"]> & {
        readonly [Field in FieldNames<Nodes> as `parsed.${Field}`]?: FieldTest<Nodes, Field>;
      };

/** The name of a field of a turn: `verify_result`, `parsed.letter`, `rubric.tone`. */
export type TypedTurnField<Nodes extends NodeEntry> =
  IsOpen<Nodes> extends true ? string : (keyof TurnTestsOf<string> & string) | `parsed.${FieldNames<Nodes>}`;

declare const nodes: unique symbol;

/**
 * Marks an outcome with the nodes it may speak of; there is nothing of it at run time. What is about any node may stand where
 * known nodes are expected, so that a check may be made before its scenario.
 */
export interface About<Nodes extends NodeEntry> {
  readonly [nodes]?: (node: Nodes) => void;
}
