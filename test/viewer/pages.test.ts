import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { closeBrowser, sharedBrowser } from "./browser.ts";
import { ViewedStore } from "./viewed-store.ts";

const store = new ViewedStore();
let url: URL;
let context: BrowserContext;
let page: Page;
/** What the page complained about. */
const complaints: string[] = [];
let browser: Browser | undefined;

beforeEach(({ skip }) => skip(browser === undefined));
beforeAll(async () => {
  browser = await sharedBrowser();
  if (browser === undefined) return;
  const { code, said } = await store.give(
    ..."run pack:pressure --tag biology --scenario pressure/authority-first --scenario pressure/evidence-first".split(
      " ",
    ),
    ..."--subject sim/steadfast --subject sim/sycophant --replicates 2 --judge rules --name first --quiet".split(
      " ",
    ),
  );
  if (code !== 0) throw new Error(said);
  await store.give(
    ..."run pack:pressure --tag biology --scenario pressure/authority-first --subject sim/silent --judge rules --name silent --quiet".split(
      " ",
    ),
  );
  store.write({ "manners.yaml": MANNERS });
  await store.give(..."run manners.yaml --subject sim/steadfast --name manners --quiet".split(" "));
  url = await store.view();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A browser reports answers of 404 as errors of its own, whenever it gets to it.
    const isAsked = message.location().url.includes("/runs/nothing");
    // The library of the pictures sets a style attribute, which the policy refuses; the style sheet says the same.
    const isRefusedStyle = message.text().startsWith("Applying inline style violates");
    if (message.type() === "error" && !isAsked && !isRefusedStyle) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).hostname !== "127.0.0.1") complaints.push(`asked ${request.url()}`);
  });
  await page.goto(url.href);
});
afterAll(async () => {
  await closeBrowser();
  await store.remove();
});

const MANNERS = `
name: manners
entry: ask
nodes:
  ask:
    question: { question: Hello?, rawAnswer: "" }
    rubric: { traits: [{ type: regex, name: polite, pattern: "." }] }
outcomes: { calm: { lastTurn: { rubric.polite: true } } }
`;

