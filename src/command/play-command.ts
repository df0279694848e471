import { ProjectError } from "../project/project-error.ts";
import { runOptionsOf } from "../project/run-options-of.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit-code.ts";
import { play } from "./play.ts";
import { readScenarios } from "./read-scenarios.ts";
import { readSettings, type SettingsRequest } from "./read-settings.ts";

/** What `play` is told on the command line. */
export interface PlayCommandOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly as: "subject" | "questioner";
  readonly save?: string;
}

const SHOWN = 12;

/** Finds the one scenario that is meant, and plays it. */
export async function playCommand(options: PlayCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { as, save } = options;
  const { settings } = await readSettings(options.settings, terminal, { runsCode: true });
  const { judges, subjects, rows } = settings;
  const [scenario, ...more] = await readScenarios(options.names, settings, terminal);
  if (scenario === undefined || more.length > 0) {
    const names = [scenario, ...more].slice(0, SHOWN).map((one) => one?.name);
    const rest = more.length + 1 > SHOWN ? ` and ${more.length + 1 - SHOWN} more` : "";
    throw new ProjectError([`Which scenario? Say it with --scenario: ${names.join(", ")}${rest}.`]);
  }
  const [judge = "rules", otherJudge] = judges;
  if (otherJudge !== undefined) throw new ProjectError(["One judge is enough to play. Name one: --judge"]);
  const [subject, otherSubject] = subjects;
  if (as === "questioner" && (subject === undefined || otherSubject !== undefined))
    throw new ProjectError(["Whom do you want to ask? Name one model: --subject ollama/llama3.2"]);
  const { turnLimit = 20, seed = 0, ...others } = runOptionsOf(settings);
  return play(
    {
      ...others,
      scenario,
      as,
      judge,
      turnLimit,
      seed,
      environment: terminal.environment,
      words: [...options.names, "--scenario", scenario.name],
      ...(rows?.[0] === undefined ? {} : { row: rows[0] }),
      ...(subject === undefined ? {} : { subject }),
      ...(save === undefined ? {} : { save }),
    },
    terminal,
  );
}
