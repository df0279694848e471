import { resolve } from "node:path";
import { withoutUndefined } from "../../../core/values/json.ts";
import {
  type RecordSource,
  recordedConversations,
  startGrade,
} from "../../../engine/run/records/start-grade.ts";
import { refuseDrafts } from "../../../engine/run/required-models.ts";
import { readBytes } from "../../../system/files/read-text-file.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { InspectLogError, readInspectLog } from "../../interchange/inspect/read-log.ts";
import { recordsIn, recordsOf } from "../../project/grade-records.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { GRADE } from "../commands/run-commands.ts";
import { printWarnings, readInput, readScenarios } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { openToWrite } from "../stored-runs.ts";
import { keepOrigin } from "../trust/run-origin.ts";
import { runAndReport } from "./run-and-report.ts";
import { usableThresholds } from "./thresholds.ts";

/** Grades recorded conversations and reports the results. */
export async function grade(options: OptionsOf<typeof GRADE>, terminal: Terminal): Promise<ExitCode> {
  const { scenario: names, display, allowDrafts, name } = options;
  const { settings } = await readSettings(options.settings, terminal, {
    runsCode: true,
    names,
    uses: "everything",
  });
  const everything = { ...settings, only: [], tags: [] };
  const scenarios = await readScenarios(names, everything, terminal, options.settings);
  refuseDrafts({ scenarios, allowDrafts });
  printWarnings(scenarios, terminal);
  const all = async (): Promise<typeof scenarios> => scenarios;
  const thresholds = await usableThresholds(settings, { chosen: scenarios, all }, terminal.messages);
  const records = recordedConversations(await recordSource(options.records, terminal), { scenarios });
  // Reads all records first: a broken record should not leave a store behind.
  await records.survey();
  const { subjects: _, replicates: __, tools: ___, ...runOptions } = runOptionsOf(settings);
  const store = await openToWrite(settings.store);
  try {
    const origin = await keepOrigin(
      { names, settings: options.settings, command: "grade" },
      settings.store,
      terminal,
    );
    return await runAndReport(
      (signal) =>
        startGrade(
          records,
          {
            ...runOptions,
            scenarios,
            allowDrafts,
            environment: terminal.environment,
            store,
            signal,
            keepResults: false,
            ...withoutUndefined({ run: name }),
          },
          { origin },
        ),
      { store, settings, thresholds, display },
      terminal,
    );
  } finally {
    await store.close();
  }
}

async function recordSource(file: string, terminal: Terminal): Promise<RecordSource> {
  if (isLog(file)) return inspectRecords(file, terminal);
  if (file !== "-") return recordsIn(resolve(terminal.folder, file), file);
  // Standard input can be read only once, and records are read twice.
  const lines = (await readInput(terminal)).split("\n").filter((line) => line.trim() !== "");
  return recordsOf(lines, "standard input, record");
}

/** Logs of Inspect have these endings; records are JSONL. */
function isLog(file: string): boolean {
  return /\.(?:eval|json)$/i.test(file);
}

function inspectRecords(file: string, { folder }: Terminal): RecordSource {
  const content = readBytes(resolve(folder, file), file, { largestMb: LARGEST_LOG_MB });
  if ("problem" in content) throw new ProjectError([content.problem]);
  try {
    const records = readInspectLog(content.bytes);
    // Reads all samples: problems are reported before the first conversation.
    for (const _ of records);
    return recordsOf(records, `${file}, sample`);
  } catch (error) {
    if (error instanceof InspectLogError)
      throw new ProjectError([`${file}: ${error.message}`], { cause: error });
    throw error;
  }
}

const LARGEST_LOG_MB = 2_000;
