import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { capitalFiles } from "../cli/capitals.ts";
import { type PatientServer, patientServer } from "../cli/patient-server.ts";
import { closeBrowser, sharedBrowser } from "./browser.ts";
import { ViewedStore } from "./viewed-store.ts";

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await sharedBrowser();
});
beforeEach(({ skip }) => skip(browser === undefined));
afterAll(() => closeBrowser());

async function newContext(): Promise<BrowserContext> {
  if (browser === undefined) throw new Error("skipped");
  const context = await browser.newContext();
  context.setDefaultTimeout(80_000);
  onTestFinished(() => context.close());
  return context;
}

function newStore(server?: PatientServer): ViewedStore {
  const store = new ViewedStore(server?.environment);
  onTestFinished(() => store.remove());
  return store;
}

async function textOf(page: Page): Promise<string> {
  return (await page.locator("main").textContent()) ?? "";
}

test("a run is shown as it goes on; deleted, it says so in every tab; a server that is gone, too", async () => {
  const server = await patientServer();
  const store = newStore(server);
  store.write(capitalFiles());
  const run = store.start(["run", "capitals", "--subject", "openai/gpt-5-mini", "--name", "live", "--quiet"]);
  const over = new Promise((resolve) => run.once("close", resolve));
  await server.until(({ calls }) => calls.length === 6);
  const url = await store.view("live");
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(url.href);
  await page.getByText("running, 0 of 6 (0 %)").waitFor();
  server.open();
  await over;
  await page.getByText("done", { exact: true }).waitFor();
  expect(await textOf(page)).toContain("6 conversations");

  // A second tab needs no token: the cookie is that of the first.
  const tab = await context.newPage();
  await tab.goto(`${url.origin}/#/`);
  await tab.getByRole("button", { name: "delete run live" }).click();
  await tab.getByRole("button", { name: "Delete", exact: true }).click();
  await tab.getByRole("heading", { name: "No runs yet" }).waitFor();
  await page.reload();
  await page.getByText('There is no run "live" in this store').waitFor();
  await store.stop();
  await tab.evaluate("location.hash = '#/run/other'");
  await tab.getByRole("heading", { name: "The server is gone" }).waitFor();
});

const HOSTILE = [
  `<script>window.hacked = 1</script><img src="http://evil.example/x.png" onerror="window.hacked = 1">`,
  `[click](javascript:window.hacked=1) http://evil.example/ </div></main>`,
  `turned \u202e around \u2066 and \u0007 rung \u200b`,
].join("\n");

test("a reply is text, whatever it holds, and however long it is", async () => {
  const long = "It goes on and on. ".repeat(270_000);
  const server = await patientServer((texts) => (texts.length > 1 ? long : HOSTILE));
  server.open();
  const store = newStore(server);
  store.write({
    "hostile.yaml": [
      "version: 1",
      "scenarios:",
      "  - name: '<b>hostile</b>'",
      "    entry: ask",
      "    nodes:",
      "      ask: { question: { question: '<i>What?</i>', rawAnswer: x } }",
      "      more: { question: { question: Go on., rawAnswer: x } }",
      "    edges: [{ source: ask, target: more }, { source: more, target: END }]",
      "    outcomes: []",
    ].join("\n"),
  });
  const { code, said } = await store.give(
    ..."run hostile.yaml --subject openai/gpt-5-mini --judge rules --name hostile --quiet".split(" "),
  );
  expect([code, said]).toEqual([0, expect.any(String)]);
  const url = await store.view("hostile");
  const page = await (await newContext()).newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).host));
  await page.goto(url.href);
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.locator(".entry").first().click();
  await page.getByText("onerror=").waitFor();
  const text = await textOf(page);
  expect(text).toContain(`<script>window.hacked = 1</script><img src="http://evil.example/x.png"`);
  expect(text).toContain("<b>hostile</b>");
  expect(text).toContain("U+202E");
  expect(text).toContain("U+0007");
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(
    await page.locator("main img, main script, main a[href^='http'], main a[href^='javascript']").count(),
  ).toBe(0);
  expect(new Set(asked)).toEqual(new Set([url.host]));
  // Of five megabytes only the beginning is drawn.
  expect(text.length).toBeLessThan(50_000);
  await page.getByRole("button", { name: /show more/ }).click();
  await expect.poll(async () => (await textOf(page)).length).toBeGreaterThan(100_000);
});

