import { describe } from "../command.ts";
import { AVERAGE, commaList, FAIL_UNDER_COVERAGE, flag, JSON_FLAG, wholeNumber } from "../flags.ts";

const ID = "the run, or the beginning of its name";

export const LIST = describe({
  name: "list",
  about: "list the runs of this project, latest first",
  flags: [
    flag("--limit <n>", "how many runs to list", { parse: wholeNumber(1), initial: 20 }),
    flag("--json", "print each run as a line of JSON"),
  ],
  settings: ["store"],
  examples: ["elenchus list", "elenchus list --json | head -1"],
});

export const SHOW = describe({
  name: "show",
  about: "show the results of a run and the paths of its conversations, or one conversation in full",
  arguments: { "[id]": "a run or a conversation, or the beginning of its name (default: the latest run)" },
  flags: [
    flag("--failures", "list errors, unread replies and failed outcomes"),
    flag("--details", "a table for each outcome, also of several subjects, with all counts"),
    flag("--by <names>", "rates by group, for example subject,variant.challenger,tag", {
      parse: commaList,
    }),
    AVERAGE,
    flag("--sequences", "how right answers last over turns: survival, flips, accuracy by turn"),
    flag("--noise", "where the noise comes from, and what would narrow intervals most"),
    flag(
      "--with <run>",
      "with --noise or --coverage: also count this run, for example with another simulator",
      { isList: true },
    ),
    flag("--agreement", "how far judges agree with each other and with human labels"),
    flag("--labels <file>", "human labels: a CSV file with conversation, turn, field, value"),
    flag("--coverage", "which nodes, edges, outcomes and paths were reached, and which were not"),
    FAIL_UNDER_COVERAGE,
    flag("--graphs", "draw all scenarios with how often each edge was taken (default: up to two)"),
    flag("--scenario <name>", "only this scenario"),
    flag("--subject <name>", "only this subject"),
    flag("--judge <name>", "only this judge"),
    flag("--variant <factor=level>", "only conversations with this level of a factor", { isList: true }),
    flag("--run <run>", "the run that the conversation is part of (default: the latest)"),
    JSON_FLAG,
  ],
  settings: ["store"],
  examples: [
    "elenchus show",
    "elenchus show --failures",
    "elenchus show 3f2a --scenario pressure/doubt-first",
  ],
});

export const VIEW = describe({
  name: "view",
  about: "look at runs in a browser: results, graphs, conversations",
  arguments: { "[run]": "a run, or the beginning of its name (default: the list of runs)" },
  flags: [
    flag("--no-open", "print the address, and do not open a browser"),
    flag("--port <n>", "the port to listen on (default: a free one)", {
      parse: wholeNumber(1, 65_535),
    }),
    flag("--export <folder>", "write the run as a folder of pages that open without a server"),
    flag("--single", "with --export: write one HTML file instead"),
    flag("--no-texts", "with --export: leave out questions and replies"),
    flag("--host <address>", "listen on this address instead of 127.0.0.1: others can then read your runs"),
  ],
  settings: ["store"],
  examples: [
    "elenchus view",
    "elenchus view 3f2a",
    "elenchus view --no-open --port 8080",
    "elenchus view 3f2a --export report",
  ],
});

export const COMPARE = describe({
  name: "compare",
  about: "compare runs or subjects, pair by pair, and test which differences are more than noise",
  arguments: { "[runs...]": "runs, or files that export wrote (default: the latest run)" },
  flags: [
    flag("--subject <name>", "compare these subjects", { isList: true }),
    flag("--baseline <subject>", "compare every other subject with this one (default: all pairs)"),
    flag("--outcome <name>", "only this outcome or declared rate", { isList: true }),
    flag("--by <names>", "compare within groups, for example variant.challenger,tag", {
      parse: commaList,
    }),
    AVERAGE,
    flag("--across-versions", "also compare scenarios and rows that differ"),
    flag("--discordant", "name the conversations that differ"),
    flag("--format <format>", "the output format", {
      choices: ["text", "json", "csv", "markdown"],
      initial: "text",
    }),
    flag("--json", "the same as --format json"),
    flag("-o, --output <file>", "the file to write (default: standard output)"),
  ],
  settings: ["store"],
  examples: [
    "elenchus compare monday tuesday",
    "elenchus compare --subject openai/gpt-5-mini --subject openai/gpt-5",
    "elenchus compare monday --baseline openai/gpt-5-mini --format markdown",
  ],
});

