import { InvalidArgumentError } from "commander";
import { DEFAULT_SETTINGS } from "../../project/settings.ts";
import { type AddCommand, examples, repeatable } from "../command.ts";
import {
  ALLOW_DRAFTS,
  addSettingFlags,
  addTrustFlag,
  FLAG_GROUPS,
  type GivenFlags,
  runFlags,
  SCENARIO_FILES,
  settingsRequest,
  USE_CALLS,
} from "../flags.ts";

interface GivenPlan {
  readonly assume?: readonly string[];
  readonly useCalls?: readonly string[];
  readonly allowDrafts?: true;
  readonly detect?: number;
  readonly power: number;
  readonly from?: string;
  readonly outcome?: string;
  readonly rate?: number;
  readonly icc?: number;
  readonly correlation?: number;
  readonly json?: true;
}

/** A share: `0.05` or `5%`. */
function share(text: string): number {
  const value = text.trim().endsWith("%") ? Number(text.trim().slice(0, -1)) / 100 : Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("Expected a number from 0 to 1, or a percentage.");
}

/** `elenchus plan` */
export const addPlanCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("plan")
    .description(
      "forecast a run before the first call: conversations, calls, tokens, cost, time; and how many items detect a difference",
    )
    .argument("[files...]", SCENARIO_FILES);
  addSettingFlags(command, runFlags("patience", "failUnder", "minDecided", "failOnErrors", "junit"), {
    defaults: DEFAULT_SETTINGS,
  })
    .optionsGroup(FLAG_GROUPS.models)
    .option("--allow-drafts", ALLOW_DRAFTS)
    .optionsGroup(FLAG_GROUPS.answers)
    .option("--use-calls <run>", USE_CALLS, repeatable)
    .optionsGroup("Forecast:")
    .option(
      "--assume <what=value>",
      "right=0.7, right.<node>=0.9, unreadable=0.05, unread=0.2 (left to the judge), done=0.5, reply=300 (tokens), steps=3 (calls in a turn with tools) (repeatable)",
      repeatable,
    )
    .option(
      "--from <run>",
      "estimate from this run (default: the latest runs of these scenarios and subjects)",
    )
    .option("--json", "print data as JSON")
    .optionsGroup("A difference to detect:")
    .option("--detect <difference>", "how many items and replicates detect it: 0.05 or 5%", share)
    .option("--power <share>", "the chance of detecting it", share, 0.8)
    .option("--outcome <name>", "the outcome or declared rate (default: the first declared rate)")
    .option("--rate <share>", "assume this rate", share)
    .option("--icc <share>", "assume this correlation of replicates of one item", share)
    .option("--correlation <share>", "assume this correlation of the two subjects over items", share);
  addTrustFlag(command)
    .addHelpText(
      "after",
      examples(
        "elenchus plan pack:pressure --subject openai/gpt-5-mini --replicates 5",
        "elenchus plan scenarios/ --subject openai/gpt-5 --judge openai/gpt-5-mini --from pilot",
        "elenchus plan pack:pressure --subject openai/gpt-5 --assume right=0.9 --assume reply=400",
        "elenchus plan --detect 5% --rate 0.7 --icc 0.6 --correlation 0.5",
      ),
    )
    .action((names: readonly string[], given: GivenFlags & GivenPlan) =>
      execute(async () => {
        const { plan } = await import("./plan.ts");
        const { assume = [], useCalls, allowDrafts = false, from, json = false } = given;
        const { detect, power, outcome, rate, icc, correlation } = given;
        const about = Object.entries({ outcome, rate, icc, correlation });
        const [alone] = about.find(([, value]) => detect === undefined && value !== undefined) ?? [];
        if (alone !== undefined) command.error(`error: --${alone} needs --detect, the difference to detect.`);
        const assumed = {
          ...(rate === undefined ? {} : { rate }),
          ...(icc === undefined ? {} : { icc }),
          ...(correlation === undefined ? {} : { correlation }),
        };
        return plan(
          {
            names,
            settings: settingsRequest(given),
            assume,
            from,
            useCalls,
            allowDrafts,
            detect: detect === undefined ? undefined : { detect, power, from, outcome, assumed },
            json,
          },
          terminal,
        );
      }),
    );
};
