/** Writes the pictures of the viewer in docs/viewer from a run with simulated subjects. Run by `npm run screenshots`. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closeBrowser, sharedBrowser } from "../test/viewer/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "dist", "cli.js");
const pictures = join(root, "docs", "viewer");
const folder = mkdtempSync(join(tmpdir(), "elenchus-screenshots-"));
const subjects = ["sim/steadfast", "sim/waverer", "sim/sycophant"];

/** Each page with the height of its picture. */
const PAGES: readonly (readonly [name: string, hash: string, height: number])[] = [
  ["run", "#/run/pressure", 620],
  ["scenario", "#/run/pressure/scenario/pressure%2Fauthority-first?node=doubt", 640],
  [
    "compare",
    `#/run/pressure/compare?a=${encodeURIComponent("sim/steadfast")}&b=${encodeURIComponent("sim/waverer")}`,
    560,
  ],
  ["curves", "#/run/pressure/curves", 500],
];

const browser = await sharedBrowser();
if (browser === undefined) throw new Error("The pictures need a browser.");
execFileSync(
  process.execPath,
  [
    program,
    ..."run pack:pressure --judge rules --replicates 3 --name pressure --quiet".split(" "),
    ...subjects.flatMap((subject) => ["--subject", subject]),
  ],
  { cwd: folder, stdio: "ignore" },
);
const server = spawn(process.execPath, [program, "view", "--no-open"], { cwd: folder });
try {
  const url = await new Promise<string>((resolve) => {
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      const found = /http:\/\/\S+/.exec(text);
      if (found !== null) resolve(found[0]);
    });
  });
  mkdirSync(pictures, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 1180, height: 700 } });
  await page.goto(url);
  const take = async (name: string, height: number): Promise<void> => {
    await page.waitForLoadState("networkidle");
    await page.setViewportSize({ width: 1180, height });
    await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" });
  };
  for (const [name, hash, height] of PAGES) {
    await page.evaluate(`window.location.hash = ${JSON.stringify(hash)}`);
    await page.locator("h1").waitFor();
    // Pages with a live connection are never idle; what they show is there when their last part is.
    await page.waitForTimeout(1_500);
    const waiting = page.getByText(/Computing intervals|Loading/).first();
    await waiting.waitFor({ state: "detached", timeout: 60_000 });
    await take(name, height);
  }
  await page.evaluate(
    `window.location.hash = "#/run/pressure/conversations?scenario=pressure%2Fauthority-first&subject=sim%2Fwaverer"`,
  );
  await page.locator(".entry").nth(1).click();
  await page.locator(".chat-turn").nth(2).click();
  await page.evaluate("window.scrollTo(0, 0)");
  await page.waitForTimeout(500);
  await take("conversation", 620);
} finally {
  server.kill();
  await closeBrowser();
  rmSync(folder, { recursive: true, force: true });
}
