import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { withoutUndefined } from "../../../core/values/json.ts";
import { openRunBrowser } from "../../../engine/journal/store/run-browser.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { packageFolder } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import { readPageFiles } from "../../viewer/server/page-files.ts";
import { PortError, type RunningViewer, startViewer } from "../../viewer/server/start-viewer.ts";
import { writeExport } from "../../viewer/server/write-export.ts";
import { type ExitCode, type OptionsOf, STOP_SIGNALS } from "../command.ts";
import type { VIEW } from "../commands/look-commands.ts";
import { readSettings } from "../read-settings.ts";
import { findRun, openToWrite, withRuns } from "../stored-runs.ts";

type ViewOptions = OptionsOf<typeof VIEW>;

/** Serves the viewer until Ctrl-C, or writes a run as pages. */
export async function view(options: ViewOptions, terminal: Terminal): Promise<ExitCode> {
  const { run, texts, single } = options;
  // Whoever wants no texts must not be shown them.
  if (options.export === undefined && (single || !texts))
    throw new ProjectError([`${texts ? "--single" : "--no-texts"} needs --export <folder>.`]);
  const { settings } = await readSettings(options.settings, terminal);
  if (options.export !== undefined) return exportPages(options.export, { options, settings }, terminal);
  const name = await withRuns(settings.store, (store) =>
    run === undefined ? undefined : findRun(store, run).run,
  );
  const viewer = await serveStore(settings.store, options, terminal);
  await showAddress(viewer, { page: pageOf(name), opens: options.open }, terminal);
  terminal.messages.write("Press Ctrl-C to stop.\n");
  await interrupted();
  await viewer.close();
  return 0;
}

/** Starts a viewer of a store. */
async function serveStore(
  path: string,
  { port, host }: Partial<Pick<ViewOptions, "port" | "host">>,
  { messages }: Pick<Terminal, "messages">,
): Promise<RunningViewer> {
  if (host !== undefined && !isLoopback(host))
    messages.write(
      `warning: the viewer listens on ${host}. Anyone who can reach this machine and knows the address with its token can read all runs of the store.\n`,
    );
  try {
    return await startViewer({
      path,
      openToWrite,
      pageFolder: pageFolder(),
      ...withoutUndefined({ port, host }),
    });
  } catch (error) {
    if (error instanceof PortError) throw new ProjectError([error.message]);
    throw error;
  }
}

/** The folder of the page that the build has made. */
function pageFolder(): string {
  const folder = join(packageFolder(), "dist", "viewer");
  if (existsSync(folder)) return folder;
  throw new ProjectError([`The viewer's page is missing in ${folder}. Install elenchus again.`]);
}

/** Prints the address of a page, and opens it in a browser if wanted. */
async function showAddress(
  viewer: RunningViewer,
  { page, opens }: { readonly page: string; readonly opens: boolean },
  { output, messages }: Terminal,
): Promise<void> {
  output.write(`${viewer.url(page)}\n`);
  if (opens && !(await openInBrowser(viewer.oneTimeUrl(page))))
    messages.write("No browser could be opened. Open the address above in one.\n");
}

/** The part of an address that names the page of a run. */
function pageOf(run: string | undefined): string {
  return run === undefined ? "" : `#/run/${encodeURIComponent(run)}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/** Resolves at Ctrl-C, or another signal that stops a process. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.once(signal, () => resolve());
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // The empty text is the title of a window; without it, an address in quotes would be the title.
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the browser of the user; false if that cannot be done. */
function openInBrowser(url: string): Promise<boolean> {
  const [program, ...before] = OPENERS[process.platform] ?? ["xdg-open"];
  // `&` separates commands in Windows.
  const address = process.platform === "win32" ? url.replaceAll("&", "^&") : url;
  return new Promise((resolve) => {
    const child = spawn(program, [...before, address], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    child.once("spawn", () => {
      child.unref();
      // A program that is still running is the browser itself.
      setTimeout(() => resolve(true), 2_000).unref();
    });
  });
}

/** Writes a run as pages that open from a disk. */
async function exportPages(
  path: string,
  { options, settings }: { readonly options: ViewOptions; readonly settings: Settings },
  terminal: Terminal,
): Promise<ExitCode> {
  const page = readPageFiles(pageFolder());
  await withRuns(settings.store, async (store) => {
    const summary = findRun(store, options.run);
    const browser = await openRunBrowser(store.file ?? settings.store);
    try {
      const { single: isSingle, texts: hasTexts } = options;
      const { folder } = terminal;
      const written = await writeExport({ store, browser }, summary, page, {
        path,
        isSingle,
        hasTexts,
        folder,
      });
      const size = `${(written.bytes / 1e6).toFixed(1)} MB`;
      terminal.output.write(`Wrote run ${summary.run}, ${size}. Open ${written.file} in a browser.\n`);
    } finally {
      browser.close();
    }
  });
  return 0;
}

/** A run that can be seen in a browser. */
export interface ViewedRun {
  /** Its name, which is part of the address. */
  readonly run: string;
  /** Resolves at Ctrl-C. */
  untilStopped(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a viewer for a run that is about to start. */
export async function viewRun(
  store: string,
  name: string | undefined,
  terminal: Terminal,
): Promise<ViewedRun> {
  const run = name ?? randomBytes(6).toString("hex");
  const viewer = await serveStore(store, {}, terminal);
  // Standard output is for results.
  const messages = { ...terminal, output: terminal.messages };
  await showAddress(viewer, { page: pageOf(run), opens: true }, messages);
  return {
    run,
    untilStopped: async () => {
      terminal.messages.write("The viewer stays open. Press Ctrl-C to stop.\n");
      await interrupted();
    },
    close: () => viewer.close(),
  };
}
