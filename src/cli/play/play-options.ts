import type { Witness } from "../../analysis/rehearsal/rehearsal.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { Variant } from "../../core/scenario/variants.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Store } from "../../journal/store/store.ts";
import type { JudgeOption, RunOptions, SubjectOption, Timeouts } from "../../run/run-options.ts";
import type { SignalSource } from "../run/watch-run.ts";

const SHARED = [
  "providers",
  "environment",
  "rubric",
  "judging",
  "reading",
  "detectRefusal",
  "earlierTurns",
  "tools",
  "toolSteps",
  "caps",
  "retries",
  "simulator",
] as const;

/** What shapes calls in a run shapes them here, too, so that what was recorded answers a run with the same settings. */
type SharedOptions = Pick<RunOptions, (typeof SHARED)[number]>;

/** The settings of `play`. */
export interface PlayOptions extends SharedOptions {
  readonly scenario: ScenarioDefinition;
  /** Who the person is. */
  readonly as: "subject" | "questioner";
  /** Who is asked, if the person asks. */
  readonly subject?: SubjectOption;
  readonly judge: JudgeOption;
  readonly turnLimit: number;
  /** Only calls of models have a time limit, not persons. */
  readonly timeouts?: Pick<Timeouts, "callMs">;
  readonly seed: number;
  /** Values for `{{row.…}}`, if the scenario needs them. */
  readonly row?: JsonObject;
  /** The level of each factor, if the scenario has variants. */
  readonly variant?: Variant;
  /** The file for the cassette; one that is there already is refused. */
  readonly save?: string;
  /** The words that name the scenario to `elenchus run`, for the command that is suggested at the end. */
  readonly words?: readonly string[];
  /** What is said in place of the person. */
  readonly witness?: Witness;
  /** Where Ctrl-C comes from (default: the process). */
  readonly signals?: SignalSource;
}

/** The one conversation, as options of a run. */
export function playRunOptions(
  options: PlayOptions,
  { subject, store }: { readonly subject: SubjectOption; readonly store: Store },
): RunOptions {
  const { scenario, judge, turnLimit, seed, row, variant, timeouts } = options;
  return {
    ...sharedOptions(options),
    scenarios: scenario,
    subjects: kept(subject),
    judge: kept(judge),
    replicates: 1,
    // `play` says itself what stays unread.
    allowUnread: true,
    allowDrafts: true,
    turnLimit,
    seed,
    store,
    ...(row === undefined ? {} : { rows: [row] }),
    ...(variant === undefined ? {} : { variant }),
    ...(timeouts?.callMs === undefined ? {} : { timeouts: { callMs: timeouts.callMs } }),
  };
}

function sharedOptions(options: SharedOptions): SharedOptions {
  const given = SHARED.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

/** Only answers that the store keeps can be saved; it is new, so it knows none before they are given. */
function kept<Option extends SubjectOption | JudgeOption>(option: Option): Option {
  return typeof option === "object" && "model" in option ? { ...option, cache: true } : option;
}
