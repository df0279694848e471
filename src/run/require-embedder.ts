import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import { RunError } from "../journal/failure.ts";
import { list, type RunOptions } from "./run-options.ts";

/** Throws `RunError` if a scenario compares meanings where that cannot be done, or the run has no embedding model. */
export function requireEmbedder({ scenarios, embedder }: RunOptions): void {
  const problems = list(scenarios).flatMap((definition) =>
    embedderProblems(definition, embedder !== undefined),
  );
  if (problems.length > 0) throw new RunError(problems);
}

/** Why the meanings that a scenario compares cannot be compared, in sentences. */
export function embedderProblems(
  { name, nodes, edges, outcomes }: ScenarioDefinition,
  hasEmbedder: boolean,
): readonly string[] {
  const fields = Object.entries(nodes).flatMap(([id, { question }]) =>
    Object.entries(question.template?.fields ?? {}).flatMap(([field, part]) =>
      hasSemanticMatch(part) ? [`field "${field}" of node "${id}"`] : [],
    ),
  );
  const elsewhere = [
    ...Object.entries(nodes).map(
      ([id, { question }]) => [`the verification of node "${id}"`, question.template?.verify] as const,
    ),
    ...edges.map(({ source, when }) => [`an edge from "${source}"`, when] as const),
    ...outcomes.map((outcome) => [`the outcome "${outcome.name}"`, outcome.check] as const),
  ].flatMap(([place, part]) => (hasSemanticMatch(part) ? [place] : []));
  const inScenario = `In scenario "${name}", `;
  return [
    ...(hasEmbedder ? [] : fields).map(
      (place) =>
        `${inScenario}${place} uses semantic_match, which needs an embedding model. Name one, such as --embedder openai/text-embedding-3-small (in code: \`embedder\`).`,
    ),
    ...elsewhere.map(
      (place) =>
        `${inScenario}${place} uses semantic_match, which works only in fields of templates. Put the check in a field, and use its verdict here.`,
    ),
  ];
}

function hasSemanticMatch(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return ("type" in part && part.type === "semantic_match") || Object.values(part).some(hasSemanticMatch);
}
