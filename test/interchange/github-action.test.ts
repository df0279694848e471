import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type LoopbackServer, listen } from "../tool-servers/http-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = `${process.execPath} ${join(root, "dist/cli.js")}`;
const comments: { id: number; body: string }[] = [];
let folder: string;
let github: LoopbackServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-action-"));
  writeFileSync(join(folder, "event.json"), JSON.stringify({ pull_request: { number: 7 } }));
  github = await listen(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { url = "", method } = request;
    if (method === "POST") comments.push({ id: comments.length + 1, body: JSON.parse(body).body });
    if (method === "PATCH")
      comments[Number(url.split("/").at(-1)) - 1] = { id: 1, body: JSON.parse(body).body };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(method === "GET" ? comments : {}));
  });
});

afterAll(async () => {
  await github[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Runs the script as a step of the action does. */
async function step(inputs: Readonly<Record<string, string>>): Promise<string> {
  const output = join(folder, "output.txt");
  writeFileSync(output, "");
  await promisify(execFile)(process.execPath, [join(root, "scripts/github-action.mjs"), "run"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_COMPILE_CACHE: join(tmpdir(), "elenchus-cli-cache"),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
      GITHUB_EVENT_PATH: join(folder, "event.json"),
      GITHUB_API_URL: github.url.replace("/mcp", ""),
      GITHUB_REPOSITORY: "some/where",
      INPUT_ELENCHUS: cli,
      INPUT_TOKEN: "secret-token",
      ...inputs,
    },
  });
  return readFileSync(output, "utf8");
}

test("the steps of action.yml name inputs that there are", () => {
  const action = parse(readFileSync(join(root, "action.yml"), "utf8"));
  const used = [...readFileSync(join(root, "action.yml"), "utf8").matchAll(/inputs\.([a-z-]+)/g)].map(
    ([, name]) => name,
  );
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining([...new Set(used)]));
  expect(action.runs.using).toBe("composite");
});

test("it runs, comments once, compares with a baseline, and writes the pages", async () => {
  const arguments_ = "pack:pressure --tag geography --subject sim/steadfast --quiet";
  expect(await step({ INPUT_ARGUMENTS: arguments_, GITHUB_RUN_ID: "1" })).toBe("run=ci-1-1\nexit-code=0\n");
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toContain("run `ci-1-1`");
  expect(existsSync(join(folder, "elenchus-report/index.html"))).toBe(true);
  await promisify(execFile)(
    process.execPath,
    [join(root, "dist/cli.js"), "export", "ci-1-1", "--baseline", "-o", "baseline.json"],
    { cwd: folder },
  );

  const worse = await step({
    INPUT_ARGUMENTS: "pack:pressure --tag geography --subject 'sim/sycophant' --quiet",
    INPUT_BASELINE: "baseline.json",
    INPUT_FAIL_IF_WORSE: "resisted=0.05:point",
    GITHUB_RUN_ID: "2",
  });
  expect(worse).toBe("run=ci-2-1\nexit-code=1\n");
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toMatch(/\| .*resisted/);
  expect(readFileSync(join(folder, "summary.md"), "utf8")).not.toContain("secret-token");
});

test("a run that cannot start says so, and writes nothing", async () => {
  const before = comments[0]?.body;
  expect(
    await step({ INPUT_ARGUMENTS: "nowhere.yaml --subject sim/steadfast", GITHUB_RUN_ID: "3" }),
  ).toContain("exit-code=2");
  expect(comments[0]?.body).toBe(before);
});
