import { RULES_JUDGE } from "../../../core/defaults.ts";
import { locatorOf } from "../../../core/scenario/define-scenario.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { issueSentence } from "../../../core/schema/format-issue.ts";
import type { Issue } from "../../../core/schema/issue.ts";
import { type JsonObject, withoutUndefined } from "../../../core/values/json.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import { openRows } from "../../../engine/run/open-rows.ts";
import {
  draftText,
  embedderProblems,
  isDraft,
  readByRules,
  simulatorProblems,
} from "../../../engine/run/required-models.ts";
import { resolveModels } from "../../../engine/run/resolve-models.ts";
import { findSourceProblems } from "../../../engine/run/sandbox/link-sources.ts";
import { lintScenario } from "../../../insight/analysis/lint/lint-scenario.ts";
import type { RunFacts } from "../../../insight/analysis/lint/lint-subject.ts";
import { type Finding, findingAt } from "../../../insight/report/ci/findings.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import type { FileProblem } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import { type LoadedScenario, loadScenarios } from "../../project/scenario-files/load-scenarios.ts";
import { selectScenarios } from "../../project/scenario-files/select-scenarios.ts";
import type { Settings } from "../../project/settings.ts";
import { readInput } from "../read-scenarios.ts";

/** A scenario with its findings. */
interface CheckedScenario extends LoadedScenario {
  readonly findings: readonly Finding[];
}

/** The results of `check`. */
export interface CheckReport {
  readonly scenarios: readonly CheckedScenario[];
  /** Problems of files whose scenarios cannot be read, and of what is not a file. */
  readonly files: readonly Finding[];
}

/** Reads, validates and lints the scenarios that a user names. */
export async function checkScenarios(
  names: readonly string[],
  settings: Settings,
  terminal: Terminal,
): Promise<CheckReport> {
  const loaded = await loadScenarios(names, { folder: terminal.folder, stdin: () => readInput(terminal) });
  const { scenarios, problems, skipped } = loaded;
  const isEmpty = problems.length > 0 && scenarios.length === 0;
  const hasJudge = await isJudged(settings);
  const checked: CheckedScenario[] = [];
  for (const scenario of isEmpty ? [] : await selectScenarios(scenarios, settings))
    checked.push({ ...scenario, findings: await findingsOf(scenario, settings, hasJudge) });
  return {
    scenarios: checked,
    files: [
      ...skipped.map(
        (message) => ({ code: "skipped_file", severity: "warning", message, file: "" }) as const,
      ),
      ...problems.map(problemFinding),
    ],
  };
}

/** A problem of a file. For a module, the message contains the place. */
function problemFinding({ file, message, issue }: FileProblem): Finding {
  if (issue === undefined) return { code: "unusable_file", severity: "error", message, file };
  const { code, path, position } = issue;
  if (position === undefined) return { code, severity: "error", message, file };
  return findingAt({ file, path, position }, { code, severity: "error", message: issueSentence(issue) });
}

async function findingsOf(
  { definition, file }: LoadedScenario,
  settings: Settings,
  hasJudge: boolean,
): Promise<readonly Finding[]> {
  const { name, warnings } = definition;
  const place = { file, scenario: name };
  const plain = (code: string, severity: Finding["severity"], message: string): Finding => {
    return { code, severity, message, file };
  };
  const broken = await findSourceProblems(definition);
  const { rows, problems: badRows } = await rowsOf(definition, settings);
  const isSound = broken.length + badRows.length === 0;
  const hasEmbedder = settings.embedder !== undefined;
  const hasSimulator = settings.simulator !== undefined;
  return [
    ...warnings.map((issue: Issue) =>
      findingAt(
        { ...place, path: issue.path, position: issue.position },
        { code: issue.code, severity: "warning", message: issueSentence(issue) },
      ),
    ),
    ...(isDraft(definition) ? [plain("draft", "warning", draftText(definition))] : []),
    ...embedderProblems(definition, hasEmbedder).map((text) => plain("needs_embedder", "warning", text)),
    ...simulatorProblems(definition, hasSimulator).map((text) => plain("needs_simulator", "warning", text)),
    ...(isSound
      ? await lintFindings(definition, { file, facts: { ...runFacts(settings), hasJudge, ...rows } })
      : []),
    ...broken.map(({ place: part, path, message }) => {
      const { position } = locatorOf(definition)({ code: "wrong_type", path, expected: "", received: "" });
      const sentence = `${part.charAt(0).toUpperCase()}${part.slice(1)} cannot be run: ${message}.`;
      return findingAt(
        { ...place, path, position },
        { code: "invalid_code", severity: "error", message: sentence },
      );
    }),
    ...badRows.map((message) => plain("bad_rows", "error", message)),
  ];
}

async function lintFindings(
  definition: ScenarioDefinition,
  { file, facts }: { readonly file: string; readonly facts: RunFacts },
): Promise<readonly Finding[]> {
  const findings = await lintScenario(definition, facts);
  return findings.map(({ scenario, path, position, ...found }) =>
    findingAt({ file, scenario, path, position }, found),
  );
}

function runFacts(settings: Settings): Omit<RunFacts, "rows" | "rowCount" | "hasJudge"> {
  const { budget, turnLimit, replicates, subjects, rubric, detectRefusal } = settings;
  return {
    hasBudget: Object.keys(budget).length > 0,
    turnLimit,
    replicates,
    subjects: Math.max(subjects.length, 1),
    ...withoutUndefined({ rubric, detectRefusal }),
  };
}

/** False if the replies of a subject are read by rules alone. Subjects that are still to be named are taken for models of providers. */
async function isJudged(settings: Settings): Promise<boolean> {
  if (settings.subjects.length === 0) return !settings.judges.includes(RULES_JUDGE);
  const options = { ...runOptionsOf(settings), scenarios: [], keyless: true };
  return readByRules(await resolveModels(options)).length === 0;
}

/** How many rows are examined. */
const MOST_ROWS = 5_000;

/** The first rows of the dataset of a scenario or of the command, and their problems. */
async function rowsOf(
  definition: ScenarioDefinition,
  { dataset, rows, skipBadRows }: Settings,
): Promise<{ readonly rows: Pick<RunFacts, "rows" | "rowCount">; readonly problems: readonly string[] }> {
  const none = { rows: [], rowCount: 0 };
  if (dataset === undefined && rows === undefined && definition.dataset === undefined)
    return { rows: none, problems: [] };
  try {
    const opened = await openRows(definition, { skipBadRows, ...withoutUndefined({ dataset, rows }) });
    if (opened === null) return { rows: none, problems: [] };
    const first: JsonObject[] = [];
    for await (const { values } of opened) if (first.push(values) >= MOST_ROWS) break;
    return { rows: { rows: first, rowCount: opened.count }, problems: [] };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { rows: none, problems: error.problems };
  }
}
