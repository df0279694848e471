import { type AddCommand, examples } from "../command.ts";

/** `elenchus init` */
export const addInitCommand: AddCommand = (program, { terminal, execute }) => {
  program
    .command("init")
    .description(
      "create a small project that runs at once: a scenario in YAML, one in TypeScript, and a project file",
    )
    .argument("[folder]", "a new or existing folder; existing files are never overwritten", ".")
    .addHelpText("after", examples("elenchus init my-benchmark", "cd my-benchmark && elenchus run"))
    .action((folder: string) =>
      execute(async () => {
        const { init } = await import("./init.ts");
        return init({ folder }, terminal);
      }),
    );
};
