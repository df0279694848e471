import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Browser, chromium as playwright } from "playwright-core";

/** How long a browser may take to start where other tests keep the machine busy. */
const STARTING_MS = 60_000;

let shared: Promise<Browser | undefined> | undefined;

/** A real browser for a file of tests; undefined where none can run. */
export function sharedBrowser(): Promise<Browser | undefined> {
  shared ??= launch();
  return shared;
}

/** Closes it. */
export async function closeBrowser(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}

async function launch(): Promise<Browser | undefined> {
  const tries = process.platform === "linux" && process.arch === "x64" ? [bundled, installed] : [installed];
  for (const attempt of tries) {
    try {
      return await attempt();
    } catch {
      // The next one, or none.
    }
  }
  process.stderr.write("No browser can run here, so that the tests of the viewer's pages are skipped.\n");
  return undefined;
}

/** The one that comes with a package. */
async function bundled(): Promise<Browser> {
  const { default: chromium } = await import("@sparticuz/chromium");
  // What is tested must not be switched off; and one process for all pages ends with the first page.
  const off = [
    "--disable-web-security",
    "--allow-running-insecure-content",
    "--single-process",
    "--no-zygote",
  ];
  const args = chromium.args.filter((argument) => !off.includes(argument));
  const executablePath = await unpacked(chromium);
  return playwright.launch({ executablePath, args, timeout: STARTING_MS });
}

/**
 * The program of the browser. The package unpacks it into the folder for temporary files and takes whatever file is there for the whole
 * program, also one that another process is still writing. So it is unpacked into a new folder, which then gets its name.
 */
async function unpacked(chromium: { executablePath(): Promise<string> }): Promise<string> {
  const folder = join(tmpdir(), `elenchus-browser-${process.getuid?.()}-${packageVersion()}`);
  if (!existsSync(folder)) {
    const fresh = mkdtempSync(`${folder}-`);
    const { TMPDIR } = process.env;
    // Read before the first wait.
    process.env.TMPDIR = fresh;
    const done = chromium.executablePath();
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await done;
    try {
      renameSync(fresh, folder);
    } catch {
      // Another process was first.
      rmSync(fresh, { recursive: true });
    }
  }
  return join(folder, "chromium");
}

function packageVersion(): string {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const { version } = JSON.parse(readFileSync(join(dirname(main), "../package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

function installed(): Promise<Browser> {
  return playwright.launch({ channel: "chrome", timeout: STARTING_MS });
}
