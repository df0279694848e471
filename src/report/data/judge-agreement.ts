import { RunError } from "../../journal/failure.ts";
import { foldConversation } from "../../journal/fold/conversation.ts";
import { foldVotes } from "../../journal/fold/votes.ts";
import type { Label } from "../../journal/run-event.ts";
import type { ConversationScore, Store } from "../../journal/store/store.ts";
import { storedRun } from "../../journal/transfer/stored-run.ts";
import { isFinishedTurn } from "../../journal/turn.ts";
import { cohenKappa, krippendorffAlpha, percentAgreement, type Rating } from "../../statistics/agreement.ts";
import { normalQuantile } from "../../statistics/distributions.ts";
import { type Interval, wilson } from "../../statistics/proportions.ts";
import { roganGladen } from "../../statistics/rogan-gladen.ts";
import { rateEstimate } from "./rate-line.ts";

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

/** How far a judge agrees with persons on one field. */
interface LabelledField {
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

/** The share of right turns of a subject, as the judge has it, and corrected for the judge's errors. */
interface CorrectedRate {
  readonly subject: string;
  readonly n: number;
  readonly raw: number;
  readonly rawInterval: Interval | null;
  readonly corrected: number | null;
  readonly interval: Interval | null;
}

/** How far the members of a panel agree on one field. */
interface PanelField {
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

/** Compares the judges of a run with each other and with labels by persons. */
export function judgeReport(store: Store, run: string, labels: readonly GivenLabel[]): JudgeReport {
  const { run: name, start } = storedRun(store, run);
  const scores = [...store.scores(name, { turns: true })];
  const compared = comparedLabels(store, name, labels);
  return {
    panel: panelFields(store, name),
    judges: start.judges.length < 2 ? null : judgesAgreement(scores, start.judges),
    fields: [...Map.groupBy(compared, ({ field }) => field)].map(([field, own]) => labelledField(field, own)),
    corrected: correctedRates(scores, compared),
  };
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
function panelFields(store: Store, run: string): readonly PanelField[] {
  const units = new Map<string, { readonly conversation: string; readonly ratings: (Rating | null)[] }[]>();
  for (const { conversation, votes } of foldVotes(store.events(run))) {
    if (votes.length < 2) continue;
    const names = new Set(votes.flatMap(({ parsed }) => Object.keys(parsed)));
    for (const field of names) {
      const ratings = votes.map(({ parsed }): Rating | null => {
        const value = parsed[field];
        return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
          ? value
          : null;
      });
      const known = units.get(field) ?? [];
      if (known.length === 0) units.set(field, known);
      known.push({ conversation, ratings });
    }
  }
  return [...units].map(([field, own]) => {
    const isSplit = ({ ratings }: (typeof own)[number]): boolean => new Set(ratings).size > 1;
    const most = [...Map.groupBy(own.filter(isSplit), ({ conversation }) => conversation)]
      .map(([conversation, turns]) => ({ conversation, turns: turns.length }))
      .sort((one, other) => other.turns - one.turns)
      .slice(0, 10);
    const alpha = krippendorffAlpha(
      own.map(({ ratings }) => ratings),
      "nominal",
    );
    return {
      field,
      units: own.length,
      alpha,
      unanimous: own.filter((unit) => !isSplit(unit)).length / own.length,
      most,
    };
  });
}

interface Compared {
  readonly conversation: string;
  readonly field: string;
  readonly person: Rating | null;
  readonly judge: Rating | null;
}

/** Labels by persons with the values that were read. Only labelled conversations are read. */
function comparedLabels(store: Store, run: string, labels: readonly GivenLabel[]): readonly Compared[] {
  return [...Map.groupBy(labels, ({ conversation }) => conversation)].flatMap(([conversation, own]) => {
    const folded = foldConversation(store.events(run, conversation));
    return own.flatMap(({ turn, field, value }) => {
      const found = folded.turn(turn);
      if (found === undefined || !isFinishedTurn(found)) return [];
      const read = field === "verify_result" ? found.verifyResult : found.parsed[field];
      const judge = typeof read === "object" || read === undefined ? null : (read as Rating);
      return [{ conversation, field, person: value, judge }];
    });
  });
}

function labelledField(field: string, own: readonly Compared[]): LabelledField {
  const n = own.length;
  const agreed = own.filter(({ person, judge }) => same(person, judge)).length;
  const confusion = [
    ...Map.groupBy(own, ({ person, judge }) => JSON.stringify([person, judge])).values(),
  ].map((group) => ({
    person: group[0]?.person ?? null,
    judge: group[0]?.judge ?? null,
    count: group.length,
  }));
  const kappa = cohenKappa(
    own.map(({ person }) => known(person)),
    own.map(({ judge }) => known(judge)),
  );
  return {
    field,
    n,
    agreed,
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

/** The share of right turns of each subject, corrected for the errors that labels of verdicts show. */
function correctedRates(
  scores: readonly ConversationScore[],
  compared: readonly Compared[],
): readonly CorrectedRate[] {
  const verdicts = compared.filter(
    ({ field, person, judge }) =>
      field === "verify_result" && typeof person === "boolean" && typeof judge === "boolean",
  );
  if (verdicts.length === 0) return [];
  const count = (person: boolean, judge: boolean): number =>
    verdicts.filter((one) => one.person === person && one.judge === judge).length;
  const errors = {
    truePositive: count(true, true),
    positives: count(true, true) + count(true, false),
    trueNegative: count(false, false),
    negatives: count(false, true) + count(false, false),
  };
  return [...Map.groupBy(scores, ({ subject }) => subject)].flatMap(([subject, own]) => {
    const turns = own.flatMap(({ item, turns: all }) =>
      all.flatMap(({ verdict }) =>
        verdictOf(verdict) === null ? [] : [{ item, value: Number(verdict === "pass") }],
      ),
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
        ...{ subject, n: turns.length, raw: rate },
        rawInterval: interval,
        corrected: corrected === null ? null : clipped(corrected.rate),
        interval: corrected === null ? null : { low: clipped(corrected.low), high: clipped(corrected.high) },
      },
    ];
  });
}

/** A label before it is known who gave it, and when. */
type GivenLabel = Pick<Label, "conversation" | "turn" | "field" | "value">;

const COLUMNS = ["conversation", "turn", "field", "value"] as const;

/** Reads labels by persons from CSV with the columns conversation, turn, field and value. Throws `RunError` with the line that is wrong. */
export function readLabels(text: string, file: string): readonly (GivenLabel & { readonly line: number })[] {
  const [head, ...rows] = cellsOf(text.replace(/^\uFEFF/, ""), file);
  const places = COLUMNS.map((name) => head?.cells.findIndex((cell) => cell.trim() === name) ?? -1);
  const missing = COLUMNS.filter((_, i) => places[i] === -1);
  if (missing.length > 0)
    throw new RunError([
      `${file}:1: The first line must name the columns ${COLUMNS.join(", ")}; ${missing.join(", ")} is missing.`,
    ]);
  return rows.map(({ cells, line }) => {
    const [conversation = "", turnText = "", field = "", value = ""] = places.map(
      (place) => cells[place]?.trim() ?? "",
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

/** The cells of each line that is not empty (RFC 4180). */
function cellsOf(
  text: string,
  file: string,
): readonly { readonly cells: readonly string[]; readonly line: number }[] {
  const rows: { readonly cells: readonly string[]; readonly line: number }[] = [];
  let cells: string[] = [];
  let [line, start] = [1, 1];
  const pattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null)
      throw new RunError([
        `${file}:${line}: This line cannot be read as CSV. A quote inside quotes is written twice.`,
      ]);
    const [whole, quoted, plain = "", end] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split("\n").length - 1;
    if (end === ",") continue;
    if (cells.some((cell) => cell.trim() !== "")) rows.push({ cells, line: start });
    [cells, start] = [[], line];
  }
  return rows;
}
