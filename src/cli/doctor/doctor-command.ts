import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

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
