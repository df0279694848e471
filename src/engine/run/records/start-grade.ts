import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { nameHint, nearestOf } from "../../../core/schema/nearest-name.ts";
import { RunError } from "../../journal/failure.ts";
import { openRows, type RowOptions } from "../open-rows.ts";
import {
  type GivenConversation,
  type GivenSource,
  type GivenSurvey,
  list,
  type RunInternals,
  type RunOptions,
} from "../run-options.ts";
import { type Run, startRun } from "../run-scenarios.ts";
import { conversationId } from "../set-up-run.ts";
import type { GivenRecord, ReadRecord } from "./given-record.ts";
import { labelsOf, silentModel } from "./known-replies.ts";

/** A record, and where it stands: `line 3 of records.jsonl`. */
export type LocatedRecord = ReadRecord & { readonly place: string };

/** Records that can be read from the beginning again. */
export type RecordSource = () => AsyncIterable<LocatedRecord> | Iterable<LocatedRecord>;

/** The options of grading: those of a run, but for what the records say. */
export type GradeOptions = Omit<RunOptions, "subjects" | "replicates" | "replay" | "tools">;

/** Grades conversations that exist already: an ordinary run, whose subjects are not asked. */
export function startGrade(given: GivenSource, options: GradeOptions, internals: RunInternals = {}): Run {
  return startRun(
    // The subjects are those that the records name; they are known once the run has looked at them.
    { ...options, subjects: silentModel("recorded") },
    { ...internals, given },
  );
}

/** The conversations of records, for scenarios. `survey` throws a `RunError` with all that is wrong with them. */
export function recordedConversations(
  records: RecordSource,
  options: Pick<GradeOptions, "scenarios"> & RowOptions,
): GivenSource {
  return new SurveyedRecords(records, options);
}

/** How many problems are reported. */
const SHOWN = 20;

class SurveyedRecords implements GivenSource {
  readonly #records: RecordSource;
  readonly #scenarios: ReadonlyMap<string, ScenarioDefinition>;
  readonly #options: RowOptions;
  /** The ids of the rows of each scenario that uses them. */
  readonly #rows = new Map<ScenarioDefinition, ReadonlySet<string>>();
  #survey: Promise<GivenSurvey> | undefined;

  constructor(
    records: RecordSource,
    { scenarios, ...options }: Pick<GradeOptions, "scenarios"> & RowOptions,
  ) {
    this.#records = records;
    this.#scenarios = new Map(list(scenarios).map((definition) => [definition.name, definition]));
    this.#options = options;
  }

  /** Reads all records once and keeps nothing but names: all problems are reported before the first is graded. */
  survey(): Promise<GivenSurvey> {
    this.#survey ??= this.#lookAtAll();
    return this.#survey;
  }

  async #lookAtAll(): Promise<GivenSurvey> {
    const problems: string[] = [];
    const subjects = new Set<string>();
    const places = new Map<string, string>();
    let root = "";
    let [count, replicates, needsReading, wrong] = [0, 1, false, 0];
    for (const definition of this.#scenarios.values()) {
      const dataset = await openRows(definition, this.#options);
      if (dataset === null) continue;
      const ids = new Set<string>();
      for await (const { id } of dataset) ids.add(id);
      this.#rows.set(definition, ids);
    }
    const report = (place: string, problem: string): void => {
      wrong++;
      if (problems.length < SHOWN) problems.push(`${place}: ${problem}${problem.endsWith("?") ? "" : "."}`);
    };
    for await (const { place, ...read } of this.#records()) {
      if ("problems" in read) {
        for (const problem of read.problems) report(place, problem);
        continue;
      }
      const { record } = read;
      const cell = this.#cell(record);
      for (const problem of this.#problems(record)) report(place, problem);
      const key = conversationId({ ...cell, index: 0, judge: "" });
      const { arm, ...whole } = cell;
      if (arm === undefined) root = key;
      else if (conversationId({ ...whole, index: 0, judge: "" }) !== root)
        report(
          place,
          `the arm "${arm}" must come right after the record of the conversation that it continues`,
        );
      const before = places.get(key);
      if (before !== undefined)
        report(
          place,
          `it is the same conversation as ${before}: the same subject${cell.row === undefined ? "" : ", row"} and replicate. Give them different rows or replicates`,
        );
      else places.set(key, place);
      if (arm === undefined) count++;
      subjects.add(record.subject);
      replicates = Math.max(replicates, cell.replicate);
      needsReading ||= isRead(record);
    }
    if (problems.length > 0)
      throw new RunError([...problems, ...(wrong > SHOWN ? [`And ${wrong - SHOWN} more.`] : [])]);
    if (count === 0) throw new RunError(["There are no records to grade."]);
    return { count, subjects: [...subjects], replicates, needsReading };
  }

  async *conversations(): AsyncGenerator<GivenConversation> {
    let found: { readonly root: GivenRecord; readonly arms: Map<string, GivenRecord> } | undefined;
    for await (const read of this.#records()) {
      // Problems of records have been reported already.
      if (!("record" in read)) continue;
      const { record } = read;
      if (record.arm !== undefined) {
        found?.arms.set(record.arm, record);
        continue;
      }
      if (found !== undefined) yield this.#conversation(found);
      found = { root: record, arms: new Map() };
    }
    if (found !== undefined) yield this.#conversation(found);
  }

  #conversation({
    root,
    arms,
  }: {
    readonly root: GivenRecord;
    readonly arms: ReadonlyMap<string, GivenRecord>;
  }): GivenConversation {
    return { cell: this.#cell(root), record: arms.size === 0 ? root : { ...root, arms } };
  }

  #cell({
    id,
    row,
    variant,
    arm,
    replicate = 1,
    subject,
    ...record
  }: GivenRecord): GivenConversation["cell"] {
    const [only] = this.#scenarios.keys();
    return {
      scenario: record.scenario ?? only ?? "",
      ...(row === null ? {} : { row: row ?? id }),
      ...(variant === undefined ? {} : { variant }),
      ...(arm === undefined ? {} : { arm }),
      subject,
      replicate,
    };
  }

  #problems({ scenario, id, row }: GivenRecord): readonly string[] {
    const names = [...this.#scenarios.keys()];
    if (scenario === undefined && names.length > 1)
      return [`\`scenario\` is missing, and there are several: ${names.join(", ")}`];
    const definition = this.#scenarios.get(scenario ?? names[0] ?? "");
    if (definition === undefined) {
      const { nearest } = nearestOf(scenario ?? "", names);
      const hint = nearest === undefined ? `There are ${names.join(", ")}` : `Did you mean "${nearest}"?`;
      return [`there is no scenario "${scenario}". ${hint}`];
    }
    const rows = this.#rows.get(definition);
    if (rows?.has(row ?? id) ?? true) return [];
    const hint = nameHint(row ?? id, rows ?? []).replace(/\.$/, "");
    return [`the scenario "${definition.name}" has no row "${row ?? id}". ${hint}`];
  }
}

/** True if a reply of the record must be read by rules or a judge. */
function isRead({ turns }: GivenRecord): boolean {
  return (
    turns === undefined || turns.some((turn) => turn.reply !== undefined && labelsOf(turn) === undefined)
  );
}
