import { type AddCommand, examples } from "../command.ts";

/** `elenchus init` */
export const addInitCommand: AddCommand = (program, { terminal, execute }) => {
  program
    .command("init")
    .description(
      "write a small project that runs at once: a scenario in YAML and in TypeScript, and a project file",
    )
    .argument("[folder]", "a new or an existing folder; no file in it is written over", ".")
    .addHelpText("after", examples("elenchus init my-benchmark", "cd my-benchmark && elenchus run"))
    .action((folder: string) =>
      execute(async () => {
        const { init } = await import("./init.ts");
        return init({ folder }, terminal);
      }),
    );
};
