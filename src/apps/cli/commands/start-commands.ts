import { type AddCommand, command, flag } from "../command.ts";
import { settingFlags } from "../flags.ts";

/** `elenchus demo`, `init`, `doctor` */
export const START_COMMANDS: readonly AddCommand[] = [
  command({
    name: "demo",
    about: "run the bundled benchmarks with simulated models: no key needed, takes a few seconds",
    examples: ["elenchus demo"],
    run: async (_, terminal) => (await import("../start/demo.ts")).demo(terminal),
  }),
  command({
    name: "init",
    about:
      "create a small project that runs at once: a scenario in YAML, one in TypeScript, and a project file",
    arguments: { "[folder]": ["a new or existing folder; existing files are never overwritten", "."] },
    examples: ["elenchus init my-benchmark", "cd my-benchmark && elenchus run"],
    run: async ({ folder = "." }, terminal) => (await import("../start/init.ts")).init({ folder }, terminal),
  }),
  command({
    name: "doctor",
    about: "report which models, keys and tools are set up and reachable, without printing secrets",
    flags: [flag("--offline", "make no network requests")],
    shared: settingFlags(["store"], { trust: true }),
    examples: ["elenchus doctor", "elenchus doctor --offline"],
    run: async (given, terminal) => (await import("../start/doctor.ts")).doctor(given, terminal),
  }),
];
