import { type ObjectShape, object, type Shape } from "../../core/schema/shape.ts";

type OptionalKeys<Data> = {
  [Key in keyof Data]-?: Record<never, never> extends Pick<Data, Key> ? Key : never;
}[keyof Data];

/** The shapes of all keys that must be there, and of all that may. */
export interface KeyShapes<Data> {
  readonly required: Readonly<Record<Exclude<keyof Data, OptionalKeys<Data>>, Shape>>;
  readonly optional: Readonly<Record<OptionalKeys<Data>, Shape>>;
}

/**
 * The shape of data of a type, key by key: a key that is added to the type does not compile before it has a shape, and then
 * the version of the file must be looked at.
 */
export function typedShape<Data extends object>(
  owner: string,
  { required, optional }: KeyShapes<Data>,
): ObjectShape {
  return object(owner, required, { optional });
}
