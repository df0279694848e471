import { watchRun } from "../src/apps/cli/run/watch-run.ts";
import { END, question, runScenarios, Scenario } from "../src/apps/public/index.ts";
import { processTerminal } from "../src/system/terminal/process-terminal.ts";

// A run to be watched in a terminal: its subject answers at once, so that only Ctrl-C ends it within reason.
const scenario = new Scenario("greeting")
  .addNode("hello", { question: question({ question: "Who are you?", rawAnswer: "" }) })
  .addEdge("hello", END)
  .setEntry("hello")
  .validate();

const terminal = processTerminal();
const abort = new AbortController();
const run = runScenarios({
  scenarios: scenario,
  subjects: "sim/steadfast",
  replicates: 40_000,
  keepResults: false,
  signal: abort.signal,
});
const { progress, interrupted } = await watchRun(run, { terminal, mode: "live", abort });
terminal.messages.write(`${progress.finished} finished, ${progress.cutShort} cut short\n`);
await terminal.flush();
process.exitCode = interrupted ? 130 : 0;
