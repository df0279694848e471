import { resolve } from "node:path";
import { SELF_JUDGE } from "../../../core/defaults.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import { printableText, runWord, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { ProjectError } from "../../project/project-error.ts";
import { findProjectFile, loadProject } from "../../project/project-file.ts";
import { parseSetFlag, resolveSettings } from "../../project/resolve-settings.ts";
import { effectLines } from "./consent.ts";
import { codeEffect, codeEffects, type Effect, settingEffects } from "./project-effects.ts";
import { lacksSecrets, originOf, type RunOrigin, terminalOfOrigin } from "./run-origin.ts";
import { type SealState, sealState } from "./run-seal.ts";

/** What decides whether the stored command line of a run is used. */
interface OriginRequest {
  readonly command: "resume" | "regrade";
  /** The path of the store, as the command has it. */
  readonly store: string;
  /** The files that the current command names. */
  readonly names: readonly string[];
  /** True if `--trust-origin` was given. */
  readonly trustsOrigin: boolean;
  readonly terminal: Terminal;
}

/** Why the stored command line of a run is not used, and what to type instead. */
export interface UnusedOrigin {
  readonly reason: string;
  readonly advice: string;
}

/**
 * The stored command line of a run, if it may be used: this user started the run on this machine, or consents with `--trust-origin`; then
 * everything that it does is printed. Otherwise nothing of it is used: what is stored is data.
 */
export async function usableOrigin(
  summary: RunSummary,
  request: OriginRequest,
): Promise<
  | { readonly origin: RunOrigin; readonly unused?: never }
  | { readonly origin?: never; readonly unused: UnusedOrigin }
> {
  const { terminal, trustsOrigin, store } = request;
  const origin = originOf(summary.start);
  if (origin === undefined)
    return { unused: unusedOrigin("it does not say on which command line it was begun", summary, request) };
  const originTerminal = terminalOfOrigin(origin, store, terminal);
  const state = sealState(summary.start, originTerminal.folder, terminal.environment);
  if (state !== "valid" && !trustsOrigin) {
    const originText = await originLines(origin, originTerminal);
    return { unused: unusedOrigin(REASONS[state], summary, { ...request, originText }) };
  }
  if (lacksSecrets(origin))
    return {
      unused: unusedOrigin("it was begun with a secret on the command line, which is never kept", summary, {
        ...request,
        isOwn: true,
      }),
    };
  if (state !== "valid")
    terminal.messages.write(
      `Run ${printableText(summary.run)} is used as it was begun, since you trust it:\n${await originLines(origin, originTerminal)}\n`,
    );
  return { origin };
}

/** True if this user started a run on this machine. */
export function isMadeHere({ start }: RunSummary, store: string, terminal: Terminal): boolean {
  const origin = originOf(start);
  if (origin === undefined) return false;
  return sealState(start, terminalOfOrigin(origin, store, terminal).folder, terminal.environment) === "valid";
}

const REASONS: Readonly<Record<Exclude<SealState, "valid">, string>> = {
  missing: "it was imported, copied from another machine, or made by an earlier release",
  invalid: "it was made by another user, on another machine or in another folder, or was changed since",
  "no key":
    "there is no folder for your own configuration, so runs that you made cannot be told from others; set HOME or XDG_CONFIG_HOME",
};

function unusedOrigin(
  reason: string,
  summary: RunSummary,
  {
    command,
    originText,
    isOwn = false,
  }: OriginRequest & { readonly originText?: string; readonly isOwn?: boolean },
): UnusedOrigin {
  const run = printableText(summary.run);
  const shown =
    originText === undefined
      ? ""
      : ` It says that it was begun with the following, which is not used:\n${originText}`;
  const trusting =
    isOwn || originText === undefined
      ? ""
      : `\nTo use all that is listed above, if you trust it:\n  elenchus ${command} ${runWord(run)} --trust-origin`;
  return {
    reason: isOwn
      ? `Run ${run} cannot be used as it was begun: ${reason}.`
      : `Run ${run} does not count as yours: ${reason}.`,
    advice:
      `${shown}\nTo continue with settings of your own:\n  ${commandToType(summary, command)}${trusting}`.trim(),
  };
}

/** Names that are safe to suggest: they lead to no other folder or address, and run nothing. */
const PLAIN_MODEL = /^(?:sim\/[\w.?=&,-]+|[a-z][\w-]*\/[\w.:@/-]+|rules|self)$/;
const PLAIN_FILE = /^(?:pack:[\w-]+|(?!-|\/)(?!.*\.\.)[\w./-]+)$/;

