import { type AddCommand, examples } from "../command.ts";
import {
  addDisplayFlags,
  addSettingFlags,
  displayOf,
  type GivenDisplay,
  type GivenFlags,
  settingsRequest,
} from "../flags.ts";

interface GivenMerge extends GivenFlags, GivenDisplay {
  readonly as?: string;
}

/** `elenchus merge` */
export const addMergeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("merge")
    .description("join the shards of a run into one run, and report its results")
    .argument("<stores...>", "the stores of all shards that run --shard made")
    .option("--as <run>", "the name of the merged run (default: that of the shards, if they share one)");
  addSettingFlags(command, ["failUnder", "failOnErrors", "junit", "store"]);
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples(
        "elenchus merge shard-1.db shard-2.db shard-3.db",
        "elenchus merge shards/*.db --store all.db --fail-under resisted=0.9:lower",
      ),
    )
    .action((stores: readonly string[], given: GivenMerge) =>
      execute(async () => {
        const { merge } = await import("./merge.ts");
        const { as } = given;
        return merge(
          {
            stores,
            settings: settingsRequest(given),
            display: displayOf(given),
            ...(as === undefined ? {} : { as }),
          },
          terminal,
        );
      }),
    );
};
