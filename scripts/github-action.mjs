// What action.yml runs: the benchmark, the comparison with the baseline, the comment and the static pages. Plain JavaScript
// without dependencies, since it starts before anything is installed.
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";

const { env } = process;
const MARK = "<!-- elenchus -->";

/** Words of a line as a shell takes them apart: quotes hold words together, and nothing is expanded. */
export function wordsOf(line) {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

/** Runs Elenchus; its output goes to the log as well, where GitHub reads annotations. */
function elenchus(parts, { quiet = false } = {}) {
  const [command, ...first] = wordsOf(env.INPUT_ELENCHUS || "npx elenchus");
  const { status, stdout, error } = spawnSync(command, [...first, ...parts], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1e9,
  });
  if (error) throw error;
  if (!quiet) process.stdout.write(stdout);
  return { status: status ?? 2, stdout };
}

/** The text of the comment; a hostile name cannot end its table, for the command escapes it. */
function reportOf(run, baseline) {
  const title = `${MARK}\n### Elenchus: run \`${run}\`\n`;
  const parts = baseline === "" ? ["show", run] : ["compare", baseline, run, "--format", "markdown"];
  const { status, stdout } = elenchus(parts, { quiet: true });
  const body =
    baseline === "" || status !== 0
      ? `\n\`\`\`text\n${stdout.replaceAll("```", "'''")}\n\`\`\`\n`
      : `\n${stdout}\n`;
  return `${title}${body}`;
}

async function comment(text) {
  const event = env.GITHUB_EVENT_PATH ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8")) : {};
  const number = event.pull_request?.number;
  if (number === undefined || env.INPUT_COMMENT === "false" || !env.INPUT_TOKEN) return;
  const base = `${env.GITHUB_API_URL ?? "https://api.github.com"}/repos/${env.GITHUB_REPOSITORY}/issues`;
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
    const known = await request(`${base}/${number}/comments?per_page=100`, "GET");
    const own = known.find(({ body }) => body?.startsWith(MARK));
    // GitHub takes 65,536 characters.
    const body = { body: text.slice(0, 65_000) };
    if (own === undefined) await request(`${base}/${number}/comments`, "POST", body);
    else await request(`${base}/comments/${own.id}`, "PATCH", body);
  } catch (error) {
    // A comment that cannot be written (a fork has no right to) must not fail the build.
    console.log(`::warning::${String(error.message).replaceAll("\n", " ")}`);
  }
}

async function main() {
  const baseline = env.INPUT_BASELINE ?? "";
  const run = `ci-${env.GITHUB_RUN_ID ?? Date.now()}-${env.GITHUB_RUN_ATTEMPT ?? 1}`;
  const gates = (env.INPUT_FAIL_IF_WORSE ?? "").split("\n").filter((line) => line.trim() !== "");
  const { status } = elenchus([
    "run",
    ...wordsOf(env.INPUT_ARGUMENTS ?? ""),
    "--name",
    run,
    ...(baseline === "" ? [] : ["--baseline", baseline]),
    ...gates.flatMap((gate) => ["--fail-if-worse", gate.trim()]),
  ]);
  // Without a run there is nothing to show: the command has said why.
  if (status !== 2) {
    const text = reportOf(run, baseline);
    if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`);
    await comment(text);
    elenchus(["view", run, "--export", env.INPUT_VIEWER || "elenchus-report"], { quiet: true });
  }
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `run=${run}\nexit-code=${status}\n`);
}

if (process.argv[2] === "run") await main();
