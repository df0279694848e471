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
