import type { Command } from "commander";
import type { RunDisplay } from "./run/run-display.ts";

/** What commander makes of the flags that say how a run is shown. */
export interface GivenDisplay {
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly github?: boolean;
}

/** Declares the flags that say how a run is shown. */
export function addDisplayFlags(command: Command): Command {
  return command
    .option("-q, --quiet", "no progress and no table: one line at the end")
    .option("--json", "every event as a line of JSON on standard output")
    .option("--github", "annotations for GitHub (default where its workflows run)")
    .option("--no-github", "no annotations");
}

/** How a run is to be shown. */
export function displayOf({ quiet = false, json = false, github }: GivenDisplay): RunDisplay {
  return { quiet, json, ...(github === undefined ? {} : { github }) };
}
