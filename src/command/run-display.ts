import type { Terminal } from "../terminal/terminal.ts";
import type { WatchMode } from "./run-view.ts";

/** How much a person wants to see of a run. */
export interface RunDisplay {
  /** Nothing but one line at the end. */
  readonly quiet: boolean;
  /** Events as lines of JSON. */
  readonly json: boolean;
  /** Annotations for GitHub; by default where its workflows run. */
  readonly github?: boolean;
}

/** How a run is watched that is displayed in this way. */
export function watchMode({ quiet, json }: RunDisplay, { environment }: Terminal): WatchMode {
  if (json) return "json";
  if (quiet) return "quiet";
  return environment.CI === undefined || environment.CI === "" ? "live" : "plain";
}

/** True if GitHub should be told what to mark. */
export function annotates({ github }: RunDisplay, { environment }: Terminal): boolean {
  return github ?? environment.GITHUB_ACTIONS === "true";
}
