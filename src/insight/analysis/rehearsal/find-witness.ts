import { END, END_IN_FILES } from "../../../core/scenario/definition.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import type { Rehearsal, RehearsedEdge, Witness } from "./rehearsal.ts";

/**
 * The witness that a text names: `held_firm=false`, a node (`push`), an edge (`ask->push`, or its position `3`), `shortest` or
 * `longest`; or what is wrong with the text, with what could stand there.
 */
export function findWitness(rehearsal: Rehearsal, text: string): Witness | { readonly problem: string } {
  const { outcomes, nodes, edges, shortest, longest } = rehearsal;
  const wanted = text.trim();
  const equal = wanted.indexOf("=");
  if (equal > 0) return ofOutcome(rehearsal, wanted.slice(0, equal).trim(), wanted.slice(equal + 1).trim());
  const special = wanted === "shortest" ? shortest : wanted === "longest" ? longest : undefined;
  if (special !== undefined) return special ?? { problem: "No conversation ends." };
  const node = nodes.find(({ id }) => id === wanted);
  if (node !== undefined)
    return node.witness ?? { problem: `No conversation that was rehearsed asks "${wanted}".` };
  const [source, target] = wanted.split(/\s*(?:->|→)\s*/);
  const matching = edges.filter(
    (edge) => String(edge.edge) === wanted || (edge.source === source && nameOf(edge) === target),
  );
  const taken = matching.find(({ witness }) => witness !== null);
  if (taken?.witness != null) return taken.witness;
  if (matching.length > 0) return { problem: `No conversation that was rehearsed takes the edge ${wanted}.` };
  const names = [
    ...outcomes.flatMap(({ name, values }) => values.map(({ value }) => `${name}=${String(value)}`)),
    ...nodes.map(({ id }) => id),
    ...edges.map((edge) => `${edge.source}->${nameOf(edge)}`),
    "shortest",
    "longest",
  ];
  return { problem: `There is no witness "${wanted}".${suggestion(wanted, names)}` };
}

function ofOutcome(
  { outcomes }: Rehearsal,
  name: string,
  value: string,
): Witness | { readonly problem: string } {
  const outcome = outcomes.find((one) => one.name === name);
  if (outcome === undefined) {
    const names = outcomes.map((one) => one.name);
    return { problem: `There is no outcome "${name}".${suggestion(name, names)}` };
  }
  const found = outcome.values.find((one) => String(one.value) === value.replaceAll(" ", "_"));
  if (found !== undefined) return found.witness;
  const known = outcome.values.map((one) => String(one.value));
  return {
    problem:
      known.length === 0
        ? `What "${name}" comes to could not be found out.`
        : `"${name}" never comes to ${value}. It can be ${known.join(", ")}.`,
  };
}

function nameOf({ target }: RehearsedEdge): string {
  return target === END ? END_IN_FILES : target;
}

const SHOWN = 12;

function suggestion(text: string, names: readonly string[]): string {
  const { nearest } = nearestOf(text, names);
  if (nearest !== undefined) return ` Did you mean "${nearest}"?`;
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return names.length === 0 ? "" : ` There are: ${names.slice(0, SHOWN).join(", ")}${more}.`;
}
