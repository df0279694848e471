import { InvalidArgumentError } from "commander";
import { DEFAULT_SETTINGS } from "../../project/settings.ts";
import { type AddCommand, command, flag, listFlag, valueFlag, wholeNumber } from "../command.ts";
import {
  ALLOW_DRAFTS,
  FLAG_GROUPS,
  runFlags,
  SCENARIO_FILES,
  settingFlags,
  USE_CALLS,
  WATCH,
} from "../flags.ts";

const OUTPUT = { group: FLAG_GROUPS.output };
const DIFFERENCE = { group: "A difference to detect:" };
const FORECAST = { group: "Forecast:" };

const SIDE = "a file, folder or pattern, pack:<name>, a stored run, or run:scenario";

/** A share: `0.05` or `5%`. */
function share(text: string): number {
  const value = text.trim().endsWith("%") ? Number(text.trim().slice(0, -1)) / 100 : Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("Expected a number from 0 to 1, or a percentage.");
}

/** `elenchus draft`, `check`, `diff`, `plan`, `rehearse`, `play` */
export const WRITE_COMMANDS: readonly AddCommand[] = [
  command({
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
    shared: settingFlags(["budget", "patience"], { trust: true }),
    examples: [
      'elenchus draft "Somebody insists that Sydney is the capital of Australia" --model openai/gpt-5-mini',
      "elenchus draft --from questions.csv --model openai/gpt-5-mini -o questions.yaml",
    ],
    run: async (given, terminal) => (await import("../write/draft.ts")).draftCommand(given, terminal),
  }),
  command({
    name: "check",
    about:
      "validate and lint scenarios: report each finding with line and column, and draw the valid scenarios",
    arguments: { "[files...]": SCENARIO_FILES },
    flags: [
      flag("--no-draw", "report findings only", OUTPUT),
      valueFlag("--format <format>", "format of the findings; sarif is 2.1.0, github prints annotations", {
        choices: ["text", "json", "sarif", "github"] as const,
        initial: "text",
        ...OUTPUT,
      }),
      flag("--json", "the same as --format json", OUTPUT),
      flag("--strict", "also exit 2 for warnings; notes never fail", OUTPUT),
      { ...WATCH, ...OUTPUT },
    ],
    shared: settingFlags(["judge", "scenario", "tag", "dataset", "skipBadRows"], { trust: true }),
    examples: [
      "elenchus check scenarios/",
      "elenchus check 'scenarios/**/*.yaml' --no-draw --strict",
      "elenchus check scenarios/ --format sarif > check.sarif",
    ],
    run: async ({ files: names, watch, ...given }, terminal) => {
      if (watch) {
        const { argumentsWithout, watchCommand } = await import("../watch/watch.ts");
        const argumentsOf = (): readonly string[] => argumentsWithout("--watch");
        return watchCommand({ names, settings: given.settings, argumentsOf }, terminal);
      }
      const { check } = await import("../write/check.ts");
      return check({ ...given, names, format: given.json ? "json" : given.format }, terminal);
    },
  }),
  command({
    name: "diff",
    about: "show what changed between two versions of scenarios, and which stored answers can still be used",
    arguments: { "<before>": `the earlier version: ${SIDE}`, "<after>": "the later version" },
    flags: [flag("--exit-code", "exit 1 if there is a difference"), flag("--json", "print data as JSON")],
    shared: settingFlags(["scenario", "tag", "store"]),
    examples: [
      "elenchus diff old.yaml new.yaml",
      "elenchus diff monday scenarios/",
      "elenchus diff monday:capital scenarios/capital.yaml --json",
    ],
    run: async (given, terminal) => (await import("../write/diff.ts")).diff(given, terminal),
  }),
  command({
    name: "plan",
    about:
      "forecast a run before the first call: conversations, calls, tokens, cost, time; and how many items detect a difference",
    arguments: { "[files...]": SCENARIO_FILES },
    flags: [
      ALLOW_DRAFTS,
      USE_CALLS,
      listFlag(
        "--assume <what=value>",
        "right=0.7, right.<node>=0.9, unreadable=0.05, unread=0.2 (left to the judge), done=0.5, reply=300 (tokens), steps=3 (calls in a turn with tools)",
        FORECAST,
      ),
      flag(
        "--from <run>",
        "estimate from this run (default: the latest runs of these scenarios and subjects)",
        FORECAST,
      ),
      flag("--json", "print data as JSON", FORECAST),
      valueFlag("--detect <difference>", "how many items and replicates detect it: 0.05 or 5%", {
        parse: share,
        ...DIFFERENCE,
      }),
      valueFlag("--power <share>", "the chance of detecting it", {
        parse: share,
        initial: 0.8,
        ...DIFFERENCE,
      }),
      flag("--outcome <name>", "the outcome or declared rate (default: the first declared rate)", DIFFERENCE),
      valueFlag("--rate <share>", "assume this rate", { parse: share, ...DIFFERENCE }),
      valueFlag("--icc <share>", "assume this correlation of replicates of one item", {
        parse: share,
        ...DIFFERENCE,
      }),
      valueFlag("--correlation <share>", "assume this correlation of the two subjects over items", {
        parse: share,
        ...DIFFERENCE,
      }),
    ],
    shared: settingFlags(runFlags("patience", "failUnder", "minDecided", "failOnErrors", "junit"), {
      defaults: DEFAULT_SETTINGS,
      trust: true,
    }),
    examples: [
      "elenchus plan pack:pressure --subject openai/gpt-5-mini --replicates 5",
      "elenchus plan scenarios/ --subject openai/gpt-5 --judge openai/gpt-5-mini --from pilot",
      "elenchus plan pack:pressure --subject openai/gpt-5 --assume right=0.9 --assume reply=400",
      "elenchus plan --detect 5% --rate 0.7 --icc 0.6 --correlation 0.5",
    ],
    run: async (
      { files: names, detect, power, outcome, rate, icc, correlation, ...given },
      terminal,
      fail,
    ) => {
      const [alone] =
        Object.entries({ outcome, rate, icc, correlation }).find(([, value]) => value !== undefined) ?? [];
      if (detect === undefined && alone !== undefined)
        fail(`--${alone} needs --detect, the difference to detect.`);
      const assumed = {
        ...(rate === undefined ? {} : { rate }),
        ...(icc === undefined ? {} : { icc }),
        ...(correlation === undefined ? {} : { correlation }),
      };
      const { plan } = await import("../write/plan.ts");
      const wanted = detect === undefined ? undefined : { detect, power, from: given.from, outcome, assumed };
      return plan({ ...given, names, detect: wanted }, terminal);
    },
  }),
  command({
    name: "rehearse",
    about: "explore all paths through scenarios without a model: what can happen, and what never can",
    arguments: {
      "[files...]": "files, folders, patterns or pack:<name>; .ts and .js files are executed",
    },
    flags: [
      valueFlag("--list <n>", "how many paths to list, the shortest first", {
        parse: wholeNumber(0),
        initial: 5,
      }),
      flag(
        "--witness <what>",
        "print one conversation: outcome=value, a node, source->target, shortest or longest",
      ),
      valueFlag("--max-states <n>", "how many states to explore at most (default: 20,000)", {
        parse: wholeNumber(1),
      }),
      flag("--json", "print data as JSON"),
    ],
    shared: settingFlags(["scenario", "tag", "dataset", "skipBadRows", "turnLimit"], { trust: true }),
    examples: [
      "elenchus rehearse scenarios/",
      "elenchus rehearse capital.yaml --witness held_firm=false",
      "elenchus play capital.yaml --witness held_firm=false",
    ],
    run: async ({ files: names, ...given }, terminal) =>
      (await import("../write/rehearse.ts")).rehearseCommand({ ...given, names }, terminal),
  }),
  command({
    name: "play",
    about: "answer the questions of a scenario yourself, or ask them, and see how each reply is read",
    arguments: {
      "[files...]": "a file, folder or pack:<name> with the scenario; choose one of several with --scenario",
    },
    flags: [
      valueFlag("--as <role>", "your role", {
        choices: ["subject", "questioner"] as const,
        initial: "subject",
      }),
      flag("--save <file>", "save the session as a cassette"),
      flag(
        "--witness <what>",
        "play a conversation that rehearse found: outcome=value, a node, source->target, shortest or longest",
      ),
    ],
    shared: settingFlags(
      ["subject", "judge", "simulator", "scenario", "tag", "dataset", "variant", "turnLimit", "seed"],
      { trust: true },
    ),
    examples: [
      "elenchus play pack:pressure --scenario pressure/capital-of-turkey --save session.jsonl",
      "elenchus play capital.yaml --as questioner --subject ollama/llama3.2",
      "elenchus play capital.yaml --witness held_firm=false --save w.jsonl",
    ],
    run: async ({ files: names, ...given }, terminal) =>
      (await import("../play/play.ts")).playCommand({ ...given, names }, terminal),
  }),
];
