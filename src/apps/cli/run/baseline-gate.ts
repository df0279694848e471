import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { nameHint } from "../../../core/schema/nearest-name.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import {
  CHANGED_ROW,
  type Comparison,
  compareAll,
  runSide,
} from "../../../insight/report/data/compare-sides.ts";
import { runFacts } from "../../../insight/report/data/run-facts.ts";
import type { RunRates } from "../../../insight/report/data/run-rates.ts";
import {
  parseWorseLimit,
  type ThresholdResult,
  testLimits,
  type WorseLimit,
} from "../../../insight/report/data/thresholds.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { OptionsOf } from "../command.ts";
import type { RUN } from "../commands/run-commands.ts";
import { type ComparedRun, comparedRun } from "../look/find-sides.ts";
import { outcomeNames } from "./thresholds.ts";

/** Compares a finished run with the baseline. */
export type Gate = (run: string, rates: RunRates, minDecided: number) => readonly ThresholdResult[];

/**
 * Reads the baseline before the first call. Refuses limits without a baseline, unknown outcomes, and a baseline that has no scenario or no
 * subject in common with the run.
 */
export async function prepareGate(
  { baseline, failIfWorse = [], acrossVersions }: OptionsOf<typeof RUN>,
  {
    store,
    scenarios,
    subjects,
  }: {
    readonly store: Store;
    readonly scenarios: readonly ScenarioDefinition[];
    readonly subjects: readonly string[];
  },
  terminal: Terminal,
): Promise<Gate | undefined> {
  if (baseline === undefined) {
    if (failIfWorse.length === 0) return undefined;
    throw new ProjectError(["--fail-if-worse needs something to compare with: --baseline <run or file>"]);
  }
  const limits = limitsOf(failIfWorse, scenarios);
  const before = await comparedRun(store, baseline, terminal.folder);
  const pairs = subjects.map((subject) => [subject, partnerOf(subject, before, subjects)] as const);
  refuseOtherScenarios(before, scenarios, { acrossVersions, terminal });
  return (run, rates, minDecided) => {
    const compared = compareAll(
      pairs.map(
        ([subject, partner]) =>
          [before.side(partner), { ...runSide(store, run, subject), label: subject }] as const,
      ),
      { acrossVersions, names: [...new Set(limits.map(({ outcome }) => outcome))] },
    );
    for (const { reason, count, examples } of compared.flatMap(({ unpaired }) => unpaired))
      if (reason === CHANGED_ROW)
        terminal.messages.write(
          `Left out of the comparison with the baseline: ${countedText(count, "conversation")}, ${reason} (${printableText(examples.join(", "))}). To compare them: --across-versions\n`,
        );
    const facts = runFacts(store, [run]);
    const isBad = (name: string): boolean => {
      const rate = facts.rates.get(name);
      const outcome = rate?.of ?? rate?.mean ?? name;
      return (
        rate?.good === false || [...facts.scenarios.values()].some(({ good }) => good.get(outcome) === false)
      );
    };
    return testLimits(compared as readonly Comparison[], limits, { isBad, rates, minDecided });
  };
}

function limitsOf(texts: readonly string[], scenarios: readonly ScenarioDefinition[]): readonly WorseLimit[] {
  const known = outcomeNames(scenarios);
  const problems: string[] = [];
  const limits = texts.flatMap((text) => {
    const limit = parseWorseLimit(text);
    if (typeof limit === "string") problems.push(limit);
    else if (known.has(limit.outcome)) return [limit];
    else
      problems.push(
        `No scenario has an outcome or rate "${limit.outcome}". ${nameHint(limit.outcome, known)}`,
      );
    return [];
  });
  if (problems.length > 0) throw new ProjectError(problems);
  if (limits.length === 0)
    throw new ProjectError([
      "--baseline needs to know what may not get worse: --fail-if-worse resisted=0.05",
    ]);
  return limits;
}

/** The same subject of the baseline, or its only one. */
function partnerOf(subject: string, before: ComparedRun, subjects: readonly string[]): string {
  if (before.subjects.includes(subject)) return subject;
  const [only] = before.subjects;
  if (before.subjects.length === 1 && subjects.length === 1 && only !== undefined) return only;
  throw new ProjectError([
    `The baseline ${before.name} has no subject "${subject}". It has ${before.subjects.join(", ")}.`,
  ]);
}

function refuseOtherScenarios(
  before: ComparedRun,
  scenarios: readonly ScenarioDefinition[],
  { acrossVersions, terminal }: { readonly acrossVersions: boolean; readonly terminal: Terminal },
): void {
  const hashes = new Map<string, string>();
  for (const { scenario, scenarioHash } of before.side().scores()) hashes.set(scenario, scenarioHash);
  const shared = scenarios.filter(({ name }) => hashes.has(name));
  if (shared.length === 0)
    throw new ProjectError([
      `The baseline ${before.name} has none of these scenarios. It has ${[...hashes.keys()].slice(0, 5).join(", ")}.`,
    ]);
  const changed = shared.filter(({ name, hash }) => hashes.get(name) !== hash);
  if (changed.length === 0 || acrossVersions) return;
  const named = changed
    .slice(0, 5)
    .map(({ name, hash }) => `${name} (${hashes.get(name)?.slice(0, 12)}, now ${hash.slice(0, 12)})`);
  const sentence = `The baseline has other versions of ${named.join(", ")}${changed.length > 5 ? ", …" : ""}.`;
  if (changed.length === shared.length)
    throw new ProjectError([`${sentence} Make a new baseline, or compare anyway: --across-versions`]);
  terminal.messages.write(`${sentence} They are left out. To compare them: --across-versions\n`);
}
