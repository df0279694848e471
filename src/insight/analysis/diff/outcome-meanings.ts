import { leavesOf } from "../../../core/logic/composition.ts";
import type { Outcome } from "../../../core/outcomes/outcome-check.ts";
import { outcomesOfRate } from "../../../core/outcomes/rate.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { outcomeReads } from "../outcome-reads.ts";
import type { Change } from "./change.ts";

/** An outcome or a rate that means something else than before. */
export interface ChangedOutcome {
  readonly part: "outcome" | "rate";
  readonly name: string;
  /** Why, in clauses: `its check changed`, `the truth of city changed at ask`. */
  readonly because: readonly string[];
}

/** The outcomes and rates that both versions have, and that mean something else: by themselves, or by what they look at. */
export function outcomeMeanings(
  before: ScenarioDefinition,
  after: ScenarioDefinition,
  changes: readonly Change[],
): readonly ChangedOutcome[] {
  const reasons = new Map<string, readonly string[]>();
  const outcomes = new Map(after.outcomes.map((outcome) => [outcome.name, outcome]));
  const isKnown = new Set(before.outcomes.map(({ name }) => name));
  const reasonsFor = (name: string): readonly string[] => {
    const known = reasons.get(name);
    if (known !== undefined) return known;
    // An outcome that depends on itself is refused by validation.
    reasons.set(name, []);
    const outcome = outcomes.get(name);
    const found =
      outcome === undefined || !isKnown.has(name)
        ? []
        : [
            ...ownReasons("outcome", name, changes),
            ...readReasons(outcome, after, changes),
            ...(outcome.when === undefined ? [] : leavesOf(outcome.when)).flatMap((other) =>
              dependentReason(other, reasonsFor),
            ),
          ];
    reasons.set(name, [...new Set(found)]);
    return reasons.get(name) ?? [];
  };
  const rates = Object.entries(after.rates ?? {}).flatMap(([name, rate]) => {
    if (!Object.hasOwn(before.rates ?? {}, name)) return [];
    const because = [
      ...ownReasons("rate", name, changes),
      ...outcomesOfRate(rate).flatMap(([, other]) => dependentReason(other, reasonsFor)),
    ];
    return [{ part: "rate", name, because: [...new Set(because)] } as const];
  });
  return [
    ...after.outcomes.map(({ name }) => ({ part: "outcome", name, because: reasonsFor(name) }) as const),
    ...rates,
  ].filter(({ because }) => because.length > 0);
}

function ownReasons(part: "outcome" | "rate", name: string, changes: readonly Change[]): readonly string[] {
  return changes
    .filter((one) => one.part === part && one.name === name && one.affects.length > 0)
    .map(({ what = "definition", change }) =>
      what === "check"
        ? "its check changed"
        : change === "changed"
          ? `${own(what)} changed`
          : `${own(what)} was ${change}`,
    );
}

function own(what: string): string {
  return what.startsWith("whe") ? what : `its ${what}`;
}

function dependentReason(name: string, reasonsFor: (name: string) => readonly string[]): readonly string[] {
  return reasonsFor(name).length === 0 ? [] : [`${name}, which it depends on, means something else`];
}

/** How the changes of nodes matter to what an outcome reads of their turns. */
function readReasons(
  { check }: Outcome,
  { entryNode }: ScenarioDefinition,
  changes: readonly Change[],
): readonly string[] {
  const found = outcomeReads(check).turns.flatMap(({ nodes, fields, keep }) => {
    const isFirst = typeof keep === "object" && "first" in keep && keep.first === 1;
    const isRead = (node: string): boolean =>
      isFirst ? node === entryNode : nodes === undefined || [nodes].flat().includes(node);
    const entry = isFirst && changes.some(({ part, what }) => part === "scenario" && what === "entry");
    const names = fields?.length === 0 ? ["node_id"] : (fields?.map(({ field }) => field) ?? [undefined]);
    const ofNodes = changes.filter(({ part, name }) => part === "node" && isRead(name));
    const counts = nodes === undefined && !isFirst;
    return [
      ...(entry ? ["conversations begin at another node"] : []),
      ...names.flatMap((field) => ofNodes.flatMap((change) => reasonOf(change, field, { counts }))),
    ];
  });
  return typeof check !== "object" && found.length > 0 ? ["it is code, and may read what changed"] : found;
}

/** Why a change of a node matters to an outcome that reads a field of its turns. */
function reasonOf(
  { name, change, what = "", affects }: Change,
  field: string | undefined,
  { counts }: { readonly counts: boolean },
): readonly string[] {
  if (what === "") return counts && change !== "moved" ? [`the node ${name} was ${change}`] : [];
  const [root = "", key = ""] = (field ?? "").split(/\.(.*)/s);
  const isOfField = what.endsWith(` of ${key}`) || what === `field ${key}`;
  const matters =
    field === undefined
      ? affects.includes("verdicts") || affects.includes("readings")
      : root === "verify_result" || root === "score"
        ? affects.includes("verdicts") || (affects.includes("readings") && isOfAnyField(what))
        : root === "parsed"
          ? isOfField && affects.includes("readings")
          : root === "rubric" && what === `trait ${key}`;
  if (!matters || what === "question") return [];
  return [`the ${what} ${change === "changed" ? "changed" : `was ${change}`} at ${name}`];
}

/** True of a change in how a field is read, from which verdicts follow. */
function isOfAnyField(what: string): boolean {
  return what.includes(" of ") || what.startsWith("field ");
}
