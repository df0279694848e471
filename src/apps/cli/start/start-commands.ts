import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus demo` */
export const addDemoCommand: AddCommand = (program, { terminal, execute }) => {
  program
    .command("demo")
    .description("run the bundled benchmarks with simulated models: no key needed, takes a few seconds")
    .addHelpText("after", examples("elenchus demo"))
    .action(() =>
      execute(async () => {
        const { demo } = await import("./demo.ts");
        return demo(terminal);
      }),
    );
};

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

/** `elenchus doctor` */
export const addDoctorCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("doctor")
    .description("report which models, keys and tools are set up and reachable, without printing secrets")
    .option("--offline", "make no network requests");
  addTrustFlag(addSettingFlags(command, ["store"]))
    .addHelpText("after", examples("elenchus doctor", "elenchus doctor --offline"))
    .action((given: GivenFlags & { readonly offline?: true }) =>
      execute(async () => {
        const { doctor } = await import("./doctor.ts");
        return doctor({ settings: settingsRequest(given), offline: given.offline ?? false }, terminal);
      }),
    );
};
