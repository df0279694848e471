import { InvalidArgumentError } from "commander";
import { DEFAULT_SETTINGS } from "../../project/settings.ts";
import { parseShard, type Shard } from "../../run/shard.ts";
import { type AddCommand, examples, repeatable } from "../command.ts";
import {
  ALLOW_DRAFTS,
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  DURABLE,
  displayOf,
  FAIL_UNDER_COVERAGE,
  FLAG_GROUPS,
  type GivenDisplay,
  type GivenFlags,
  MAX_COST,
  runFlags,
  settingsRequest,
  USE_CALLS,
  WATCH,
} from "../flags.ts";

interface GivenRun extends GivenFlags, GivenDisplay {
  readonly name?: string;
  readonly durable?: true;
  readonly useCalls?: readonly string[];
  readonly record?: string;
  readonly replay?: string;
  readonly explainConfig?: true;
  readonly view?: true;
  readonly otel?: true;
  readonly allowDrafts?: true;
  readonly baseline?: string;
  readonly failIfWorse?: readonly string[];
  readonly acrossVersions?: true;
  readonly maxCost?: string;
  readonly watch?: true;
  readonly failUnderCoverage?: readonly string[];
  readonly shard?: Shard;
  readonly workers?: string;
}

/** `elenchus run` */
export const addRunCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("run")
    .description("run scenarios against models and report the results")
    .argument(
      "[files...]",
      "files, folders, patterns, pack:<name>, or - for standard input; .ts and .js files are executed",
    );
  addSettingFlags(command, runFlags(), { defaults: DEFAULT_SETTINGS })
    .optionsGroup(FLAG_GROUPS.models)
    .option("--allow-drafts", ALLOW_DRAFTS)
    .option("--shard <k/n>", "only part k of n of the conversations; merge joins the parts", shardOf)
    .optionsGroup(FLAG_GROUPS.limits)
    .option("--max-cost <limit>", MAX_COST)
    .optionsGroup(FLAG_GROUPS.results)
    .option(
      "--baseline <run or file>",
      "compare the results with an earlier run, or a file of export --baseline",
    )
    .option(
      "--fail-if-worse <outcome=margin>",
      "exit 1 if an outcome is worse than in the baseline; resisted=0.05:point tests the difference itself",
      repeatable,
    )
    .option("--across-versions", "compare with the baseline although scenarios have changed")
    .option("--fail-under-coverage <kind=share>", FAIL_UNDER_COVERAGE, repeatable)
    .optionsGroup(FLAG_GROUPS.answers)
    .option("--use-calls <run>", USE_CALLS, repeatable)
    .option("--record <file>", "record all answers in a cassette")
    .option("--replay <file>", "answer from a cassette: no model is called, no key is needed")
    .optionsGroup(FLAG_GROUPS.project)
    .option("--name <run>", "the name of the run (default: a random one)")
    .option("--view", "open the viewer, which shows the run as it goes on; it stays open until Ctrl-C")
    .option("--otel", "send traces and metrics over OTLP to where OTEL_EXPORTER_OTLP_ENDPOINT says")
    .option("--watch", WATCH)
    .option("--durable", DURABLE)
    .option(
      "--workers <address>",
      "let workers run the conversations: postgres://… (store and queue) or redis://… (queue)",
    )
    .option("--explain-config", "print every setting and where it comes from, and exit");
  addTrustFlag(command);
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples(
        "elenchus run pack:pressure --subject openai/gpt-5-mini --replicates 5 --budget 2usd",
        "elenchus run scenarios/ --subject sim/sycophant --subject sim/steadfast",
        "elenchus run --profile ci --fail-under resisted=0.9:lower --junit results.xml",
      ),
    )
    .action((names: readonly string[], given: GivenRun) =>
      execute(async () => {
        if (given.watch) {
          const { watchRuns } = await import("../watch/watch-runs.ts");
          return watchRuns({ names, settings: settingsRequest(given), ...given }, terminal);
        }
        const { run } = await import("./run.ts");
        const { name, useCalls, record, replay, explainConfig, view, otel, allowDrafts, shard } = given;
        const { baseline, failIfWorse = [], acrossVersions = false } = given;
        return run(
          {
            names,
            settings: settingsRequest(given),
            display: displayOf(given),
            explains: explainConfig ?? false,
            isDurable: given.durable ?? false,
            opensViewer: view ?? false,
            sendsTelemetry: otel ?? false,
            allowDrafts: allowDrafts ?? false,
            failUnderCoverage: given.failUnderCoverage ?? [],
            gate: { failIfWorse, acrossVersions, ...(baseline === undefined ? {} : { baseline }) },
            ...(name === undefined ? {} : { run: name }),
            ...(given.maxCost === undefined ? {} : { maxCost: given.maxCost }),
            ...(useCalls === undefined ? {} : { useCalls }),
            ...(record === undefined ? {} : { record }),
            ...(replay === undefined ? {} : { replay }),
            ...(shard === undefined ? {} : { shard }),
            ...(given.workers === undefined ? {} : { workers: given.workers }),
          },
          terminal,
        );
      }),
    );
};

function shardOf(text: string): Shard {
  const shard = parseShard(text);
  if (typeof shard === "string") throw new InvalidArgumentError(shard);
  return shard;
}
