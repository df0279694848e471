import { type AddCommand, examples, repeatable } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus tag` */
export const addTagCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("tag")
    .description("give a run tags, which list shows; without tags, print those that it has")
    .argument("<run>", "the run, or the beginning of its name")
    .argument("[tags...]", "the tags to add")
    .option("--remove <tag>", "remove a tag; repeatable", repeatable);
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus tag 3f2a paper final", "elenchus tag 3f2a --remove final"))
    .action(
      (run: string, tags: readonly string[], given: GivenFlags & { readonly remove?: readonly string[] }) =>
        execute(async () => {
          const { tag } = await import("./tag.ts");
          return tag(
            { run, add: tags, remove: given.remove ?? [], settings: settingsRequest(given) },
            terminal,
          );
        }),
    );
};
