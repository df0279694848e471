import { describe } from "../command.ts";
import { flag } from "../flags.ts";

export const DEMO = describe({
  name: "demo",
  about: "run the bundled benchmarks with simulated models: no key needed, takes a few seconds",
  examples: ["elenchus demo"],
});

export const INIT = describe({
  name: "init",
  about:
    "create a small project that runs at once: a scenario in YAML, one in TypeScript, and a project file",
  arguments: {
    "[folder]": "a new or existing folder; existing files are never overwritten (default: this one)",
  },
  examples: ["elenchus init my-benchmark", "cd my-benchmark && elenchus run"],
});

export const DOCTOR = describe({
  name: "doctor",
  about: "report which models, keys and tools are set up and reachable, without printing secrets",
  flags: [flag("--offline", "make no network requests")],
  settings: ["store"],
  trust: true,
  examples: ["elenchus doctor", "elenchus doctor --offline"],
});
