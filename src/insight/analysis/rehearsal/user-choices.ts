import { textsIn } from "../../../core/liquid/fill-texts.ts";
import { compileText } from "../../../core/liquid/text-template.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { UserContract, UserMessage } from "../../../engine/run/step/user-contract.ts";
import { stateChecks } from "./comparisons.ts";

/** What a simulated user may do in one turn. */
export type UserChoice = UserMessage;

const TEXT = "Please go on.";
const MOST = 32;

/** What a simulated user may do that the scenario distinguishes: reveal facts within its contract, and be done. */
export function userChoices(
  { facts, revealed, mayReveal }: UserContract,
  { seesDone, seesFacts }: UserReads,
): { readonly choices: readonly UserChoice[]; readonly isWhole: boolean } {
  const open = Object.keys(facts).filter((id) => !revealed.includes(id));
  const sets = seesFacts ? subsets(open, mayReveal) : { found: [[]], isWhole: true };
  const ends = seesDone ? [false, true] : [false];
  const choices = sets.found.flatMap((reveals) =>
    ends.map((isDone) => ({ text: TEXT, reveals, done: isDone })),
  );
  return { choices, isWhole: sets.isWhole };
}

/** All sets of at most so many facts, the smallest first. */
function subsets(
  ids: readonly string[],
  most: number,
): { readonly found: readonly (readonly string[])[]; readonly isWhole: boolean } {
  const found: (readonly string[])[] = [[]];
  // The list grows during the loop: each set is extended by one fact after its last.
  for (const set of found) {
    if (set.length >= most) continue;
    const after = ids.indexOf(set.at(-1) ?? "") + 1;
    for (const id of ids.slice(after)) {
      if (found.length >= MOST) return { found, isWhole: false };
      found.push([...set, id]);
    }
  }
  return { found, isWhole: true };
}

/** What a scenario reads of its simulated users. */
export interface UserReads {
  readonly seesDone: boolean;
  readonly seesFacts: boolean;
}

/** What conditions and texts of a scenario read of its simulated users. */
export function userReads({ nodes, edges }: ScenarioDefinition): UserReads {
  const texts = [...textsIn(nodes), ...textsIn(edges)].flatMap(({ text }) => compileText(text).variables);
  const paths = [
    ...edges.flatMap(({ when }) => stateChecks(when).map(({ field }) => field)),
    ...texts.map(({ path }) => path.join(".")),
  ];
  // Code may look at anything.
  const hasCode = edges.some(({ when }) => typeof when === "function");
  return {
    seesDone: hasCode || paths.some((path) => path.startsWith("user.done")),
    seesFacts: hasCode || paths.some((path) => path.startsWith("user.reveal")),
  };
}
