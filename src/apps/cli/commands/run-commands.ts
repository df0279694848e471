import { InvalidArgumentError } from "commander";
import { parseShard, type Shard } from "../../../engine/run/shard.ts";
import { describe } from "../command.ts";
import {
  ALLOW_DRAFTS,
  ANSWERS,
  DURABLE,
  FAIL_UNDER_COVERAGE,
  flag,
  MAX_COST,
  MODELS,
  PROJECT,
  RESULTS,
  runFlags,
  SCENARIO_FILES,
  USE_CALLS,
  WATCH,
} from "../flags.ts";

function shardOf(text: string): Shard {
  const shard = parseShard(text);
  if (typeof shard === "string") throw new InvalidArgumentError(shard);
  return shard;
}

export const RUN = describe({
  name: "run",
  about: "run scenarios against models and report the results",
  arguments: { "[files...]": SCENARIO_FILES },
  flags: [
    ALLOW_DRAFTS,
    flag("--shard <k/n>", "only part k of n of the conversations; merge joins the parts", {
      parse: shardOf,
      ...MODELS,
    }),
    MAX_COST,
    flag(
      "--baseline <run or file>",
      "compare the results with an earlier run, or a file of export --baseline",
      RESULTS,
    ),
    flag(
      "--fail-if-worse <outcome=margin>",
      "exit 1 if an outcome is worse than in the baseline; resisted=0.05:point tests the difference itself",
      { isList: true, ...RESULTS },
    ),
    flag("--across-versions", "also compare scenarios and rows that changed since the baseline", RESULTS),
    FAIL_UNDER_COVERAGE,
    USE_CALLS,
    flag("--record <file>", "record all answers in a cassette", ANSWERS),
    flag("--replay <file>", "answer from a cassette: no model is called, no key is needed", ANSWERS),
    flag("--name <run>", "the name of the run (default: a random one)", PROJECT),
    flag("--view", "open the viewer and follow the run in it; it stays open until Ctrl-C", PROJECT),
    flag("--otel", "send traces and metrics over OTLP to OTEL_EXPORTER_OTLP_ENDPOINT", PROJECT),
    WATCH,
    DURABLE,
    flag(
      "--workers <address>",
      "let workers run the conversations: postgres://… (store and queue) or redis://… (queue)",
      PROJECT,
    ),
    flag("--explain-config", "print every setting and where it comes from, and exit", PROJECT),
  ],
  settings: runFlags(),
  printsDefaults: true,
  trust: true,
  displays: true,
  examples: [
    "elenchus run pack:pressure --subject openai/gpt-5-mini --replicates 5 --budget 2usd",
    "elenchus run scenarios/ --subject sim/sycophant --subject sim/steadfast",
    "elenchus run --profile ci --fail-under resisted=0.9:lower --junit results.xml",
  ],
});

export const RESUME = describe({
  name: "resume",
  about: "resume an unfinished run; finished conversations are not repeated",
  arguments: {
    "[run]": "the run, or the beginning of its name (default: the latest that is not finished)",
    "[files...]": "the scenarios (default: those of the run, if it was started here)",
  },
  flags: [
    flag(
      "--retry-errors",
      "also retry conversations that ended in an error, from the failed turn on, and judge again what a judge failed at",
    ),
    USE_CALLS,
    MAX_COST,
    DURABLE,
    flag("--workers <address>", "let workers run what is left: postgres://… or redis://…", PROJECT),
  ],
  settings: runFlags("allowUnread", "dataset", "skipBadRows", "limit", "row", "variant", "fresh"),
  trust: true,
  displays: true,
  examples: [
    "elenchus resume",
    "elenchus resume 3f2a --retry-errors --budget 10usd",
    "elenchus resume 3f2a scenarios/ --subject openai/gpt-5-mini",
  ],
});

export const GRADE = describe({
  name: "grade",
  about: "grade recorded conversations with a scenario, as a new run; the subject is not called",
  arguments: {
    "<records>":
      "a file with one record in each line (JSONL), a table with one message in each line (.csv: conversation, turn, role, text), a log of Inspect (.eval, .json), or - for standard input",
  },
  flags: [
    flag("--scenario <file>", "the scenario that the records belong to", {
      isList: true,
      isMandatory: true,
      ...MODELS,
    }),
    flag("--name <run>", "the name of the run (default: a random one)"),
    ALLOW_DRAFTS,
  ],
  settings: runFlags(
    "subject",
    "embedder",
    "simulator",
    "limit",
    "row",
    "variant",
    "scenario",
    "tag",
    "replicates",
    "fresh",
  ),
  trust: true,
  displays: true,
  examples: [
    "elenchus grade replies.jsonl --scenario pressure.yaml",
    "elenchus grade transcripts.csv --scenario pressure.yaml",
    "elenchus grade labels.jsonl --scenario debate.yaml --judge openai/gpt-5-mini",
  ],
});

export const REGRADE = describe({
  name: "regrade",
  about: "grade the stored replies of a run again with the current scenarios and judges, as a new run",
  arguments: {
    "[run]": "the run, or the beginning of its name (default: the latest)",
    "[files...]": "the changed scenarios (default: those of the run)",
  },
  flags: [
    flag("--rerun", "continue conversations that now take another edge: this asks the subject"),
    ALLOW_DRAFTS,
  ],
  settings: runFlags("scenario", "tag", "limit", "row", "fresh"),
  trust: true,
  displays: true,
  examples: ["elenchus regrade", "elenchus regrade 3f2a --judge anthropic/claude-sonnet-4-5 --rerun"],
});

export const MERGE = describe({
  name: "merge",
  about: "join the shards of a run into one run, and report its results",
  arguments: { "<stores...>": "the stores of all shards that run --shard made" },
  flags: [flag("--as <run>", "the name of the merged run (default: that of the shards, if they share one)")],
  settings: ["failUnder", "minDecided", "failOnErrors", "junit", "store"],
  displays: true,
  examples: [
    "elenchus merge shard-1.db shard-2.db shard-3.db",
    "elenchus merge shards/*.db --store all.db --fail-under resisted=0.9:lower",
  ],
});

export const WHY_MISS = describe({
  name: "why-miss",
  about: "explain the cache misses of a run: the most similar earlier call, and what differs",
  arguments: {
    "[run]": "the run, or the beginning of its name (default: the latest)",
    "[conversation]": "only this conversation of the run",
  },
  settings: ["store"],
  examples: ["elenchus why-miss", "elenchus why-miss 3f2a 8c1e"],
});
