import { InvalidArgumentError } from "commander";
import { describe } from "../command.ts";
import {
  ALLOW_DRAFTS,
  flag,
  JSON_FLAG,
  OUTPUT,
  runFlags,
  SCENARIO_FILES,
  USE_CALLS,
  WATCH,
  wholeNumber,
} from "../flags.ts";

const DIFFERENCE = { group: "A difference to detect:" };
const FORECAST = { group: "Forecast:" };

const SIDE = "a file, folder or pattern, pack:<name>, a stored run, or run:scenario";

/** A share: `0.05` or `5%`. */
function share(text: string): number {
  const value = text.trim().endsWith("%") ? Number(text.trim().slice(0, -1)) / 100 : Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("Expected a number from 0 to 1, or a percentage.");
}

export const DRAFT = describe({
  name: "draft",
  about: "let a model draft a scenario, or templates for your questions, for you to verify",
  arguments: { "[description]": "what the scenario should be about" },
  flags: [
    flag("--from <file>", "a table with the columns question and answer (optional: id, topic)"),
    flag("--model <model>", "the model that writes: provider/model (default: the judge of the project)"),
    flag(
      "-o, --output <file>",
      "the file to write; an existing file is never overwritten (default: standard output)",
    ),
  ],
  settings: ["budget", "patience"],
  trust: true,
  examples: [
    'elenchus draft "Somebody insists that Sydney is the capital of Australia" --model openai/gpt-5-mini',
    "elenchus draft --from questions.csv --model openai/gpt-5-mini -o questions.yaml",
  ],
});

export const CHECK = describe({
  name: "check",
  about:
    "validate and lint scenarios: report each finding with line and column, and draw the valid scenarios",
  arguments: { "[files...]": SCENARIO_FILES },
  flags: [
    flag("--no-draw", "report findings only", OUTPUT),
    flag("--format <format>", "format of the findings; sarif is 2.1.0, github prints annotations", {
      choices: ["text", "json", "sarif", "github"],
      initial: "text",
      ...OUTPUT,
    }),
    flag("--json", "the same as --format json", OUTPUT),
    flag("--strict", "also exit 2 for warnings; notes never fail", OUTPUT),
    flag("--expand", "print the scenarios with their short forms written out", OUTPUT),
    { ...WATCH, ...OUTPUT },
  ],
  settings: ["judge", "scenario", "tag", "dataset", "skipBadRows"],
  trust: true,
  examples: [
    "elenchus check scenarios/",
    "elenchus check 'scenarios/**/*.yaml' --no-draw --strict",
    "elenchus check scenarios/ --format sarif > check.sarif",
    "elenchus check capital.yaml --expand > long.yaml",
  ],
});

export const DIFF = describe({
  name: "diff",
  about: "show what changed between two versions of scenarios, and which stored answers can still be used",
  arguments: { "<before>": `the earlier version: ${SIDE}`, "<after>": "the later version" },
  flags: [flag("--exit-code", "exit 1 if there is a difference"), JSON_FLAG],
  settings: ["scenario", "tag", "store"],
  examples: [
    "elenchus diff old.yaml new.yaml",
    "elenchus diff monday scenarios/",
    "elenchus diff monday:capital scenarios/capital.yaml --json",
  ],
});

export const PLAN = describe({
  name: "plan",
  about:
    "forecast a run before the first call: conversations, calls, tokens, cost, time; and how many items detect a difference",
  arguments: { "[files...]": SCENARIO_FILES },
  flags: [
    ALLOW_DRAFTS,
    USE_CALLS,
    flag(
      "--assume <what=value>",
      "right=0.7, right.<node>=0.9, unreadable=0.05, unread=0.2 (left to the judge), done=0.5, reply=300 (tokens), steps=3 (calls in a turn with tools)",
      { isList: true, ...FORECAST },
    ),
    flag(
      "--from <run>",
      "estimate from this run (default: the latest runs of these scenarios and subjects)",
      FORECAST,
    ),
    flag("--json", "print data as JSON", FORECAST),
    flag("--detect <difference>", "how many items and replicates detect it: 0.05 or 5%", {
      parse: share,
      ...DIFFERENCE,
    }),
    flag("--power <share>", "the chance of detecting it", {
      parse: share,
      initial: 0.8,
      ...DIFFERENCE,
    }),
    flag("--outcome <name>", "the outcome or declared rate (default: the first declared rate)", DIFFERENCE),
    flag("--rate <share>", "assume this rate", { parse: share, ...DIFFERENCE }),
    flag("--icc <share>", "assume this correlation of replicates of one item", {
      parse: share,
      ...DIFFERENCE,
    }),
    flag("--correlation <share>", "assume this correlation of the two subjects over items", {
      parse: share,
      ...DIFFERENCE,
    }),
  ],
  settings: runFlags("patience", "failUnder", "minDecided", "failOnErrors", "junit"),
  printsDefaults: true,
  trust: true,
  examples: [
    "elenchus plan pack:pressure --subject openai/gpt-5-mini --replicates 5",
    "elenchus plan scenarios/ --subject openai/gpt-5 --judge openai/gpt-5-mini --from pilot",
    "elenchus plan pack:pressure --subject openai/gpt-5 --assume right=0.9 --assume reply=400",
    "elenchus plan --detect 5% --rate 0.7 --icc 0.6 --correlation 0.5",
  ],
});

export const REHEARSE = describe({
  name: "rehearse",
  about: "explore all paths through scenarios without a model: what can happen, and what never can",
  arguments: {
    "[files...]": "files, folders, patterns or pack:<name>; .ts and .js files are executed",
  },
  flags: [
    flag("--list <n>", "how many paths to list, the shortest first", {
      parse: wholeNumber(0),
      initial: 5,
    }),
    flag(
      "--witness <what>",
      "print one conversation: outcome=value, a node, source->target, shortest or longest",
    ),
    flag("--max-states <n>", "how many states to explore at most (default: 20,000)", {
      parse: wholeNumber(1),
    }),
    JSON_FLAG,
  ],
  settings: ["scenario", "tag", "dataset", "skipBadRows", "limit", "row", "turnLimit"],
  trust: true,
  examples: [
    "elenchus rehearse scenarios/",
    "elenchus rehearse capital.yaml --witness held_firm=false",
    "elenchus play capital.yaml --witness held_firm=false",
  ],
});

export const PLAY = describe({
  name: "play",
  about: "answer the questions of a scenario yourself, and see how each reply is read",
  arguments: {
    "[files...]": "a file, folder or pack:<name> with the scenario; choose one of several with --scenario",
  },
  flags: [
    flag("--save <file>", "save the session as a cassette"),
    flag(
      "--witness <what>",
      "play a conversation that rehearse found: outcome=value, a node, source->target, shortest or longest",
    ),
  ],
  settings: [
    "judge",
    "simulator",
    "scenario",
    "tag",
    "dataset",
    "limit",
    "row",
    "variant",
    "turnLimit",
    "seed",
  ],
  trust: true,
  examples: [
    "elenchus play pack:pressure --scenario pressure/doubt-first --save session.jsonl",
    "elenchus play capital.yaml --witness held_firm=false --save w.jsonl",
  ],
});
