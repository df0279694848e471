import { SELF_JUDGE } from "../../core/defaults.ts";
import { canonicalJson, isRecord } from "../../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import type { Cell, RunStart } from "../journal/run-event.ts";
import type { RunSummary, Store } from "../journal/store/store.ts";
import { startedWith } from "./earlier-run.ts";
import {
  type Divergence,
  findDivergence,
  type RecordedConversation,
  recordedConversation,
} from "./recorded-conversation.ts";
import { isSilent, silentModel } from "./records/known-replies.ts";
import {
  type GivenConversation,
  type GivenSource,
  list,
  type RecordedReplies,
  type RunInternals,
  type RunOptions,
  type SubjectOption,
} from "./run-options.ts";
import { type Run, startRun } from "./run-scenarios.ts";

/** Options to grade stored replies again. */
export interface RegradeOptions extends Omit<RunOptions, "subjects"> {
  readonly store: Store;
  /** The subjects of the run; needed with `rerun`, and to be their own judges. */
  readonly subjects?: SubjectOption | readonly SubjectOption[];
  /** True to ask the subject again once a conversation takes another edge (default false). */
  readonly rerun?: boolean;
}

/** A run that grades stored replies again. */
export interface Regrading extends Run {
  /** The conversations that would now take another edge, each with the hop that differs. */
  readonly divergences: Promise<readonly Divergence[]>;
}

/**
 * Grades the replies of a run with changed templates, rubrics, judges or outcomes, as a new run that is linked to it. The subject
 * is not asked. A conversation that now takes another edge ends there as `cancelled`, and its outcomes are inconclusive; with
 * `rerun`, the subject is asked from there on.
 */
export function regrade(name: string, options: RegradeOptions): Regrading {
  return startRegrade(name, options);
}

/** `regrade` with internals. */
export function startRegrade(name: string, options: RegradeOptions, internals: RunInternals = {}): Regrading {
  const { rerun = false, store, ...rest } = options;
  const summary = store.run(name);
  if (summary === undefined) throw new RunError([`There is no run "${name}" in the store.`]);
  if (rerun && rest.subjects === undefined)
    throw new RunError([
      "To ask again where conversations take another edge, give the `subjects` of the run.",
    ]);
  // A run of records has subjects that cannot be asked.
  if (rerun && isRecorded(summary.start))
    throw new RunError([`The run "${summary.run}" grades records, so there is no subject to ask again.`]);
  const wantsSelf = list(rest.judge ?? SELF_JUDGE).includes(SELF_JUDGE);
  if (rest.subjects === undefined && wantsSelf && summary.start.judges.includes(SELF_JUDGE))
    throw new RunError([
      "The replies of the run were read by the subjects' own models. Name another `judge` (--judge), or give the `subjects` of the run.",
    ]);
  const subjects = rest.subjects ?? summary.start.subjects.map(silentModel);
  const recorded = recordedReplies(store, repliedRun(store, summary).run);
  const divergences: { readonly index: number; readonly divergence: Divergence }[] = [];
  const onEnd: RecordedReplies["onEnd"] = (before, record, { index }) => {
    const divergence = findDivergence(before, record);
    if (divergence !== null) divergences.push({ index, divergence });
  };
  const run = startRun(
    { ...startedWith(summary.start), ...rest, subjects, store, ...(rerun ? {} : { onlyJudge: true }) },
    {
      ...internals,
      parent: summary.run,
      recorded: { of: recorded, reruns: rerun, onEnd },
      ...(isRecorded(summary.start) ? { given: storedConversations(store, summary) } : {}),
    },
  );
  return {
    get results() {
      return run.results;
    },
    get divergences() {
      return run.ended.then(() =>
        divergences.toSorted((one, other) => one.index - other.index).map(({ divergence }) => divergence),
      );
    },
    stop: () => run.stop(),
    [Symbol.asyncIterator]: () => run[Symbol.asyncIterator](),
  };
}

/**
 * The run whose replies a run has. One that grades another again ends conversations where they take another edge: the run that it
 * grades has all of their replies, unless the subject was asked again.
 */
function repliedRun(store: Store, summary: RunSummary): RunSummary {
  const { subjects } = summary.start.configuration;
  const wasAsked = Object.values(isRecord(subjects) ? subjects : {}).some((identity) => !isSilent(identity));
  const parent = wasAsked || summary.parent === null ? undefined : store.run(summary.parent);
  return parent === undefined ? summary : repliedRun(store, parent);
}

/** True of a run whose conversations existed before it: they need not be all combinations. */
export function isRecorded({ configuration }: Pick<RunStart, "configuration">): boolean {
  return configuration.recorded === true;
}

/** The conversations of a run of records. All judges read the same replies, so those of the first say which there are. */
function storedConversations(store: Store, { run, start }: RunSummary): GivenSource {
  const [judge] = start.judges;
  const found = function* (): Generator<GivenConversation> {
    for (const summary of store.conversations(run, judge === undefined ? {} : { judge })) {
      const { scenario, row, variant, subject, replicate, parent } = summary;
      // Arms follow from what they continue.
      if (parent !== null) continue;
      yield {
        cell: {
          scenario,
          ...(row === null ? {} : { row }),
          ...(variant === null ? {} : { variant }),
          subject,
          replicate,
        },
      };
    }
  };
  return {
    survey: async () => {
      let count = 0;
      for (const _ of found()) count++;
      return { count, subjects: start.subjects, replicates: start.replicates, needsReading: false };
    },
    conversations: found,
  };
}

/** Finds the conversation of a cell. All judges read the same replies, so the conversation with any of them will do. */
function recordedReplies(store: Store, run: string): RecordedReplies["of"] {
  const conversations = new Map<string, string>();
  for (const summary of store.conversations(run)) {
    const key = replyKey(summary, summary.row);
    if (!conversations.has(key)) conversations.set(key, summary.conversation);
  }
  return (cell) => {
    const conversation = conversations.get(replyKey(cell, cell.row ?? null));
    return conversation === undefined ? NEVER_BEGUN : recordedConversation(store.events(run, conversation));
  };
}

const NEVER_BEGUN: RecordedConversation = {
  turns: [],
  stop: { type: "conversation-stop", conversation: "", status: "cancelled" },
};

type RepliedCell = Omit<Cell, "judge" | "parent">;

function replyKey(
  { scenario, subject, replicate, variant, arm }: Omit<Nullable<RepliedCell>, "index" | "row" | "rowIndex">,
  row: string | null,
): string {
  return canonicalJson([scenario, subject, replicate, row, variant ?? null, arm ?? null]);
}

type Nullable<Parts> = { readonly [Key in keyof Parts]: Parts[Key] | null };
