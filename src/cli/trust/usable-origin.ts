import { resolve } from "node:path";
import type { RunSummary } from "../../journal/store/store.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { findProjectFile, loadProject } from "../../project/load-project.ts";
import { ProjectError } from "../../project/project-error.ts";
import { parseSetFlag, resolveSettings } from "../../project/resolve-settings.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { lacksSecrets, originOf, type RunOrigin, whereAsked } from "../run/run-origin.ts";
import { effectLines } from "./consent.ts";
import { codeEffect, codeEffects, type Effect, quoted, settingEffects } from "./project-effects.ts";
import { type SealState, sealState } from "./run-seal.ts";

/** What decides whether the words that a run was asked for with are used again. */
export interface OriginRequest {
  readonly command: "resume" | "regrade";
  /** The path of the store, as the command has it. */
  readonly store: string;
  /** The files that the person names now. */
  readonly names: readonly string[];
  /** True if `--trust-origin` was given. */
  readonly trustsOrigin: boolean;
  readonly terminal: Terminal;
}

/** Why the words of a run are not used, and what to type instead. */
export interface UnusedOrigin {
  readonly reason: string;
  readonly advice: string;
}

/**
 * The words that a run was asked for with, if they may be used: this user made the run on this machine, or consents with
 * `--trust-origin`, after which all that they do is printed. What is stored is data: otherwise nothing of it is used.
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
  const there = whereAsked(origin, store, terminal);
  const state = sealState(summary.start, there.folder, terminal.environment);
  if (state !== "valid" && !trustsOrigin) {
    const says = await originLines(origin, there);
    return { unused: unusedOrigin(REASONS[state], summary, { ...request, says }) };
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
      `Run ${printableText(summary.run)} is used as it was begun, since you trust it:\n${await originLines(origin, there)}\n`,
    );
  return { origin };
}

/** True if this user made a run on this machine. */
export function isMadeHere({ start }: RunSummary, store: string, terminal: Terminal): boolean {
  const origin = originOf(start);
  if (origin === undefined) return false;
  return sealState(start, whereAsked(origin, store, terminal).folder, terminal.environment) === "valid";
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
  { command, says, isOwn = false }: OriginRequest & { readonly says?: string; readonly isOwn?: boolean },
): UnusedOrigin {
  const run = printableText(summary.run);
  const shown =
    says === undefined ? "" : ` It says that it was begun with the following, which is not used:\n${says}`;
  const trusting =
    isOwn || says === undefined
      ? ""
      : `\nTo use all that is listed above, if you trust it:\n  elenchus ${command} ${quoted(run)} --trust-origin`;
  return {
    reason: isOwn
      ? `Run ${run} cannot be used as it was begun: ${reason}.`
      : `Run ${run} does not count as yours: ${reason}.`,
    advice:
      `${shown}\nTo continue with settings of your own:\n  ${commandToType(summary, command)}${trusting}`.trim(),
  };
}

/** Names that can be typed as they are, and neither lead elsewhere nor run anything. */
const PLAIN_MODEL = /^(?:sim\/[\w.?=&,-]+|[a-z][\w-]*\/[\w.:@/-]+|rules)$/;
const PLAIN_FILE = /^(?:pack:[\w-]+|(?!-|\/)(?!.*\.\.)[\w./-]+)$/;

/** The command with everything that a person must say again. Of what the run says, only what is harmless to type is filled in. */
function commandToType({ run, start }: RunSummary, command: "resume" | "regrade"): string {
  const { subjects, judges, replicates, seed, configuration } = start;
  const names = (originOf(start)?.names ?? []).filter((name) => PLAIN_FILE.test(name) && !isCodeFile(name));
  const files = names.length > 0 ? names : ["FILES"];
  const model = (name: string): string => (PLAIN_MODEL.test(name) ? name : "MODEL");
  const isOther = judges.length !== 1 || judges[0] !== "rules";
  const { turnLimit } = configuration;
  const words = [
    ...(command === "regrade" ? [] : subjects.flatMap((name) => ["--subject", model(name)])),
    ...(isOther ? judges.flatMap((name) => ["--judge", model(name)]) : []),
    ...(replicates === 1 ? [] : ["--replicates", String(Number(replicates))]),
    ...(seed === 0 ? [] : ["--seed", String(Number(seed))]),
    ...(turnLimit === undefined || turnLimit === 20 ? [] : ["--turn-limit", String(Number(turnLimit))]),
  ];
  return ["elenchus", command, quoted(printableText(run)), ...files, ...words].join(" ");
}

/** Everything that the words of a run make a command do, line by line. Nothing is run or started to find out. */
async function originLines(origin: RunOrigin, there: Terminal): Promise<string> {
  const { names, settings, replay } = origin;
  const { folder } = there;
  const config =
    settings.config === undefined
      ? await findProjectFile(folder).catch(() => null)
      : resolve(folder, settings.config);
  const lines: string[] = [`the folder ${folder}`];
  if (config !== null) lines.push(`the project file ${config}`);
  if (settings.profile !== undefined) lines.push(`--profile ${settings.profile}`);
  if (names.length > 0) lines.push(`the scenarios ${names.map(quoted).join(" ")}`);
  for (const { flag, value } of settings.flags) lines.push(`${flag} ${textOf(value)}`);
  for (const set of settings.sets) lines.push(`--set ${openSetting(set)}`);
  if (replay !== undefined) lines.push(`--replay ${resolve(folder, replay)}`);
  const shown = lines.map((line) => `  - ${printableText(line)}`).join("\n");
  const effects = await originEffects(origin, config, folder);
  return effects.length === 0 ? shown : `${shown}\nWith that it would:\n${effectLines(effects)}`;
}

/** What comes of it, as far as it can be known without running a project file that is code. */
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
    const meant = names.length > 0 ? names : resolved.settings.scenarios;
    effects.push(...settingEffects({ resolved, folder, projectFolder: project.folder, all: true }));
    effects.push(...(await codeEffects(meant, folder)));
  } catch (error) {
    // What is wrong with the settings is said when they are used.
    if (!(error instanceof ProjectError)) throw error;
  }
  return effects;
}

function textOf(value: unknown): string {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => quoted(typeof item === "string" ? item : JSON.stringify(item))).join(" ");
}

/** A setting as it was given; of headers and variables, only the names. */
function openSetting(text: string): string {
  const given = parseSetFlag(text);
  if (typeof given === "string") return quoted(text);
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
