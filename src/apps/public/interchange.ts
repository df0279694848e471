import { provideLiquid } from "../../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../../engine/run/liquid-library.ts";

export { type InspectLog, type InspectOptions, inspectLogs } from "../interchange/inspect/inspect-log.ts";
export { InspectLogError, type InspectRecord, readInspectLog } from "../interchange/inspect/read-log.ts";
export {
  type ExportOptions,
  type ImportedScenario,
  type ImportOptions,
  KareninaError,
  type KareninaExport,
  type KareninaImport,
  type RefusedScenario,
  readKarenina,
  toKarenina,
} from "../interchange/karenina/checkpoint.ts";
export type { ImportNote } from "../interchange/karenina/scenario-reader.ts";

provideLiquid(loadLiquid);
