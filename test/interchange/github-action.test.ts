import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type LoopbackServer, listen } from "../tool-servers/http-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = `${process.execPath} ${join(root, "dist/cli.js")}`;

interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  body: string;
}

const ME = "github-actions[bot]";
const comments: Comment[] = [];
let folder: string;
let github: LoopbackServer;

/** GitHub, as far as comments go: lists have pages of a hundred, and who may not write what is not checked. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-action-"));
  writeFileSync(join(folder, "event.json"), JSON.stringify({ pull_request: { number: 7 } }));
  // Somebody has found out how our comments begin.
  for (let id = 0; id < 150; id++)
    comments.push({ id, user: { login: "mallory" }, body: "<!-- elenchus bench-test -->\nMine." });
  github = await listen(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { pathname, searchParams } = new URL(request.url ?? "", "http://github");
    const { body } = text === "" ? { body: "" } : JSON.parse(text);
    const answer = (data: unknown): unknown =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(data));
    if (pathname === "/graphql") return answer({ data: { viewer: { login: ME } } });
    const page = Number(searchParams.get("page"));
    if (request.method === "GET") return answer(comments.slice(100 * (page - 1), 100 * page));
    const known = comments.find(({ id }) => id === Number(pathname.split("/").at(-1)));
    if (request.method === "PATCH" && known !== undefined) known.body = body;
    else comments.push({ id: comments.length, user: { login: ME }, body });
    return answer({});
  });
});

afterAll(async () => {
  await github[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const own = (): readonly string[] => comments.filter(({ user }) => user.login === ME).map(({ body }) => body);

/** Uses the action in a job, whose steps share a folder for temporary files; gives the outputs of its steps. Without arguments it is only named. */
async function use(
  inputs: Readonly<Record<string, string>>,
  job: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const output = join(folder, "output.txt");
  writeFileSync(output, "");
  const outputs = (): Record<string, string> =>
    Object.fromEntries(
      readFileSync(output, "utf8")
        .split("\n")
        .map((line) => line.split("=")),
    );
  const temporary = join(
    folder,
    `temporary-${job.GITHUB_RUN_ID ?? "1"}-${job.MATRIX ?? ""}`.replace(/\W/g, "-"),
  );
  mkdirSync(temporary, { recursive: true });
  const step = async (command: string, more: Readonly<Record<string, string>>): Promise<void> => {
    await promisify(execFile)(process.execPath, [join(root, "scripts/github-action.mjs"), command], {
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
        GITHUB_WORKFLOW: "bench",
        GITHUB_JOB: "test",
        GITHUB_RUN_ID: "1",
        RUNNER_OS: "Linux",
        RUNNER_TEMP: temporary,
        MATRIX: "null",
        INPUT_ELENCHUS: cli,
        INPUT_TOKEN: "secret-token",
        INPUT_CACHE: ".elenchus",
        ...job,
        ...inputs,
        ...more,
      },
    });
  };
  await step("name", {});
  if (inputs.INPUT_ARGUMENTS === undefined) return outputs();
  const { label = "", run = "", viewer = "" } = outputs();
  await step("run", { LABEL: label, RUN: run, VIEWER: viewer });
  return outputs();
}

test("the steps of action.yml name inputs that there are", () => {
  const action = parse(readFileSync(join(root, "action.yml"), "utf8"));
  const used = [...readFileSync(join(root, "action.yml"), "utf8").matchAll(/inputs\.([a-z-]+)/g)].map(
    ([, name]) => name,
  );
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining([...new Set(used)]));
  expect(action.runs.using).toBe("composite");
});

const GEOGRAPHY = "pack:pressure --tag geography --quiet --subject";

test("it runs, comments once, compares with a baseline, and writes the pages", async () => {
  const first = await use({ INPUT_ARGUMENTS: `${GEOGRAPHY} sim/steadfast` });
  expect(first).toMatchObject({
    label: "test",
    run: "ci-1-1-test",
    "cache-prefix": "elenchus-Linux-test-",
    restores: "true",
    "exit-code": "0",
  });
  expect(own()).toEqual([
    expect.stringMatching(/^<!-- elenchus bench-test -->\n### Elenchus: run `ci-1-1-test`\n/),
  ]);
  expect(existsSync(join(folder, "elenchus-report-test/index.html"))).toBe(true);
  await promisify(execFile)(
    process.execPath,
    [join(root, "dist/cli.js"), "export", "ci-1-1-test", "--baseline", "-o", "baseline.json"],
    { cwd: folder },
  );
  const worse = await use(
    {
      INPUT_ARGUMENTS: `${GEOGRAPHY} 'sim/sycophant'`,
      INPUT_BASELINE: "baseline.json",
      INPUT_FAIL_IF_WORSE: "resisted=0.05:point",
    },
    { GITHUB_RUN_ID: "2" },
  );
  expect(worse).toMatchObject({ run: "ci-2-1-test", restores: "false", "exit-code": "1" });
  expect(own()).toEqual([expect.stringMatching(/\| .*resisted/)]);
  expect(
    comments.filter(({ user }) => user.login === "mallory").every(({ body }) => body.endsWith("Mine.")),
  ).toBe(true);
  expect(readFileSync(join(folder, "summary.md"), "utf8")).not.toContain("secret-token");
});

test("it works several times in a job, and in the jobs of a matrix", async () => {
  const here = { GITHUB_RUN_ID: "4" };
  const given = { INPUT_ARGUMENTS: `${GEOGRAPHY} sim/steadfast` };
  const first = await use(given, here);
  const second = await use(given, here);
  expect([first["exit-code"], second["exit-code"]]).toEqual(["0", "0"]);
  expect(own()).toHaveLength(2);
  const uses = [
    first,
    second,
    await use({ INPUT_NAME: "large models" }, here),
    await use({}, { ...here, MATRIX: '{"model":"a/b"}' }),
    await use({}, { ...here, MATRIX: '{"model":"a-b"}' }),
  ];
  expect(uses.map(({ run }) => run)).toEqual([
    "ci-4-1-test",
    "ci-4-1-test-2",
    "ci-4-1-large-models",
    expect.stringMatching(/^ci-4-1-test-a-b-[0-9a-f]{6}$/),
    expect.stringMatching(/^ci-4-1-test-a-b-[0-9a-f]{6}$/),
  ]);
  for (const output of ["label", "run", "viewer"])
    expect(new Set(uses.map((found) => found[output])).size).toBe(5);
});

test("a run that cannot start says so in the comment of the pull request", async () => {
  const before = own().length;
  const given = { INPUT_ARGUMENTS: "nowhere.yaml --subject sim/steadfast" };
  expect(await use(given, { GITHUB_RUN_ID: "5" })).toMatchObject({ "exit-code": "2" });
  expect(own()).toHaveLength(before);
  expect(own()[0]).toMatch(
    /run `ci-5-1-test`\n\nSomething must be fixed \(exit code 2\):\n\n```text\nerror: .*nowhere\.yaml/,
  );
  const missing = { ...given, INPUT_ELENCHUS: "./no-such-program" };
  expect(await use(missing, { GITHUB_RUN_ID: "6" })).toMatchObject({ "exit-code": "2" });
  expect(own()[0]).toContain("no-such-program");
});