export const EXPORT = describe({
  name: "export",
  about: "export a run as a run file, a table, a cassette or logs; or scenarios for karenina",
  arguments: {
    "[run...]": `${ID} (default: the latest); for karenina: scenario files, folders or packs`,
  },
  flags: [
    flag(
      "--format <format>",
      "run: a file for import, compressed if its name ends in .zst; csv, json, parquet: a table; xlsx: results, conversations and turns for Excel; records: conversations for grade; cassette: the answers; inspect: logs for Inspect; karenina: scenarios as a checkpoint (default: by the name of the output, else run)",
      { choices: ["run", "csv", "json", "parquet", "xlsx", "records", "cassette", "inspect", "karenina"] },
    ),
    flag(
      "--table <table>",
      "the table for csv, json and parquet (default: by the name of the output, else conversations)",
      {
        choices: ["turns", "conversations", "outcomes", "calls", "rates"],
      },
    ),
    flag(
      "-o, --output <file>",
      "the file to write (default: standard output); for inspect, the folder (default: logs)",
    ),
    flag("--eval", "for inspect: archives (.eval) instead of JSON"),
    flag("--by-scenario", "for inspect: a log for each scenario and subject"),
    flag("--lossy", "for karenina: leave out what it cannot express"),
    flag("--by <names>", "what the table of rates is grouped by (default: subject)", {
      parse: commaList,
    }),
    AVERAGE,
    flag("--variant <factor=level>", "only conversations with this level of a factor, in tables", {
      isList: true,
    }),
    flag("--plot <file>", "draw how long right answers last as an SVG file"),
    flag("--baseline", "write a small file to compare later runs with: run --baseline, compare"),
  ],
  settings: ["store"],
  examples: [
    "elenchus export -o results.xlsx",
    "elenchus export -o conversations.csv",
    "elenchus export -o monday.jsonl.zst",
    "elenchus export 3f2a --format csv --table turns > turns.csv",
    "elenchus export --format cassette --output calls.jsonl",
    "elenchus export --baseline --output baseline.jsonl",
    "elenchus export --plot survival.svg",
    "elenchus export --format karenina scenarios/ --output benchmark.jsonld",
  ],
});

export const IMPORT = describe({
  name: "import",
  about: "import a run file into the store, or scenarios from a karenina checkpoint",
  arguments: {
    "<file>": "the file, or - for standard input; a karenina checkpoint ends in .jsonld",
  },
  flags: [
    flag("-o, --output <folder>", "for a checkpoint: the folder for its scenario files"),
    flag("--partial", "for a checkpoint: also import scenarios that can be translated only in part"),
    flag("--as <run>", "the name of the imported run (default: its own)"),
    flag("--use-calls", "also use its answers in new runs (default: only to show and regrade this run)"),
  ],
  settings: ["store"],
  examples: [
    "elenchus import monday.jsonl.zst",
    "elenchus import - --as theirs < monday.jsonl.zst",
    "elenchus import benchmark.jsonld --output scenarios",
  ],
});

export const TAG = describe({
  name: "tag",
  about: "add tags to a run, which list shows; without tags, print those of the run",
  arguments: { "<run>": ID, "[tags...]": "the tags to add" },
  flags: [flag("--remove <tag>", "remove a tag", { isList: true })],
  settings: ["store"],
  examples: ["elenchus tag 3f2a paper final", "elenchus tag 3f2a --remove final"],
});

export const DELETE = describe({
  name: "delete",
  about: "delete runs; answers of models stay, so that other runs can use them",
  arguments: { "<runs...>": "the runs, or the beginnings of their names" },
  flags: [flag("-y, --yes", "do not ask")],
  settings: ["store"],
  examples: ["elenchus delete 3f2a", "elenchus delete 3f2a monday --yes"],
});
