// What action.yml runs: the benchmark, the comparison with the baseline, the comment and the static pages. Plain JavaScript
// without dependencies, since it starts before anything is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { env } = process;

/** Words of a line as a shell takes them apart: quotes hold words together, and nothing is expanded. */
export function wordsOf(line) {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

function setOutputs(outputs) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(""));
}

const plain = (text) => text.replace(/[^\w.]+/g, "-").replace(/^-+|-+$/g, "");

/** The job, and which of its matrix it is. Values may look alike once they are plain, but their hash differs. */
function jobName() {
  const matrix = JSON.parse(env.MATRIX || "null");
  if (matrix === null) return plain(env.GITHUB_JOB ?? "job");
  const values = plain(Object.values(matrix).map(String).join("-")).slice(0, 60);
  const hash = createHash("sha256").update(env.MATRIX).digest("hex").slice(0, 6);
  return plain(`${env.GITHUB_JOB ?? "job"}-${values}-${hash}`);
}

/** Names this use of the action: no other use of the workflow has its run, its artifact, its comment or its cache. */
function nameUse() {
  const job = jobName();
  const wanted = plain(env.INPUT_NAME || job);
  // Names that earlier uses in this job have taken. The folder is new in each job.
  const file = join(env.RUNNER_TEMP ?? ".", "elenchus-uses");
  const taken = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  let label = wanted;
  for (let use = 2; taken.includes(label); use++) label = `${wanted}-${use}`;
  appendFileSync(file, `${label}\n`);
  const run = `ci-${env.GITHUB_RUN_ID ?? Date.now()}-${env.GITHUB_RUN_ATTEMPT ?? 1}-${label}`;
  setOutputs({
    label,
    run,
    viewer: env.INPUT_VIEWER || `elenchus-report-${label}`,
    "cache-prefix": `elenchus-${env.RUNNER_OS ?? ""}-${job}-`,
    // An earlier use in this job may have made the store.
    restores: env.INPUT_CACHE !== "" && !existsSync(env.INPUT_CACHE ?? ""),
  });
}

/** Runs Elenchus. Its output also goes to the log as it comes; GitHub reads annotations there. */
function elenchus(parts, { quiet = false } = {}) {
  const [command, ...first] = wordsOf(env.INPUT_ELENCHUS || "npx elenchus");
  const child = spawn(command, [...first, ...parts], { stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].setEncoding("utf8").on("data", (text) => {
      said[name] += text;
      if (!quiet) process[name].write(text);
    });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ status: 2, ...said, stderr: error.message }));
    child.once("close", (status) => resolve({ status: status ?? 2, ...said }));
  });
}

/** A text as it is: within a block of code nothing is markup, and nobody is mentioned. */
function codeBlock(text) {
  return `\n\`\`\`text\n${text.trim().replaceAll("```", "'''")}\n\`\`\`\n`;
}

/** The results of the run; undefined if there is none. */
async function resultsOf(run, baseline) {
  if (baseline !== "") {
    const compared = await elenchus(["compare", baseline, run, "--format", "markdown"], { quiet: true });
    if (compared.status === 0) return `\n${compared.stdout}\n`;
  }
  const { status, stdout } = await elenchus(["show", run], { quiet: true });
  return status === 0 ? codeBlock(stdout) : undefined;
}

/** Writes the comment of this use, or writes it anew. */
async function comment(label, text) {
  const event = env.GITHUB_EVENT_PATH ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8")) : {};
  const number = event.pull_request?.number;
  if (number === undefined || env.INPUT_COMMENT === "false" || !env.INPUT_TOKEN) return;
  const api = env.GITHUB_API_URL ?? "https://api.github.com";
  const base = `${api}/repos/${env.GITHUB_REPOSITORY}/issues`;
  const request = async (url, method, body) => {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${env.INPUT_TOKEN}`, accept: "application/vnd.github+json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${method} ${url}`);
    return response.json();
  };
  try {
    // The token of a workflow may not ask for `/user`.
    const query = { query: "{ viewer { login } }" };
    const { data } = await request(env.GITHUB_GRAPHQL_URL ?? `${api}/graphql`, "POST", query);
    const mark = `<!-- elenchus ${plain(`${env.GITHUB_WORKFLOW ?? ""} ${label}`)} -->`;
    let own;
    for (let page = 1, isLast = false; own === undefined && !isLast; page++) {
      const known = await request(`${base}/${number}/comments?per_page=100&page=${page}`, "GET");
      // Anyone can write a comment that begins like ours.
      own = known.find(({ body, user }) => body?.startsWith(mark) && user?.login === data.viewer.login);
      isLast = known.length < 100;
    }
    // GitHub takes 65,536 characters.
    const body = { body: `${mark}\n${text}`.slice(0, 65_000) };
    if (own === undefined) await request(`${base}/${number}/comments`, "POST", body);
    else await request(`${base}/comments/${own.id}`, "PATCH", body);
  } catch (error) {
    // A comment that cannot be written (a fork has no right to) must not fail the build.
    console.log(`::warning::${String(error.message).replaceAll("\n", " ")}`);
  }
}

async function main() {
  const { LABEL: label, RUN: run, VIEWER: viewer } = env;
  const baseline = env.INPUT_BASELINE ?? "";
  const gates = (env.INPUT_FAIL_IF_WORSE ?? "").split("\n").filter((line) => line.trim() !== "");
  const { status, stderr } = await elenchus([
    "run",
    ...wordsOf(env.INPUT_ARGUMENTS ?? ""),
    "--name",
    run,
    ...(baseline === "" ? [] : ["--baseline", baseline]),
    ...gates.flatMap((gate) => ["--fail-if-worse", gate.trim()]),
  ]);
  const results = await resultsOf(run, baseline);
  const failed =
    status === 2 ? `\nSomething must be fixed (exit code 2):\n${codeBlock(stderr.slice(-5_000))}` : "";
  const text = `### Elenchus: run \`${run}\`\n${failed}${results ?? ""}`;
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`);
  await comment(label, text);
  if (results !== undefined) await elenchus(["view", run, "--export", viewer], { quiet: true });
  setOutputs({ "exit-code": status });
}

if (process.argv[2] === "name") nameUse();
if (process.argv[2] === "run") await main();
