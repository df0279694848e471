import { InvalidArgumentError } from "commander";
import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenPlan {
  readonly detect: number;
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
    .description("say how many items and replicates would detect a difference between two subjects")
    .requiredOption("--detect <difference>", "the difference to detect: 0.05 or 5%", share)
    .option("--power <share>", "the chance of detecting it", share, 0.8)
    .option("--from <run>", "the run to take rate and variance from (default: the latest)")
    .option("--outcome <name>", "the outcome or declared rate (default: the first declared rate)")
    .option("--rate <share>", "assume this rate", share)
    .option("--icc <share>", "assume this correlation of replicates of one item", share)
    .option("--correlation <share>", "assume this correlation of the two subjects over items", share)
    .option("--json", "print data as JSON");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus plan --detect 0.05",
        "elenchus plan --detect 5% --rate 0.7 --icc 0.6 --correlation 0.5",
      ),
    )
    .action((given: GivenFlags & GivenPlan) =>
      execute(async () => {
        const { plan } = await import("./plan.ts");
        const { detect, power, from, outcome, rate, icc, correlation, json = false } = given;
        return plan(
          {
            settings: settingsRequest(given),
            detect,
            power,
            ...(from === undefined ? {} : { from }),
            ...(outcome === undefined ? {} : { outcome }),
            assumed: {
              ...(rate === undefined ? {} : { rate }),
              ...(icc === undefined ? {} : { icc }),
              ...(correlation === undefined ? {} : { correlation }),
            },
            json,
          },
          terminal,
        );
      }),
    );
};
