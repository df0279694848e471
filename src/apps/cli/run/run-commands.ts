import { InvalidArgumentError, Option } from "commander";
import { parseShard, type Shard } from "../../../engine/run/shard.ts";
import { DEFAULT_SETTINGS } from "../../project/settings.ts";
import { type AddCommand, examples, repeatable } from "../command.ts";
import {
  ALLOW_DRAFTS,
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  addTrustOriginFlag,
  DURABLE,
  displayOf,
  FAIL_UNDER_COVERAGE,
  FLAG_GROUPS,
  type GivenDisplay,
  type GivenFlags,
  MAX_COST,
  runFlags,
  SCENARIO_FILES,
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
    .argument("[files...]", SCENARIO_FILES);
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
    .option("--across-versions", "also compare scenarios and rows that changed since the baseline")
    .option("--fail-under-coverage <kind=share>", FAIL_UNDER_COVERAGE, repeatable)
    .optionsGroup(FLAG_GROUPS.answers)
    .option("--use-calls <run>", USE_CALLS, repeatable)
    .option("--record <file>", "record all answers in a cassette")
    .option("--replay <file>", "answer from a cassette: no model is called, no key is needed")
    .optionsGroup(FLAG_GROUPS.project)
    .option("--name <run>", "the name of the run (default: a random one)")
    .option("--view", "open the viewer and follow the run in it; it stays open until Ctrl-C")
    .option("--otel", "send traces and metrics over OTLP to OTEL_EXPORTER_OTLP_ENDPOINT")
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
          const { watchRuns } = await import("../watch/watch.ts");
          return watchRuns({ names, settings: settingsRequest(given), ...given }, terminal);
        }
        const { run } = await import("./run.ts");
        const { name, useCalls, record, replay, maxCost, shard, workers } = given;
        const { baseline, failIfWorse = [], acrossVersions = false } = given;
        return run(
          {
            names,
            settings: settingsRequest(given),
            display: displayOf(given),
            explains: given.explainConfig ?? false,
            isDurable: given.durable ?? false,
            opensViewer: given.view ?? false,
            sendsTelemetry: given.otel ?? false,
            allowDrafts: given.allowDrafts ?? false,
            failUnderCoverage: given.failUnderCoverage ?? [],
            gate: { baseline, failIfWorse, acrossVersions },
            run: name,
            useCalls,
            record,
            replay,
            maxCost,
            shard,
            workers,
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

interface GivenResume extends GivenFlags, GivenDisplay {
  readonly retryErrors?: true;
  readonly durable?: true;
  readonly workers?: string;
  readonly maxCost?: string;
  readonly useCalls?: readonly string[];
  readonly retryUnreadable?: true;
  readonly trustOrigin?: true;
}

/** `elenchus resume` */
export const addResumeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("resume")
    .description("resume an unfinished run; finished conversations are not repeated")
    .argument("[run]", "the run, or the beginning of its name (default: the latest that is not finished)")
    .argument("[files...]", "the scenarios (default: those of the run, if it was started here)")
    .option(
      "--retry-errors",
      "also retry conversations that ended in an error, from the failed turn on, and judge again what a judge failed at",
    );
  command.addOption(
    new Option("--use-calls <run>", USE_CALLS).argParser(repeatable).helpGroup(FLAG_GROUPS.answers),
  );
  command.addOption(new Option("--max-cost <limit>", MAX_COST).helpGroup(FLAG_GROUPS.limits));
  command.addOption(new Option("--durable", DURABLE).helpGroup(FLAG_GROUPS.project));
  command.addOption(
    new Option("--workers <address>", "let workers run what is left: postgres://… or redis://…").helpGroup(
      FLAG_GROUPS.project,
    ),
  );
  addSettingFlags(command, runFlags("allowUnread", "dataset", "skipBadRows", "variant", "fresh"));
  addTrustFlag(addTrustOriginFlag(command));
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples(
        "elenchus resume",
        "elenchus resume 3f2a --retry-errors --budget 10usd",
        "elenchus resume 3f2a scenarios/ --subject openai/gpt-5-mini",
      ),
    )
    .action((run: string | undefined, names: readonly string[], given: GivenResume) =>
      execute(async () => {
        const { resume } = await import("./resume.ts");
        return resume(
          {
            names,
            settings: settingsRequest(given),
            display: displayOf(given),
            retryErrors: given.retryErrors ?? false,
            retryUnreadable: given.retryUnreadable ?? false,
            trustsOrigin: given.trustOrigin ?? false,
            isDurable: given.durable ?? false,
            useCalls: given.useCalls,
            maxCost: given.maxCost,
            workers: given.workers,
            run,
          },
          terminal,
        );
      }),
    );
};

/** `elenchus why-miss` */
export const addWhyMissCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("why-miss")
    .description("explain the cache misses of a run: the most similar earlier call, and what differs")
    .argument("[run]", "the run, or the beginning of its name (default: the latest)")
    .argument("[conversation]", "only this conversation of the run");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus why-miss", "elenchus why-miss 3f2a 8c1e"))
    .action((run: string | undefined, conversation: string | undefined, given: GivenFlags) =>
      execute(async () => {
        const { whyMissCommand } = await import("./why-miss.ts");
        return whyMissCommand({ run, conversation, settings: settingsRequest(given) }, terminal);
      }),
    );
};
