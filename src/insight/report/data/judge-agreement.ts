import { memoize } from "../../../core/lazy.ts";
import {
  cohenKappa,
  krippendorffAlpha,
  percentAgreement,
  type Rating,
} from "../../../core/statistics/agreement.ts";
import { normalQuantile } from "../../../core/statistics/distributions.ts";
import { type Interval, wilson } from "../../../core/statistics/proportions.ts";
import { roganGladen } from "../../../core/statistics/rogan-gladen.ts";
import { CsvReader } from "../../../engine/datasets/csv-records.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import { foldVotes } from "../../../engine/journal/fold/calls.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { Label } from "../../../engine/journal/run-event.ts";
import type { ConversationFilter, ConversationScore, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { type FinishedTurn, isFinishedTurn } from "../../../engine/journal/turn.ts";
import { rateEstimate } from "./rate-line.ts";
import { wantedScores } from "./rates.ts";
import type { Tested } from "./run-counts.ts";

/** How far the judges of a run agree on the verdicts of the same turns. */
interface JudgesAgreement {
  readonly judges: readonly string[];
  readonly turns: number;
  readonly alpha: number | null;
  readonly pairs: readonly {
    readonly a: string;
    readonly b: string;
    readonly agreement: number | null;
    readonly kappa: number | null;
    readonly n: number;
  }[];
  /** The conversations on which they differ most: how many turns. */
  readonly most: readonly { readonly conversation: string; readonly turns: number }[];
}

/** How far a judge agrees with persons on one field or trait. */
interface LabelledField {
  readonly judge: string;
  /** `verify_result`, the name of a field, or `rubric.<trait>`. */
  readonly field: string;
  readonly n: number;
  readonly agreed: number;
  readonly accuracy: number | null;
  readonly interval: Interval | null;
  readonly kappa: number | null;
  /** How often each pair of values of person and judge occurs. */
  readonly confusion: readonly {
    readonly person: Rating | null;
    readonly judge: Rating | null;
    readonly count: number;
  }[];
}

/** The share of turns of a subject in which a verdict, a field or a trait is true, as one judge has it, and corrected for its errors. */
interface CorrectedRate extends Tested {
  readonly field: string;
  readonly n: number;
  readonly raw: number;
  readonly rawInterval: Interval | null;
  readonly corrected: number | null;
  readonly interval: Interval | null;
}

/** How far the members of a panel agree on one field or trait. */
interface PanelField {
  readonly judge: string;
  readonly field: string;
  readonly units: number;
  readonly alpha: number | null;
  /** The share of units on which all agree. */
  readonly unanimous: number;
  /** The conversations on which they differ most: how many turns. */
  readonly most: readonly { readonly conversation: string; readonly turns: number }[];
}

/** What is known about the judges of a run. */
export interface JudgeReport {
  readonly panel: readonly PanelField[];
  readonly judges: JudgesAgreement | null;
  readonly fields: readonly LabelledField[];
  readonly corrected: readonly CorrectedRate[];
}

/** Compares the judges of a run with each other and with labels by persons. Each judge is compared, and corrected for, by itself. */
export function judgeReport(
  store: Store,
  run: string,
  labels: readonly GivenLabel[],
  filter: ConversationFilter = {},
): JudgeReport {
  const { run: name } = storedRun(store, run);
  const scores = wantedScores(store.scores(name, { turns: true }), filter);
  const judges = [...new Set(scores.map(({ judge }) => judge))];
  const judgeOf = new Map(scores.map(({ conversation, judge }) => [conversation, judge]));
  const compared = comparedLabels(store, name, { labels, judgeOf });
  const groups = Map.groupBy(compared, ({ judge, field }) => JSON.stringify([judge, field]));
  const hasOthers = compared.some(({ field }) => field !== VERDICT);
  // Only verdicts are in the scores.
  const turnsOf = ({ conversation, turns }: ConversationScore): readonly Readings[] =>
    hasOthers
      ? foldConversation(store.events(name, conversation)).finishedTurns.map(readingsOf)
      : turns.map(({ verdict }) => new Map([[VERDICT, verdictOf(verdict)]]));
  const read = new Map<ConversationScore, readonly Readings[]>();
  return {
    panel: panelFields(store, name, judgeOf),
    judges: judges.length < 2 ? null : judgesAgreement(scores, judges),
    fields: [...groups.values()].map(labelledField),
    corrected: correctedRates([...groups.values()], scores, (score) =>
      memoize(read, score, () => turnsOf(score)),
    ),
  };
}

const VERDICT = "verify_result";

/** What was read of a turn: its verdict, its fields, and its traits as `rubric.<name>`. */
type Readings = ReadonlyMap<string, Rating | null>;

function readingsOf({
  verifyResult,
  parsed,
  rubric,
}: Readonly<Record<"parsed" | "rubric", object> & Pick<FinishedTurn, "verifyResult">>): Readings {
  const named: readonly (readonly [string, unknown])[] = [
    [VERDICT, verifyResult],
    ...Object.entries(parsed),
    ...Object.entries(rubric).map(([name, value]) => [`rubric.${name}`, value] as const),
  ];
  const isRating = (value: unknown): value is Rating =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return new Map(named.map(([name, value]) => [name, isRating(value) ? value : null]));
}

const verdictOf = (verdict: string | undefined): boolean | null =>
  verdict === "pass" ? true : verdict === "fail" ? false : null;

function judgesAgreement(scores: readonly ConversationScore[], judges: readonly string[]): JudgesAgreement {
  const places = Map.groupBy(scores, ({ subject, item, variant, arm, replicate }) =>
    JSON.stringify([subject, item, variant, arm, replicate]),
  );
  const units: (boolean | null)[][] = [];
  const differing: { conversation: string; turns: number }[] = [];
  for (const own of places.values()) {
    const byJudge = judges.map((judge) => own.find((score) => score.judge === judge));
    const last = own.reduce((most, { turns }) => Math.max(most, turns.length), 0);
    let count = 0;
    for (let turn = 0; turn < last; turn++) {
      const ratings = byJudge.map((score) => verdictOf(score?.turns[turn]?.verdict));
      units.push(ratings);
      if (new Set(ratings.filter((rating) => rating !== null)).size > 1) count++;
    }
    if (count > 0) differing.push({ conversation: own[0]?.conversation ?? "", turns: count });
  }
  const column = (i: number): (boolean | null)[] => units.map((unit) => unit[i] ?? null);
  const pairs = judges.flatMap((a, i) =>
    judges.slice(i + 1).map((b, j) => {
      const [one, other] = [column(i), column(i + 1 + j)];
      const kappa = cohenKappa(one, other);
      return { a, b, agreement: percentAgreement(one, other), kappa: kappa?.kappa ?? null, n: kappa?.n ?? 0 };
    }),
  );
  const most = differing.sort((one, other) => other.turns - one.turns).slice(0, 10);
  return { judges, turns: units.length, alpha: krippendorffAlpha(units, "nominal"), pairs, most };
}

/** The votes of panel members, field by field. */
function panelFields(store: Store, run: string, judgeOf: ReadonlyMap<string, string>): readonly PanelField[] {
  const units = [...foldVotes(store.events(run))].flatMap(({ conversation, votes }) => {
    const judge = judgeOf.get(conversation);
    if (judge === undefined || votes.length < 2) return [];
    const read = votes.map((vote) => readingsOf({ verifyResult: null, ...vote }));
    const names = new Set(read.flatMap((one) => [...one.keys()]));
    // A panel has no verdict of its own, and answers about metrics are lists.
    const isRated = (name: string): boolean =>
      name !== VERDICT && (!name.startsWith("rubric.") || read.some((one) => one.get(name) !== null));
    return [...names].filter(isRated).map((field) => ({
      ...{ judge, field, conversation },
      ratings: read.map((one) => one.get(field) ?? null),
    }));
  });
  return [...Map.groupBy(units, ({ judge, field }) => JSON.stringify([judge, field])).values()].map((own) => {
    const isSplit = ({ ratings }: (typeof own)[number]): boolean => new Set(ratings).size > 1;
    const most = [...Map.groupBy(own.filter(isSplit), ({ conversation }) => conversation)]
      .map(([conversation, turns]) => ({ conversation, turns: turns.length }))
      .sort((one, other) => other.turns - one.turns)
      .slice(0, 10);
    const alpha = krippendorffAlpha(
      own.map(({ ratings }) => ratings),
      "nominal",
    );
    const { judge = "", field = "" } = own[0] ?? {};
    const unanimous = own.filter((unit) => !isSplit(unit)).length / own.length;
    return { judge, field, units: own.length, alpha, unanimous, most };
  });
}

/** A label by a person with what the judge read. */
interface Compared {
  readonly judge: string;
  readonly field: string;
  readonly person: Rating | null;
  readonly read: Rating | null;
}

/** Only labelled conversations are read. A trait can be named with or without `rubric.`; a field of the same name comes first. */
function comparedLabels(
  store: Store,
  run: string,
  {
    labels,
    judgeOf,
  }: { readonly labels: readonly GivenLabel[]; readonly judgeOf: ReadonlyMap<string, string> },
): readonly Compared[] {
  const found = [...Map.groupBy(labels, ({ conversation }) => conversation)].flatMap(
    ([conversation, own]) => {
      const judge = judgeOf.get(conversation);
      if (judge === undefined) return [];
      const folded = foldConversation(store.events(run, conversation));
      return own.flatMap(({ turn: number, field, value: person }) => {
        const turn = folded.turn(number);
        if (turn === undefined || !isFinishedTurn(turn)) return [];
        return [{ judge, field, person, readings: readingsOf(turn) }];
      });
    },
  );
  const known = new Set(found.flatMap(({ readings }) => [...readings.keys()]));
  return found.map(({ judge, field: given, person, readings }) => {
    const field = [given, `rubric.${given}`].find((name) => known.has(name));
    if (field !== undefined) return { judge, field, person, read: readings.get(field) ?? null };
    const names = [...known].join(", ");
    throw new RunError([`There is no field or trait "${given}" in the labelled turns. There are ${names}.`]);
  });
}

function labelledField(own: readonly Compared[]): LabelledField {
  const { judge = "", field = "" } = own[0] ?? {};
  const n = own.length;
  const agreed = own.filter(({ person, read }) => same(person, read)).length;
  const confusion = [...Map.groupBy(own, ({ person, read }) => JSON.stringify([person, read])).values()].map(
    (group) => ({ person: group[0]?.person ?? null, judge: group[0]?.read ?? null, count: group.length }),
  );
  const kappa = cohenKappa(
    own.map(({ person }) => known(person)),
    own.map(({ read }) => known(read)),
  );
  return {
    ...{ judge, field, n, agreed },
    accuracy: n === 0 ? null : agreed / n,
    interval: wilson(agreed, n),
    kappa: kappa?.kappa ?? null,
    confusion,
  };
}

/** Persons write "Canberra" or "canberra ". */
const known = (value: Rating | null): Rating | null =>
  typeof value === "string" ? value.trim().toLowerCase() : value;
const same = (a: Rating | null, b: Rating | null): boolean => known(a) === known(b);

/**
 * For each group of boolean labels on what one judge read: the share that is true of each subject, corrected for the errors that these
 * labels show. The errors of a judge are taken to be the same for all subjects.
 */
function correctedRates(
  groups: readonly (readonly Compared[])[],
  scores: readonly ConversationScore[],
  readings: (score: ConversationScore) => readonly Readings[],
): readonly CorrectedRate[] {
  return groups.flatMap((own) => {
    const { judge = "", field = "" } = own[0] ?? {};
    const count = (person: boolean, read: boolean): number =>
      own.filter((one) => one.person === person && one.read === read).length;
    const errors = {
      truePositive: count(true, true),
      positives: count(true, true) + count(true, false),
      trueNegative: count(false, false),
      negatives: count(false, true) + count(false, false),
    };
    if (errors.positives + errors.negatives === 0) return [];
    const judged = scores.filter((score) => score.judge === judge);
    return [...Map.groupBy(judged, ({ subject }) => subject)].flatMap(([subject, members]) => {
      const turns = members.flatMap((score) =>
        readings(score).flatMap((turn) => {
          const value = turn.get(field);
          return typeof value === "boolean" ? [{ item: score.item, value: Number(value) }] : [];
        }),
      );
      const { estimate: rate, interval } = rateEstimate(
        turns.map(({ value }) => value),
        turns.map(({ item }) => item),
      );
      if (rate === null) return [];
      // From the interval: where all turns came out the same, no error can be computed, and yet the rate is not certain.
      const standardError =
        interval === null ? null : Math.max(rate - interval.low, interval.high - rate) / normalQuantile(0.95);
      const corrected = standardError === null ? null : roganGladen({ rate, standardError }, errors);
      const clipped = (value: number): number => Math.min(1, Math.max(0, value));
      return [
        {
          ...{ judge, field, subject, n: turns.length, raw: rate },
          rawInterval: interval,
          corrected: corrected === null ? null : clipped(corrected.rate),
          interval:
            corrected === null ? null : { low: clipped(corrected.low), high: clipped(corrected.high) },
        },
      ];
    });
  });
}

/** A label before it is known who gave it, and when. */
type GivenLabel = Pick<Label, "conversation" | "turn" | "field" | "value">;

const COLUMNS = ["conversation", "turn", "field", "value"] as const;

/** Reads labels by persons from CSV with the columns conversation, turn, field and value. Throws `RunError` with the line that is wrong. */
export function readLabels(text: string, file: string): readonly (GivenLabel & { readonly line: number })[] {
  const reader = new CsvReader();
  const [head, ...rows] = [...reader.read(text), ...reader.end()].map((record) => {
    if ("fields" in record) return record;
    throw new RunError([`${file}:${record.line}: This line cannot be read as CSV: ${record.problem}.`]);
  });
  const places = COLUMNS.map((name) => head?.fields.findIndex((cell) => cell.trim() === name) ?? -1);
  const missing = COLUMNS.filter((_, i) => places[i] === -1);
  if (missing.length > 0)
    throw new RunError([
      `${file}:1: The first line must name the columns ${COLUMNS.join(", ")}; ${missing.join(", ")} is missing.`,
    ]);
  return rows.map(({ fields, line }) => {
    const [conversation = "", turnText = "", field = "", value = ""] = places.map(
      (place) => fields[place]?.trim() ?? "",
    );
    const turn = Number(turnText);
    if (conversation === "" || field === "")
      throw new RunError([`${file}:${line}: A label needs a conversation and a field.`]);
    if (!Number.isSafeInteger(turn) || turn < 1)
      throw new RunError([`${file}:${line}: The turn must be a whole number from 1, not "${turnText}".`]);
    return { conversation, turn, field, value: labelValue(value), line };
  });
}

/** `true`, `false`, a number, nothing, or a text. */
function labelValue(text: string): Label["value"] {
  const lower = text.toLowerCase();
  if (text === "" || lower === "null") return null;
  if (lower === "true" || lower === "false") return lower === "true";
  return Number.isFinite(Number(text)) ? Number(text) : text;
}
