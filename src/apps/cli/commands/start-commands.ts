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
  flags: [
    flag("--from <file>", "write a scenario for the rows of this table instead, check it and run it once"),
    flag("--map <columns>", "with --from: question=<column>,answer=<column>,wrong=<column>", {
      isList: true,
    }),
    flag("--example <name>", "copy this example instead, such as branching or cookbook/rule"),
  ],
  examples: [
    "elenchus init my-benchmark",
    "elenchus init --from capitals.csv",
    "elenchus init --from fragen.csv --map question=Frage,answer=Antwort,wrong=Falsch",
    "elenchus init --example progressive-disclosure",
  ],
});

export const DOCTOR = describe({
  name: "doctor",
  about: "report which models, keys and tools are set up and reachable, without printing secrets",
  flags: [flag("--offline", "make no network requests")],
  settings: ["store"],
  trust: true,
  examples: ["elenchus doctor", "elenchus doctor --offline"],
});
