import { openRunBrowser } from "../../journal/store/run-browser.ts";
import { packageVersion } from "../../project/package-files.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { readPageFiles } from "../../viewer/server/page-files.ts";
import { writeExport } from "../../viewer/server/write-export.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";

/** The options of `view --export`. */
export interface ExportViewOptions {
  readonly settings: SettingsRequest;
  /** Default: the latest run. */
  readonly run?: string;
  readonly path: string;
  readonly isSingle: boolean;
  readonly hasTexts: boolean;
}

/** Writes a run as pages that open from a disk. */
export async function exportView(options: ExportViewOptions, terminal: Terminal): Promise<ExitCode> {
  const { settings } = await readSettings(options.settings, terminal);
  const { pageFolder } = await import("./view.ts");
  const page = readPageFiles(pageFolder());
  await withRuns(settings.store, async (store) => {
    const summary = findRun(store, options.run);
    const browser = await openRunBrowser(settings.store);
    try {
      const viewed = { store, browser, version: packageVersion() };
      const { path, isSingle, hasTexts } = options;
      const written = await writeExport(viewed, summary, page, {
        path,
        isSingle,
        hasTexts,
        folder: terminal.folder,
      });
      const size = `${(written.bytes / 1e6).toFixed(1)} MB`;
      terminal.output.write(`Wrote run ${summary.run}, ${size}. Open ${written.file} in a browser.\n`);
    } finally {
      browser.close();
    }
  });
  return 0;
}
