import { fillTexts, textsIn } from "../../../core/liquid/fill-texts.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import { bindScenario, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { rowName } from "../../../core/scenario/row-name.ts";
import { type Variant, variantCells, variantValues } from "../../../core/scenario/variants.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { openRows, type RowOptions } from "../../../engine/run/open-rows.ts";
import { fixedPart } from "./comparisons.ts";
import type { RehearsedPlace, Undecided } from "./rehearsal.ts";

/** A scenario as it is for a row and a variant. */
export interface BoundPlace {
  readonly name: RehearsedPlace;
  readonly definition: ScenarioDefinition;
}

/** How many rows of a large dataset are read. */
const MOST_ROWS = 10_000;

/**
 * The rows and variants that a scenario is rehearsed with. Those that it treats alike, because no condition, truth or outcome differs,
 * are rehearsed once.
 */
export async function rehearsedPlaces(
  definition: ScenarioDefinition,
  rows: RowOptions,
  most: number,
): Promise<{ readonly places: readonly BoundPlace[]; readonly undecided: readonly Undecided[] }> {
  const places = new Map<string, BoundPlace>();
  let left = 0;
  const { variants } = definition;
  const cells: readonly (Variant | undefined)[] =
    variants === undefined ? [undefined] : variantCells(variants);
  for await (const row of rowsOf(definition, rows)) {
    for (const variant of cells) {
      const bound = boundTo(definition, row, variant);
      const key = whatMatters(bound.definition);
      if (places.has(key)) continue;
      if (places.size < most) places.set(key, bound);
      else left++;
    }
  }
  const undecided: readonly Undecided[] =
    left === 0
      ? []
      : [
          {
            kind: "not_all_tried",
            place: "the rows and variants",
            message: `${most} that differ in conditions, truths or outcomes were rehearsed, and ${left} more differ from them`,
          },
        ];
  return { places: [...places.values()], undecided };
}

interface NamedRow {
  readonly id: string;
  readonly values: JsonObject;
}

async function* rowsOf(
  definition: ScenarioDefinition,
  options: RowOptions,
): AsyncGenerator<NamedRow | undefined> {
  const dataset = await openRows(definition, options);
  if (dataset === null) {
    yield undefined;
    return;
  }
  let count = 0;
  for await (const { id, values } of dataset) {
    yield { id, values };
    if (++count >= MOST_ROWS) return;
  }
}

function boundTo(
  definition: ScenarioDefinition,
  row: NamedRow | undefined,
  variant: Variant | undefined,
): BoundPlace {
  const { variants } = definition;
  if (row === undefined && (variant === undefined || variants === undefined)) return { name: {}, definition };
  const values =
    variants === undefined || variant === undefined
      ? {}
      : {
          variant: fillTexts(variantValues(variants, variant), row === undefined ? {} : { row: row.values }),
        };
  const bound = bindScenario(definition, { ...(row === undefined ? {} : { row: row.values }), ...values });
  return {
    name: {
      ...(row === undefined ? {} : { row: row.id, rowName: rowName(bound, row.id, row.values) }),
      ...(variant === undefined ? {} : { variant }),
    },
    definition: bound,
  };
}

/** The parts of a scenario that depend on its row and variant and decide its paths, as a key. */
function whatMatters(definition: ScenarioDefinition): string {
  const { nodes, edges, outcomes } = definition;
  const parts = [
    ...edges.map(({ when }) => (typeof when === "object" ? when : null)),
    ...Object.values(nodes).flatMap(({ question, user }) => [question.template ?? null, user ?? null]),
    ...outcomes.map(({ check }) => (typeof check === "object" ? check : null)),
  ].filter((part) => !textsIn(part).next().done);
  try {
    return JSON.stringify(parts.map((part) => fixedPart(part, definition) ?? part));
  } catch (error) {
    if (error instanceof TextError) return "";
    throw error;
  }
}