/** The command to type, with everything that the run does not provide. Of its stored values, only harmless ones are filled in. */
function commandToType({ run, start }: RunSummary, command: "resume" | "regrade"): string {
  const { subjects, judges, replicates, seed, configuration } = start;
  const names = (originOf(start)?.names ?? []).filter((name) => PLAIN_FILE.test(name) && !isCodeFile(name));
  const files = names.length > 0 ? names : ["FILES"];
  const model = (name: string): string => (PLAIN_MODEL.test(name) ? name : "MODEL");
  const isOther = judges.length !== 1 || judges[0] !== SELF_JUDGE;
  const { turnLimit } = configuration;
  const words = [
    ...(command === "regrade" ? [] : subjects.flatMap((name) => ["--subject", model(name)])),
    ...(isOther ? judges.flatMap((name) => ["--judge", model(name)]) : []),
    ...(replicates === 1 ? [] : ["--replicates", String(Number(replicates))]),
    ...(seed === 0 ? [] : ["--seed", String(Number(seed))]),
    ...(turnLimit === undefined || turnLimit === 20 ? [] : ["--turn-limit", String(Number(turnLimit))]),
  ];
  return ["elenchus", command, runWord(run), ...files, ...words].join(" ");
}

/** Everything that the stored command line would do, line by line. Nothing is run or started to find out. */
async function originLines(origin: RunOrigin, originTerminal: Terminal): Promise<string> {
  const { names, settings, replay } = origin;
  const { folder } = originTerminal;
  const config =
    settings.config === undefined
      ? await findProjectFile(folder).catch(() => null)
      : resolve(folder, settings.config);
  const lines: string[] = [`the folder ${folder}`];
  if (config !== null) lines.push(`the project file ${config}`);
  if (settings.profile !== undefined) lines.push(`--profile ${settings.profile}`);
  if (names.length > 0) lines.push(`the scenarios ${names.map(shellWord).join(" ")}`);
  for (const { flag, value } of settings.flags) lines.push(`${flag} ${textOf(value)}`);
  for (const set of settings.sets) lines.push(`--set ${shownSetting(set)}`);
  if (replay !== undefined) lines.push(`--replay ${resolve(folder, replay)}`);
  const shown = lines.map((line) => `  - ${printableText(line)}`).join("\n");
  const effects = await originEffects(origin, config, folder);
  return effects.length === 0 ? shown : `${shown}\nWith that it would:\n${effectLines(effects)}`;
}

/** The effects of it, as far as they are known without running a project file that is code. */
async function originEffects(
  { names, settings }: RunOrigin,
  config: string | null,
  folder: string,
): Promise<readonly Effect[]> {
  const isCode = config !== null && isCodeFile(config);
  const effects: Effect[] = isCode ? [codeEffect(config)] : [];
  try {
    const nothing = { settings: {}, profiles: {}, profile: null, lineOf: () => null, file: null, folder };
    const project = isCode || config === null ? nothing : await loadProject({ folder, file: config });
    const { flags, sets, profile } = settings;
    const resolved = resolveSettings({ project, folder, flags, sets, ...(isCode ? {} : { profile }) });
    const scenarioNames = names.length > 0 ? names : resolved.settings.scenarios;
    effects.push(...settingEffects({ resolved, folder, projectFolder: project.folder, all: true }));
    effects.push(...(await codeEffects(scenarioNames, folder)));
  } catch (error) {
    // Wrong settings are reported when they are used.
    if (!(error instanceof ProjectError)) throw error;
  }
  return effects;
}

function textOf(value: unknown): string {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => shellWord(typeof item === "string" ? item : JSON.stringify(item))).join(" ");
}

/** A value of `--set`; of headers and variables, only the names. */
function shownSetting(text: string): string {
  const given = parseSetFlag(text);
  if (typeof given === "string") return shellWord(text);
  const { path, flag, value } = given;
  const isHidden = path.includes("headers") || path.includes("env");
  const shown = isHidden ? "…" : JSON.stringify(value, (key, part: unknown) => namesOnly(key, part));
  return `${flag.slice("--set ".length)}=${shown}`;
}

function namesOnly(key: string, value: unknown): unknown {
  return (key === "headers" || key === "env") && typeof value === "object" && value !== null
    ? Object.keys(value)
    : value;
}
