import { coverage, type NotReached } from "../../analysis/coverage/coverage.ts";
import type { RehearsedTurn, Witness } from "../../analysis/rehearsal/rehearsal.ts";
import { rowText, variantText } from "../../journal/cell.ts";
import type { Store } from "../../journal/store/store.ts";
import type { CoverageAnswer, WitnessView } from "../answers.ts";
import { storedScenario } from "./scenario-data.ts";

/** A longer search would delay the next answer. */
const MOST_STATES = 2_000;

/** What a run reached of a scenario, and by which replies the rest would be reached; null if the scenario cannot be read. */
export async function coverageAnswer(
  store: Store,
  run: string,
  scenario: string,
): Promise<CoverageAnswer | null> {
  const definition = storedScenario(store, run, scenario);
  if (definition === undefined) return null;
  const found = await coverage(store, [run], {
    scenario,
    definitions: new Map([[scenario, definition]]),
    maxStates: MOST_STATES,
    neverRun: false,
    paths: false,
  });
  const [own] = found.scenarios;
  if (own === undefined) return null;
  const { all, notReached, problem } = own;
  return {
    shares: (["nodes", "edges", "outcomes"] as const).map((kind) => ({
      kind,
      reached: Number(all[kind].reached),
      possible: Number(all[kind].possible ?? all[kind].reached),
    })),
    notReached: notReached.map(notReachedView),
    ...(problem === undefined ? {} : { problem }),
  };
}

function notReachedView({ witness, ...rest }: NotReached): CoverageAnswer["notReached"][number] {
  return { ...rest, witness: witness === null ? null : witnessView(witness) };
}

function witnessView({ place, turns, status, isAssumed }: Witness): WitnessView {
  const { row, variant } = place;
  const where = [rowText({ row: row ?? null }), variantText(variant ?? null)].filter((text) => text !== null);
  return {
    place: where.join(", "),
    turns: turns.map((turn) => ({ node: turn.node, reply: turn.reply, verdict: verdictOf(turn) })),
    status,
    isAssumed: isAssumed === true,
  };
}

function verdictOf({
  unreadable,
  notVerified,
  verifyResult,
}: RehearsedTurn): WitnessView["turns"][number]["verdict"] {
  if (unreadable === true) return "unreadable";
  if (notVerified === true) return "not_verified";
  return verifyResult === null ? "unverified" : verifyResult ? "pass" : "fail";
}
