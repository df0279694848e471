export type { CellTally, OutcomeScore } from "../journal/fold/tally.ts";
export type { JudgeAnswered, JudgeCounts, JudgeHealth, JudgeReason } from "../journal/judge-health.ts";
export { memoryStore } from "../journal/store/memory-store.ts";
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
  StoreSize,
} from "../journal/store/store.ts";
export { type CallRow, callTable } from "../journal/transfer/call-rows.ts";
export { exportRun } from "../journal/transfer/export-run.ts";
export { type ImportOptions, importRun } from "../journal/transfer/import-run.ts";
export { toParquet } from "../journal/transfer/parquet.ts";
export { textLines } from "../journal/transfer/run-file.ts";
export { cassetteFromRun, storedDefinitions } from "../journal/transfer/stored-run.ts";
export { toCsv, toJson } from "../journal/transfer/table-text.ts";
export {
  type CellColumns,
  type CellValue,
  type ConversationRow,
  conversationTable,
  type OutcomeRow,
  outcomeTable,
  type Table,
  type TableRow,
  type TurnRow,
  turnTable,
} from "../journal/transfer/tables.ts";
export { whyMiss } from "../run/calls/call-cache.ts";
export { type MergeOptions, mergeRuns, type ShardStore } from "../scale/merge-runs.ts";
