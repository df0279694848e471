import { provideLiquid } from "../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../run/liquid-library.ts";

export { type InspectLog, type InspectOptions, inspectLogs } from "../interchange/inspect/inspect-log.ts";
export { InspectLogError, type InspectRecord, readInspectLog } from "../interchange/inspect/read-log.ts";
export {
  type ImportedScenario,
  type ImportOptions,
  KareninaError,
  type KareninaImport,
  type RefusedScenario,
  readKarenina,
} from "../interchange/karenina/read-karenina.ts";
export type { ImportNote } from "../interchange/karenina/scenario-reader.ts";
export {
  type ExportOptions,
  type KareninaExport,
  toKarenina,
} from "../interchange/karenina/write-karenina.ts";

provideLiquid(loadLiquid);