test("a store that somebody has tampered with breaks no page", async () => {
  const store = newStore();
  const { code, said } = await store.give(
    ..."run pack:pressure --tag biology --scenario pressure/authority-first --subject sim/sycophant --judge rules --name odd --quiet".split(
      " ",
    ),
  );
  expect([code, said]).toEqual([0, expect.any(String)]);
  const database = new Database(store.path);
  database.exec(`UPDATE turn SET verdict = '<b>weird</b>', node = '__proto__' WHERE turn = 2;
    UPDATE conversation SET status = 'odd_status', cost = -1e308, started_at = 9e999;
    UPDATE outcome SET kind = 'zzz', value = 3e300, status = '<i>';
    UPDATE run SET tags = '["<img src=x>"]';
    UPDATE OR IGNORE tally SET name = 'constructor' WHERE kind = 'turn';`);
  database.close();
  const url = await store.view();
  const page = await (await newContext()).newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url.href);
  await page.getByRole("link", { name: "odd", exact: true }).waitFor();
  for (const hash of [
    "#/run/odd",
    "#/run/odd/conversations",
    "#/run/odd/scenario/pressure%2Fauthority-first",
    "#/run/odd/curves",
  ]) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator("main h1").waitFor();
    expect([hash, (await textOf(page)).length > 10]).toEqual([hash, true]);
  }
  await page.evaluate("location.hash = '#/run/odd/conversations'");
  await page.locator(".entry").first().click();
  await page.locator(".chat-turn").first().waitFor();
  expect(await page.locator("main b, main i, main img").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("an export opens from disk: a folder, and one file without texts", async () => {
  const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  const server = await patientServer(() => `Ankara, and my key is ${secret}`);
  server.open();
  const store = newStore(server);
  store.write(capitalFiles());
  await store.give(..."run capitals --subject openai/gpt-5-mini --name one --quiet".split(" "));
  expect((await store.give("view", "one", "--export", "out")).said).toMatch(
    /Wrote run one, .* Open out\/index.html/,
  );
  expect(await store.give("view", "one", "--export", "out")).toEqual({
    code: 2,
    said: expect.stringContaining("out exists already"),
  });
  expect((await store.give("view", "--export", "one.html", "--single", "--no-texts")).code).toBe(0);
  const parts = (text: string): string =>
    [...text.matchAll(/[",>]([A-Za-z0-9+/=]{40,})["<]/g)]
      .map(([, part]) => gunzipSync(Buffer.from(part ?? "", "base64")).toString())
      .join("\n");
  const whole = parts(readFileSync(join(store.folder, "out", "data", "conversations-0.js"), "utf8"));
  expect(whole).toContain("Ankara");
  expect(whole).not.toContain(secret);
  expect(whole).not.toContain(store.folder);
  const bare = parts(readFileSync(join(store.folder, "one.html"), "utf8"));
  expect(bare).toContain('"reply":"(text left out)"');
  expect(bare).not.toContain("Ankara");
  expect(existsSync(join(store.folder, "out", "viewer.js"))).toBe(true);
  const page = await (await newContext()).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  for (const [file, reply, call] of [
    ["out/index.html", "my key is [redacted]", '"model": {'],
    ["one.html", "(text left out)", "Requests and responses are texts, and this export has none."],
  ] as const) {
    await page.goto(`${pathToFileURL(join(store.folder, file)).href}#/run/one/conversations`);
    await page.reload();
    await page.locator(".entry").first().click();
    await page.getByText(reply).first().waitFor();
    await page.getByRole("button", { name: "request and response" }).first().click();
    await page.getByText(call).first().waitFor();
    await page.getByRole("link", { name: "Results" }).click();
    await page.getByRole("heading", { name: "one" }).waitFor();
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
  }
  expect(complaints).toEqual([]);
});
