import { deepEqual, isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";

/**
 * What depends on a change: the questions that subjects are sent, what judges are asked, which replies are right, where conversations
 * go, what outcomes say, and which conversations there are.
 */
export type Affected = "questions" | "readings" | "verdicts" | "edges" | "outcomes" | "conversations";

/** One difference between two definitions. */
export interface Change {
  readonly part: "scenario" | "node" | "edge" | "outcome" | "rate";
  /** The node, the edge (`ask → doubt`), the outcome or the rate; empty for the scenario as a whole. */
  readonly name: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** What of it changed, in words: `question`, `truth of city`. */
  readonly what?: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** Empty for what shapes no call and no result, such as descriptions for people. */
  readonly affects: readonly Affected[];
}

/** A part of something that may have been added, removed or changed; none if it is the same. */
export function partChange(
  about: Pick<Change, "part" | "name" | "affects"> & { readonly what: string },
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  if (deepEqual(before, after)) return [];
  return [
    {
      ...about,
      change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
}

/** The keys of two objects, each once. */
export function keysOfBoth(one: JsonObject, other: JsonObject): readonly string[] {
  return Object.keys({ ...one, ...other });
}

/** A part of a written scenario that is an object; nothing where there is none. */
export function recordOf(value: JsonValue | undefined): JsonObject {
  // What was written is JSON.
  return isRecord(value) ? (value as JsonObject) : {};
}

/**
 * The effect of a change on a stored conversation: it stays the same; all its answers can be used, but verdicts or outcomes differ; it takes
 * another edge; a question must be asked again; or a judge must.
 */
export type Fate = "same" | "regraded" | "rerouted" | "asked_again" | "judged_again";

interface NodePart {
  readonly path: readonly string[];
  readonly what: string;
  readonly affects: readonly Affected[];
}

const NODE_PARTS: readonly NodePart[] = [
  { path: ["question", "question"], what: "question", affects: ["questions", "readings"] },
  { path: ["question", "fewShot"], what: "examples", affects: ["questions"] },
  { path: ["question", "template", "verify"], what: "rule of the verdict", affects: ["verdicts"] },
  {
    path: ["question", "template", "undecided"],
    what: "what undecided fields count as",
    affects: ["verdicts"],
  },
  { path: ["question", "keywords"], what: "keywords", affects: [] },
  { path: ["question", "metadata"], what: "metadata of the question", affects: [] },
  { path: ["user"], what: "simulated user", affects: ["questions"] },
  { path: ["modelOverride", "subject"], what: "subject", affects: ["questions"] },
  { path: ["modelOverride", "systemPrompt"], what: "system prompt", affects: ["questions"] },
  { path: ["modelOverride", "judge"], what: "judge", affects: ["readings"] },
  { path: ["toolFilter"], what: "tools", affects: ["questions"] },
  { path: ["agentIdentity"], what: "agent", affects: ["questions"] },
  { path: ["stateUpdate"], what: "state update", affects: ["edges"] },
  { path: ["metadata"], what: "metadata", affects: [] },
];

/** What changed in a node that both versions have. */
export function nodeChanges(name: string, was: JsonObject, is: JsonObject): readonly Change[] {
  const node = { part: "node", name } as const;
  const [before, after] = [recordOf(was.question), recordOf(is.question)];
  return [
    ...NODE_PARTS.flatMap(({ path, what, affects }) =>
      partChange({ ...node, what, affects }, at(was, path), at(is, path)),
    ),
    // Only traits with `includeReference` are shown it.
    ...partChange(
      {
        ...node,
        what: "reference answer",
        affects: showsReference(was) || showsReference(is) ? ["readings"] : [],
      },
      before.rawAnswer,
      after.rawAnswer,
    ),
    ...fieldChanges(name, fieldsOf(before), fieldsOf(after)),
    ...traitChanges(name, [was.rubric, before.rubric], [is.rubric, after.rubric]),
  ];
}

function at(value: JsonObject, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (found, key) => (Object.hasOwn(recordOf(found), key) ? recordOf(found)[key] : undefined),
    value,
  );
}

function fieldsOf(question: JsonObject): JsonObject {
  return recordOf(recordOf(question.template).fields);
}

/** What of a field code alone uses; everything else is part of what a judge is asked. */
const FIELD_PARTS: Readonly<
  Record<string, { readonly what: string; readonly affects: readonly Affected[] }>
> = {
  truth: { what: "truth", affects: ["verdicts"] },
  check: { what: "check", affects: ["verdicts"] },
  weight: { what: "weight", affects: ["verdicts"] },
  extract: { what: "reading rule", affects: ["readings", "verdicts"] },
};

function fieldChanges(name: string, was: JsonObject, is: JsonObject): readonly Change[] {
  return keysOfBoth(was, is).flatMap((field): readonly Change[] => {
    const node = { part: "node", name } as const;
    const [before, after] = [was[field], is[field]];
    if (before === undefined || after === undefined)
      return partChange(
        { ...node, what: `field ${field}`, affects: ["readings", "verdicts"] },
        before,
        after,
      );
    const [old, now] = [recordOf(before), recordOf(after)];
    return keysOfBoth(old, now).flatMap((key) => {
      const { what, affects } = FIELD_PARTS[key] ?? { what: key, affects: ["readings"] };
      return partChange({ ...node, what: `${what} of ${field}`, affects }, old[key], now[key]);
    });
  });
}

type Rubrics = readonly (JsonValue | undefined)[];

function traitChanges(name: string, was: Rubrics, is: Rubrics): readonly Change[] {
  const [before, after] = [traitsOf(was), traitsOf(is)];
  return keysOfBoth(before, after).flatMap((trait) =>
    partChange(
      { part: "node", name, what: `trait ${trait}`, affects: ["readings"] },
      before[trait],
      after[trait],
    ),
  );
}

function traitsOf(rubrics: Rubrics): JsonObject {
  const traits = rubrics.flatMap((rubric) => {
    const { traits: found } = recordOf(rubric);
    return Array.isArray(found) ? found.map((trait) => recordOf(trait as JsonValue)) : [];
  });
  return Object.fromEntries(traits.map((trait) => [String(trait.name), trait]));
}

function showsReference(node: JsonObject): boolean {
  const traits = traitsOf([node.rubric, recordOf(node.question).rubric]);
  return Object.values(traits).some((trait) => recordOf(trait).includeReference === true);
}
