import { provideLiquid } from "../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../run/liquid-library.ts";

export type {
  EdgeOverlap,
  NeverTaken,
  OutcomeWitness,
  PathTotals,
  Possibility,
  Rehearsal,
  RehearsedEdge,
  RehearsedFailure,
  RehearsedLoop,
  RehearsedNode,
  RehearsedOutcome,
  RehearsedPlace,
  RehearsedTurn,
  RehearsedValue,
  Undecided,
  Witness,
} from "../analysis/rehearsal/rehearsal.ts";
export { type RehearseOptions, rehearse } from "../analysis/rehearsal/rehearse.ts";

provideLiquid(loadLiquid);
