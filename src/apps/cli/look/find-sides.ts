import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { nameHint } from "../../../core/schema/nearest-name.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { importRun } from "../../../engine/journal/transfer/import-run.ts";
import { isBaseline, readBaseline } from "../../../insight/report/data/baseline.ts";
import { runSide, type Side } from "../../../insight/report/data/compare-sides.ts";
import { readBytes } from "../../../system/files/read-text-file.ts";
import { ProjectError } from "../../project/project-error.ts";
import { findRun } from "../stored-runs.ts";

/** Files of runs may be large. */
const LARGEST_MB = 500;

/** A run that takes part in a comparison: one of the store, a run's file, or a baseline file. */
export interface ComparedRun {
  readonly name: string;
  readonly subjects: readonly string[];
  /** All of its conversations, or those of a subject. */
  readonly side: (subject?: string) => Side;
}

/** Finds a run by its name, or reads it from a file that `export` wrote. */
export async function comparedRun(
  store: Store | undefined,
  name: string | undefined,
  folder: string,
): Promise<ComparedRun> {
  const known = store !== undefined && (name === undefined || store.run(name) !== undefined);
  const path = name === undefined ? undefined : resolve(folder, name);
  if (!known && name !== undefined && path !== undefined && existsSync(path)) return fromFile(name, path);
  if (store === undefined)
    throw new ProjectError([
      name === undefined
        ? "There are no runs in the store yet. Start one: elenchus run"
        : `There is no run and no file "${name}". Name a run of the store, or a file that export wrote.`,
    ]);
  const { run, start } = findRun(store, name);
  return { name: run, subjects: start.subjects, side: (subject) => runSide(store, run, subject) };
}

async function fromFile(name: string, path: string): Promise<ComparedRun> {
  const content = readBytes(path, name, { largestMb: LARGEST_MB });
  if ("problem" in content) throw new ProjectError([content.problem]);
  const { bytes } = content;
  if (!isBaseline(new TextDecoder().decode(bytes.subarray(0, 1000)))) {
    const store = memoryStore();
    const { run } = await importRun(store, [bytes]);
    const { start } = findRun(store, run);
    return { name, subjects: start.subjects, side: (subject) => runSide(store, run, subject) };
  }
  const { side, subjects } = readBaseline(new TextDecoder().decode(bytes), name);
  return {
    name,
    subjects,
    side: (subject) => ({
      ...side,
      label: subject ?? side.label,
      scores: function* (options) {
        for (const score of side.scores(options))
          if (subject === undefined || score.subject === subject) yield score;
      },
    }),
  };
}

/** The conversations of a subject in several runs, as one side. */
function subjectSide(runs: readonly ComparedRun[], subject: string): Side {
  const own = runs.filter(({ subjects }) => subjects.includes(subject));
  if (own.length === 0) {
    const names = new Set(runs.flatMap(({ subjects }) => subjects));
    throw new ProjectError([`There is no subject "${subject}". ${nameHint(subject, names)}`]);
  }
  const sides = own.map(({ side }) => side(subject));
  const [first] = sides as [Side];
  if (sides.length === 1) return first;
  return {
    ...first,
    label: subject,
    scores: function* (options) {
      for (const side of sides) yield* side.scores(options);
    },
  };
}

/**
 * The pairs to compare. Two runs are compared subject by subject where they share subjects, otherwise as a whole if each has one. Within
 * one run, or with `--subject`, subjects are compared with each other: all pairs, or each with the baseline.
 */
export function sidePairs(
  runs: readonly ComparedRun[],
  { subjects, baseline }: { readonly subjects: readonly string[]; readonly baseline: string | undefined },
): readonly (readonly [Side, Side])[] {
  const all = [...new Set(runs.flatMap((run) => run.subjects))];
  const [a, b, ...more] = runs;
  if (a && b && more.length === 0 && subjects.length < 2 && baseline === undefined) {
    if (subjects.length === 1) {
      const [subject = ""] = subjects;
      return [[named(a, subject), named(b, subject)]];
    }
    const shared = a.subjects.filter((subject) => b.subjects.includes(subject));
    if (shared.length > 0) return shared.map((subject) => [named(a, subject), named(b, subject)]);
    if (a.subjects.length === 1 && b.subjects.length === 1)
      return [[a.side(a.subjects[0]), b.side(b.subjects[0])]];
    throw new ProjectError([
      `The runs ${a.name} (${a.subjects.join(", ")}) and ${b.name} (${b.subjects.join(", ")}) share no subject. Say which to compare: --subject <a> --subject <b>`,
    ]);
  }
  const chosen = subjects.length === 0 ? all : subjects;
  if (baseline !== undefined) {
    const others = chosen.filter((subject) => subject !== baseline);
    if (others.length === 0)
      throw new ProjectError([
        `There is nothing to compare with the baseline "${baseline}": name another subject.`,
      ]);
    return others.map((subject) => [subjectSide(runs, baseline), subjectSide(runs, subject)]);
  }
  if (chosen.length < 2)
    throw new ProjectError([
      `There is only one subject (${chosen.join(", ")}) to compare. Name two runs, or two subjects: elenchus compare <a> <b>`,
    ]);
  return chosen.flatMap((first, i) =>
    chosen.slice(i + 1).map((second) => [subjectSide(runs, first), subjectSide(runs, second)] as const),
  );
}

function named(run: ComparedRun, subject: string): Side {
  const side = subjectSide([run], subject);
  return { ...side, label: `${subject}, run ${run.name}` };
}
