import { fillTexts } from "../liquid/fill-texts.ts";
import type { JsonObject } from "../values/json.ts";
import { copyDefinition, type ScenarioDefinition } from "./definition.ts";
import { type Variant, variantValues } from "./variants.ts";

/** The row of a conversation, as far as its values are known, and its variant. */
interface ShownPlace {
  readonly row: JsonObject | null;
  readonly variant: Variant | null;
}

/**
 * A scenario as people read it: with the texts of a row and of a variant. What needs a value that is not known, or earlier turns, stays as
 * its author wrote it.
 */
export function shownScenario(
  definition: ScenarioDefinition,
  { row, variant }: ShownPlace,
): ScenarioDefinition {
  if (row === null && variant === null) return definition;
  const ofRow = row === null ? {} : { row };
  const levels = variantValues(definition.variants ?? {}, variant ?? {});
  const given = { ...ofRow, ...(variant === null ? {} : { variant: fillTexts(levels, ofRow, LENIENT) }) };
  const { nodes, edges } = definition;
  return copyDefinition(definition, {
    nodes: fillTexts(nodes, given, LENIENT),
    edges: fillTexts(edges, given, LENIENT),
    given,
    unbound: definition,
  });
}

const LENIENT = { lenient: true } as const;
