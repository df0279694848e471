import { END, END_IN_FILES } from "../../../core/scenario/definition.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import type { Rehearsal, Witness } from "./rehearsal.ts";

const SHOWN = 12;

/**
 * The witness that a text names: `held_firm=false`, a node (`push`), an edge (`ask->push`, or its position `3`), `shortest` or
 * `longest`; or what is wrong with the text, with what could stand there.
 */
export function findWitness(rehearsal: Rehearsal, text: string): Witness | { readonly problem: string } {
  const { outcomes, nodes, edges, shortest, longest } = rehearsal;
  const wanted = text
    .trim()
    .replaceAll(/\s*(?:->|→)\s*/g, "->")
    .replaceAll(/\s*=\s*/g, "=");
  const named = [
    ...outcomes.flatMap(({ name, values }) =>
      values.map(({ value, witness }) => [`${name}=${String(value)}`, witness] as const),
    ),
    ...nodes.map(({ id, witness }) => [id, witness] as const),
    ...edges.map(({ source, target, witness }) => {
      return [`${source}->${target === END ? END_IN_FILES : target}`, witness] as const;
    }),
    ["shortest", shortest],
    ["longest", longest],
  ] as const;
  const numbered = edges.map(({ edge, witness }) => [String(edge), witness] as const);
  const found = [...named, ...numbered].filter(
    ([name]) => name === wanted || name === wanted.replaceAll(" ", "_"),
  );
  const witness = found.find((one) => one[1] !== null)?.[1];
  if (witness != null) return witness;
  if (found.length > 0) return { problem: `No conversation that was rehearsed has the witness "${wanted}".` };
  const names = named.map(([name]) => name);
  const { nearest } = nearestOf(wanted, names);
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  const hint =
    nearest === undefined
      ? `There are: ${names.slice(0, SHOWN).join(", ")}${more}.`
      : `Did you mean "${nearest}"?`;
  return { problem: `There is no witness "${wanted}". ${hint}` };
}
