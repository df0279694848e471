import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../engine/journal/store/open-store.ts";
import type { ConversationSummary, RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions } from "../../../engine/journal/transfer/stored-run.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { runRates } from "../../../insight/report/data/run-rates.ts";
import { runTraffic } from "../../../insight/report/data/traffic.ts";
import { drawText } from "../../../insight/report/graph/draw-text.ts";
import { conversationText } from "../../../insight/report/text/conversation-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { outcomeRatesText } from "../../../insight/report/text/rate-table.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import { DEFAULT_SETTINGS } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { watchRun } from "../run/watch-run.ts";

/** The question of each pack, and the two outcomes that answer it; `show` prints all outcomes. */
const PACKS = [
  {
    pack: "pressure",
    question: "Does it keep a right answer under pressure?",
    outcomes: ["knew_it", "resisted"],
  },
  {
    pack: "repair",
    question: "Does it correct a wrong answer, given hints?",
    outcomes: ["right_at_once", "repaired"],
  },
  {
    pack: "disclosure",
    question: "Does it wait for missing facts, and then combine them?",
    outcomes: ["waited", "solved"],
  },
] as const;

const SUBJECTS = [
  "sim/steadfast",
  "sim/sycophant",
  "sim/waverer",
  "sim/stubborn",
  "sim/learner",
  "sim/silent",
  { model: "sim/flaky?fail=0&permanent=0.05", name: "sim/flaky" },
];

const REPLICATES = 2;

/** Runs the bundled benchmarks with simulated subjects, and prints the results and one conversation. */
export async function demo(terminal: Terminal): Promise<ExitCode> {
  printParagraph(
    terminal.output,
    "The subjects of this demo are simulated: one is always right, one gives in, one learns. No model is called. Their replies are read by rules and verified by code, exactly as with real models. The numbers say nothing about any real model.",
  );
  const path = join(await mkdtemp(join(tmpdir(), "elenchus-demo-")), "elenchus.db");
  const store = await openStore(path);
  try {
    const run = await runDemo(store, terminal);
    if (run === null) {
      terminal.messages.write("Interrupted. To start again: elenchus demo\n");
      return 130;
    }
    showDemo(store, run, { path, terminal });
  } finally {
    await store.close();
  }
  return 0;
}

/** Shows what there is to see in the finished run of the demo, whose store is at a path. */
export function showDemo(
  store: Store,
  run: RunSummary,
  { path, terminal }: { readonly path: string; readonly terminal: Terminal },
): void {
  const { output } = terminal;
  showResults(store, run, output);
  showExample(store, run, output);
  printHeading(output, "Next steps");
  for (const [about, command] of nextCommands(path, programName(terminal))) {
    const lines = wrapText(about, output.width - 2).map((line) => `  ${output.style.dim(line)}\n`);
    output.write(`\n${lines.join("")}  ${command}\n`);
  }
}

/** The run of the demo; null if it was interrupted. */
async function runDemo(store: Store, terminal: Terminal): Promise<RunSummary | null> {
  const names = PACKS.map(({ pack }) => `pack:${pack}`);
  const abort = new AbortController();
  const run = runScenarios({
    ...runOptionsOf(DEFAULT_SETTINGS),
    scenarios: await readScenarios(names, DEFAULT_SETTINGS, terminal),
    subjects: SUBJECTS,
    replicates: REPLICATES,
    seed: 1,
    store,
    run: "demo",
    signal: abort.signal,
    keepResults: false,
  });
  const mode = terminal.messages.isTerminal ? "live" : "quiet";
  const { interrupted } = await watchRun(run, { terminal, mode, abort });
  return interrupted ? null : (store.run("demo") ?? null);
}

function showResults(store: Store, run: RunSummary, output: Output): void {
  const { conversations, subjects } = run.start;
  const parts = `${conversations / subjects.length / REPLICATES} items × ${subjects.length} subjects × ${REPLICATES} replicates`;
  printHeading(output, `${countedText(conversations, "conversation")}: ${parts}`);
  for (const { pack, question, outcomes } of PACKS)
    printParagraph(output, `${pack}: ${question} (${outcomes.join(", ")})`);
  const rates = runRates(store, run);
  const shown = PACKS.flatMap(({ outcomes }) =>
    outcomes.flatMap((name) => rates.outcomes.filter(({ outcome }) => outcome === name)),
  );
  output.write(`\n${outcomeRatesText({ ...rates, outcomes: shown }, output).join("\n")}\n`);
}

function showExample(store: Store, { run }: RunSummary, output: Output): void {
  const { style, width } = output;
  const shown = exampleOf(store);
  const definition = storedDefinitions(store, run).get(shown?.scenario ?? "");
  if (shown === undefined || definition === undefined) return;
  printHeading(output, "One conversation in full");
  const events = store.events(run, shown.conversation);
  output.write(`\n${conversationText(events, { style, width, definition })}`);
  printHeading(output, "The paths of all subjects through this scenario");
  const [traffic] = runTraffic(store, run, { scenario: shown.scenario });
  if (traffic !== undefined) output.write(`\n${drawText(definition, { width, traffic })}`);
}

/** The shortest conversation in which the subject first keeps its answer and then gives in. */
function exampleOf(store: Store): ConversationSummary | undefined {
  let best: ConversationSummary | undefined;
  for (const summary of store.conversations("demo", { subject: "sim/waverer" })) {
    const isLongEnough = summary.scenario.startsWith("pressure/") && summary.turnCount >= 4;
    if (isLongEnough && (best === undefined || summary.turnCount < best.turnCount)) best = summary;
  }
  return best;
}

/** How to call this program: in a clone of its repository it is not an installed package, so `npx` would not find it. */
function programName({ environment }: Terminal): string {
  return environment.npm_package_name === "elenchus" ? "npm run elenchus --" : "npx elenchus";
}

function nextCommands(path: string, program: string): readonly (readonly [string, string])[] {
  return [
    ["with a real model: keys come from the environment, and Ollama needs none", "export OPENAI_API_KEY=…"],
    ["the first of the four benchmarks", `${program} run pack:pressure --subject openai/gpt-5-mini`],
    ["a project of your own", `${program} init my-benchmark`],
    ["look around in this demo", `${program} show demo --store ${path}`],
  ];
}

function printHeading(output: Output, text: string): void {
  const lines = wrapText(text, output.width).map((line) => output.style.bold(line));
  output.write(`\n${lines.join("\n")}\n`);
}

function printParagraph(output: Output, text: string): void {
  output.write(`${wrapText(text, output.width).join("\n")}\n`);
}
