export type { CellTally, OutcomeScore } from "../../engine/journal/fold/tally.ts";
export type {
  JudgeAnswered,
  JudgeCounts,
  JudgeHealth,
  JudgeReason,
} from "../../engine/journal/judge-health.ts";
export { memoryStore } from "../../engine/journal/store/memory-store.ts";
export type {
  CallClaim,
  CallStore,
  ConversationFilter,
  ConversationScore,
  ConversationSummary,
  NodeTurns,
  ResultRow,
  RunCalls,
  RunJournal,
  RunSummary,
  ScoredTurn,
  ScoreOptions,
  Store,
  StoreOptions,
} from "../../engine/journal/store/store.ts";

export { exportRun } from "../../engine/journal/transfer/export-run.ts";
export { type ImportOptions, importRun } from "../../engine/journal/transfer/import-run.ts";
export { toParquet } from "../../engine/journal/transfer/parquet.ts";
export { cassetteFromRun, storedDefinitions } from "../../engine/journal/transfer/stored-run.ts";
export { toCsv, toJson } from "../../engine/journal/transfer/table-text.ts";
export {
  type CallRow,
  type CellColumns,
  type CellValue,
  type ConversationRow,
  callTable,
  conversationTable,
  type OutcomeRow,
  outcomeTable,
  type Table,
  type TableRow,
  type TurnRow,
  turnTable,
} from "../../engine/journal/transfer/tables.ts";
export { whyMiss } from "../../engine/run/calls/call-cache.ts";
export { type MergeOptions, mergeRuns, type ShardStore } from "../../engine/scale/merge-runs.ts";
