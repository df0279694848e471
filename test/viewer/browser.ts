import { type Browser, chromium as playwright } from "playwright-core";

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
  return playwright.launch({ executablePath: await chromium.executablePath(), args });
}

function installed(): Promise<Browser> {
  return playwright.launch({ channel: "chrome" });
}