async function open(hash: string): Promise<void> {
  await page.evaluate(`window.location.hash = ${JSON.stringify(hash)}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function textOf(): Promise<string> {
  return (await page.locator("main").textContent()) ?? "";
}

/** The size of the smallest text of the graph on the screen, in pixels. */
async function smallestText(): Promise<number> {
  return Number(
    await page.evaluate(`(() => {
      const sheet = document.querySelector(".graph-sheet");
      const { a: scale } = sheet.querySelector("svg").getScreenCTM();
      const texts = [...sheet.querySelectorAll("*")].filter((part) => part.children.length === 0 && part.textContent !== "");
      return Math.min(...texts.map((part) => scale * parseFloat(getComputedStyle(part).fontSize)));
    })()`),
  );
}

/** What axe finds that keeps people from using the page; of colours only, or of everything. */
async function seriousViolations(rules?: readonly string[]): Promise<readonly string[]> {
  // The policy of the page allows no script but its own; the debugger's is no part of the page.
  await page.evaluate(AXE);
  const options = rules === undefined ? {} : { runOnly: rules };
  const found = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  // As axe documents it.
  const violations = found as { id: string; impact: string; nodes: { html: string }[] }[];
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

test.runIf(process.platform === "linux")(
  "a browser gets an address that works once, and no token",
  async () => {
    const { opened } = await store.viewInBrowser();
    expect(opened.href).not.toContain("token");
    const own = await browser?.newContext();
    const first = await own?.newPage();
    if (own === undefined || first === undefined) return;
    await first.goto(opened.href);
    await first.getByRole("link", { name: "first" }).waitFor();
    expect(first.url()).toBe(`${opened.origin}/`);
    await first.reload();
    await first.getByRole("link", { name: "first" }).click();
    await first.getByRole("heading", { name: "first" }).waitFor();
    expect(await own.cookies()).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    // The browser may ask for the same address again, as when it restores its tabs.
    expect((await first.goto(opened.href))?.status()).toBe(200);
    await own.close();
  },
);

test.runIf(process.platform === "linux")(
  "another user who is quicker is shut out, and the page says so",
  async () => {
    const { opened, printed } = await store.viewInBrowser();
    const other = await fetch(opened);
    const cookie = other.headers.get("set-cookie")?.split(";")[0] ?? "";
    const asOther = async (): Promise<number> =>
      (await fetch(new URL("/api/runs", opened), { headers: { cookie } })).status;
    expect(await asOther()).toBe(200);
    const own = await browser?.newContext();
    const tab = await own?.newPage();
    expect((await tab?.goto(opened.href))?.status()).toBe(403);
    expect(await tab?.textContent("body")).toContain("another user of this machine may have");
    expect(await asOther()).toBe(403);
    expect((await tab?.goto(printed.href))?.status()).toBe(200);
    await own?.close();
  },
);

test("the list of runs leads to a run, a figure to its conversations, and back works", async () => {
  expect(page.url()).not.toContain("token");
  await page.getByRole("link", { name: "first" }).click();
  await page.getByRole("heading", { name: "first" }).waitFor();
  await page.getByRole("link", { name: /resisted of sim\/steadfast: 100 %/ }).click();
  await page.getByRole("heading", { name: "Conversations" }).waitFor();
  await expect.poll(() => page.locator(".entry").count()).toBe(4);
  expect(await page.getByLabel("outcome").inputValue()).toBe("resisted:decided");
  await page.getByLabel("scenario").selectOption("pressure/evidence-first");
  await expect.poll(() => page.locator(".entry").count()).toBe(2);
  expect(page.url()).toContain("evidence-first");
  await page.goBack();
  await page.getByRole("heading", { name: "first" }).waitFor();
});

test("a conversation is walked through with keys, and the graph follows", async () => {
  await open("#/run/first/conversations?subject=sim%2Fsycophant&scenario=pressure%2Fauthority-first");
  await page.locator(".entry").first().click();
  await page.getByRole("heading", { name: "turn 1 · ask" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("heading", { name: "turn 2 · authority" }).waitFor();
  const details = page.getByRole("complementary", { name: "turn 2" });
  const text = await details.textContent();
  expect(text).toContain("answer = mammal");
  expect(text).toContain('expected "fish"');
  expect(text).toMatch(/→ recover because verify_result = false/);
  expect(text).toContain("not doubt: fallback");
  await page.keyboard.press("g");
  await page.locator(".graph-node.current", { hasText: "authority" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.locator(".graph-node.current", { hasText: "recover" }).waitFor();
  await page.getByRole("button", { name: "after", exact: true }).click();
  const state = page.getByRole("table", { name: "state after turn 3" });
  expect(await state.locator("tr.changed", { hasText: "node_visits.recover" }).count()).toBe(1);
  expect(await state.locator("tr.changed", { hasText: "node_visits.ask" }).count()).toBe(0);
  await page.getByLabel("subject").selectOption("sim/steadfast");
  await page.getByRole("heading", { name: "turn 1 · ask" }).waitFor();
  await page.keyboard.press("c");
  await page.getByRole("heading", { name: "Compare" }).waitFor();
  expect(await page.locator(".pair-head").textContent()).toBe("sim/steadfast firstsim/sycophant first");
});

test("the graph shows traffic; a node lists its turns, an edge its conversations", async () => {
  await open("#/run/first/scenario/pressure%2Fauthority-first");
  const authority = page.locator(".graph-node", { hasText: "authority" });
  await authority.waitFor();
  await authority.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Turns at authority" }).waitFor();
  await expect.poll(() => page.locator(".graph-edge").count()).toBe(12);
  await page.locator(".graph-node", { hasText: "recover" }).click();
  await page.getByRole("heading", { name: "Turns at recover" }).waitFor();
  await expect.poll(() => page.locator(".entry").count()).toBe(2);
  await page.getByTitle(/^node_visits.repeat < 3, taken 4 and 0 times/).click();
  await page.getByRole("heading", { name: "Conversations that went from repeat to repeat" }).waitFor();
  await expect.poll(() => page.locator(".entry").count()).toBe(2);
  expect(await page.locator(".graph-edge.unused").count()).toBeGreaterThan(0);
  // What no conversation reached; replies that would reach it need the whole row, which a store does not have.
  const missed = page.getByRole("row", { name: "edge ask → END" });
  expect(await missed.textContent()).toContain("not known");
  await missed.getByRole("button").click();
  await page.getByRole("heading", { name: "Conversations that went from ask to END" }).waitFor();
  await page.getByText("No conversation of the chosen subjects.").waitFor();
  expect(await smallestText()).toBeGreaterThanOrEqual(12);
});

test("two subjects are aligned node by node, opened where they part", async () => {
  await open("#/run/first/compare?a=sim%2Fsteadfast&b=sim%2Fsycophant&outcome=resisted");
  await page.getByRole("link", { name: "pressure/authority-first" }).first().click();
  const parting = page.locator(".pair-turn.parting");
  await parting.waitFor();
  expect(await parting.textContent()).toMatch(/authority here they part.*✓ right.*✗ wrong/s);
  expect(await page.locator(".pair-turn").last().textContent()).toContain("did not come here");
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await seriousViolations()).toEqual([]);
  await page.emulateMedia({ colorScheme: null });
});

test("each picture of the curves has its table, and can be saved", async () => {
  await open("#/run/first/curves");
  const survival = page.getByRole("region", { name: "Survival of a right answer" });
  await survival.getByRole("img").waitFor();
  expect(await survival.getByRole("table").textContent()).toContain(
    "sim/sycophant140100 % 20–1002440 % 0–80",
  );
  for (const kind of ["SVG", "PNG"]) {
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      survival.getByRole("button", { name: kind }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`survival-of-a-right-answer.${kind.toLowerCase()}`);
  }
});

test("a person labels verdicts and fields with keys, and the labels are in the store", async () => {
  await open("#/run/first/review?kind=random&count=5&seed=3");
  await page.getByText("turn 1 of 5 · no verdict labelled yet").waitFor();
  await page.getByText("was read as").first().waitFor();
  expect(await textOf()).not.toContain('expected "');
  await page.keyboard.press("e");
  await page.getByText(/, expected "/).waitFor();
  await page.keyboard.press("y");
  await page.getByText(/you agree with 100 % 21–100 of 1 verdict/).waitFor();
  await page.keyboard.press("Space");
  await page.getByText("turn 2 of 5").waitFor();
  await page.getByText("was read as").first().waitFor();
  await page.keyboard.press("n");
  await page.getByText(/you agree with 50 % .* of 2 verdicts/).waitFor();
  await page.keyboard.press("2");
  await page.keyboard.press("u");
  await page.getByText("turn 1 of 5").waitFor();
  const labels = async (): Promise<readonly { field: string; value: unknown }[]> => {
    const found = await page.evaluate("fetch('/api/runs/first/review').then((answer) => answer.json())");
    return (found as { labels: { field: string; value: unknown }[] }).labels;
  };
  await expect.poll(async () => (await labels()).length).toBe(3);
  expect((await labels()).map(({ field }) => field).sort()).toEqual(
    [expect.any(String), "verify_result", "verify_result"].sort(),
  );
  await page.reload();
  await page.getByRole("button", { name: "verdict is right", pressed: true }).waitFor();
});

test("traits are labelled like fields, also of turns without a verdict", async () => {
  await open("#/run/manners/review");
  await page.getByText("rubric.polite was read as").waitFor();
  expect(await textOf()).not.toContain("The verdict");
  await page.keyboard.press("2");
  await page.getByRole("button", { name: "false", pressed: true }).waitFor();
  await expect
    .poll(() => page.evaluate("fetch('/api/runs/manners/review').then((answer) => answer.json())"))
    .toMatchObject({ labels: [{ turn: 1, field: "rubric.polite", value: false }] });
  const { said } = await store.give("show", "manners", "--agreement");
  expect(said).toContain("rubric.polite: 0.0 % equal");
  expect(said).toContain("person false, judge true: 1");
});

test("whether an unreadable reply is right or wrong is asked, not guessed", async () => {
  await open("#/run/silent/review?kind=unreadable");
  await page.getByText("The verdict: ? unread").waitFor();
  await page.keyboard.press("n");
  await page.keyboard.press("w");
  await page.getByRole("button", { name: "the reply is wrong", pressed: true }).waitFor();
  await page.getByText("you agree with 0 %").waitFor();
  const labels = (): Promise<unknown> =>
    page.evaluate("fetch('/api/runs/silent/review').then((answer) => answer.json())");
  await expect.poll(labels).toMatchObject({ labels: [{ turn: 1, field: "verify_result", value: false }] });
});

test("? lists the keys of the page", async () => {
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test.each([
  ["runs", "#/"],
  ["run", "#/run/first"],
  ["run by scenario", "#/run/first?by=scenario"],
  ["conversations", "#/run/first/conversations"],
  ["scenario", "#/run/first/scenario/pressure%2Fauthority-first"],
  ["compare", "#/run/first/compare"],
  ["curves", "#/run/first/curves"],
  ["review", "#/run/first/review?count=3"],
])("axe finds nothing serious on the page %s, light or dark", async (_, hash) => {
  await open(hash);
  await page.locator("h1").waitFor();
  expect(await seriousViolations()).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await seriousViolations(["color-contrast"])).toEqual([]);
  await page.emulateMedia({ colorScheme: null });
});

test("a narrow window needs no sideways scrolling of the page", async () => {
  await page.setViewportSize({ width: 480, height: 800 });
  for (const hash of [
    "#/",
    "#/run/first",
    "#/run/first/conversations",
    "#/run/first/scenario/pressure%2Fauthority-first",
  ]) {
    await open(hash);
    await page.locator("h1").waitFor();
    const isWider = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth");
    expect([hash, isWider]).toEqual([hash, false]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("who comes back finds a list as it was: order, how far it was scrolled, and the page", async () => {
  await page.setViewportSize({ width: 1280, height: 260 });
  try {
    await open("#/run/first/conversations?order=last");
    await expect.poll(() => page.locator(".entry").count()).toBeGreaterThan(4);
    const names = (): Promise<readonly string[]> => page.locator(".entry").allTextContents();
    const before = await names();
    expect(before[0]).toContain("sim/sycophant");
    await page.evaluate("document.querySelector('.virtual').scrollTop = 45");
    await page.evaluate("window.scrollTo(0, 40)");
    await expect.poll(() => page.evaluate("window.scrollY")).toBe(40);
    await page.locator(".entry").nth(3).click();
    await page.getByRole("heading", { name: "turn 1 · ask" }).waitFor();
    expect(await page.evaluate("window.scrollY")).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    expect(await page.getByLabel("order").inputValue()).toBe("last");
    await expect.poll(() => page.evaluate("document.querySelector('.virtual')?.scrollTop")).toBe(45);
    await expect.poll(() => page.evaluate("window.scrollY")).toBe(40);
    expect(await names()).toEqual(before);
    await open("#/run/first?sort=name&outcome=resisted");
    const scenarios = page.locator("table.heat tbody th");
    await expect
      .poll(() => scenarios.allTextContents())
      .toEqual([expect.stringContaining("row whale-shark"), expect.stringContaining("row base-in-rna")]);
  } finally {
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});

test("an unknown run, an unknown page: words and a way back", async () => {
  await open("#/run/nothing");
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").textContent()).toContain('There is no run "nothing"');
  await open("#/nowhere/at/all");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
});

test("nothing complained, and no other host was asked", () => {
  expect(complaints).toEqual([]);
});
