import type { Settings } from "../../project/settings.ts";
import type { JudgeOption, SubjectOption } from "../../run/run-options.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { isCi, type WatchMode } from "./run-view.ts";

/** How much a person wants to see of a run. */
export interface RunDisplay {
  /** Nothing but one line at the end. */
  readonly quiet: boolean;
  /** Events as lines of JSON. */
  readonly json: boolean;
  /** Annotations for GitHub; by default where its workflows run. */
  readonly github?: boolean;
}

/** How a run is watched that is displayed in this way. Where a person answers, nothing must come between them and the questions. */
export function watchMode(
  { quiet, json }: RunDisplay,
  { subjects, judges }: Pick<Settings, "subjects" | "judges">,
  { environment }: Terminal,
): WatchMode {
  if (json) return "json";
  if (quiet || [...subjects, ...judges].some(isPerson)) return "quiet";
  return isCi(environment.CI) ? "plain" : "live";
}

/** True if GitHub should be told what to mark. */
export function annotates({ github }: RunDisplay, { environment }: Terminal): boolean {
  return github ?? environment.GITHUB_ACTIONS === "true";
}

function isPerson(option: SubjectOption | JudgeOption): boolean {
  return (
    option === "person" || (typeof option === "object" && "model" in option && option.model === "person")
  );
}
