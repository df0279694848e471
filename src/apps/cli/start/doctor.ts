import { resolve } from "node:path";
import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import type { Environment } from "../../../core/environment.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { isRecord } from "../../../core/values/json.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import { openStore } from "../../../engine/journal/store/open-store.ts";
import { isPostgresAddress, shownStore } from "../../../engine/journal/store/postgres/postgres-address.ts";
import { StoreError } from "../../../engine/journal/store/store-error.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { findProvider, firstSet } from "../../../engine/models/providers/provider.ts";
import { resolveToolServers } from "../../../engine/models/tools/resolve-tool-servers.ts";
import { cannotJudge, readByRules } from "../../../engine/run/required-models.ts";
import { resolveModels } from "../../../engine/run/resolve-models.ts";
import type { Subject } from "../../../engine/run/run-context.ts";
import type { JudgeOption, ModelOption, SubjectOption } from "../../../engine/run/run-options.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style, Terminal } from "../../../system/terminal/terminal.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import { loadProject, type Project } from "../../project/project-file.ts";
import type { ResolvedSettings } from "../../project/resolve-settings.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import type { SettingsRequest } from "../flags.ts";
import { readSettings } from "../read-settings.ts";
import { withoutConsent } from "../trust/consent.ts";
import { type Effect, settingEffects } from "../trust/project-effects.ts";
import { type Finding, type FindingLevel, providerFindings, providerSecrets } from "./doctor-providers.ts";

/** The options of `doctor`. */
interface DoctorOptions {
  readonly settings: SettingsRequest;
  /** True to make no network requests. */
  readonly offline: boolean;
  /** How long a provider may take to answer (default 5,000 ms). */
  readonly timeLimitMs?: number;
}

const MARKS: Readonly<Record<FindingLevel, readonly [mark: string, paint: keyof Style]>> = {
  fine: ["✓", "green"],
  none: ["·", "dim"],
  warning: ["!", "yellow"],
  broken: ["✗", "red"],
};

/** Reports what is configured and usable; fails if something that is configured is not usable. Never prints a secret. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const { environment, output } = terminal;
  const { style, width } = output;
  const findings: Finding[] = [];
  let secrets = providerSecrets({ environment, providers: {} });
  const safe = (text: string): string => printableText(redactSecrets(text, secrets));
  const print = (title: string, found: readonly Finding[]): void => {
    if (found.length === 0) return;
    findings.push(...found);
    const lines = found.flatMap(({ level, text }) => {
      const [mark, paint] = MARKS[level];
      return wrapText(safe(text), width - 4).map(
        (line, index) =>
          `  ${index === 0 ? style[paint](mark) : " "} ${level === "none" ? style.dim(line) : line}`,
      );
    });
    output.write(linesText([style.bold(title), ...lines, ""]));
  };

  print("Program", [
    { level: "fine", text: `Node ${process.versions.node}` },
    { level: "fine", text: `elenchus ${packageVersion()}` },
  ]);
  const read = await readProject(options.settings, terminal);
  print("Project", read.findings);
  if (read.resolved !== undefined) {
    const { settings } = read.resolved;
    const { providers } = settings;
    secrets = providerSecrets({ environment, providers });
    const { offline, timeLimitMs = 5_000 } = options;
    if (!read.open.some(({ isStore }) => isStore))
      print("Store", [await storeFinding(settings.store, terminal.folder)]);
    print("Subjects and judges", await modelFindings(settings, environment));
    const used = usedModels(settings);
    const unconsented = new Set(read.open.flatMap(({ provider }) => provider ?? []));
    const asked = { environment, providers, used, unconsented, offline, timeLimitMs };
    print("Providers", await providerFindings(asked));
    print("Tool servers (MCP)", toolFindings(settings.tools, environment));
  }
  const broken = findings.filter(({ level }) => level === "broken");
  const [first] = broken;
  const [mark, paint] = MARKS[first === undefined ? "fine" : "broken"];
  const sentence =
    first !== undefined
      ? `${countedText(broken.length, "problem")}. First: ${first.text}`
      : findings.some(({ level }) => level === "warning")
        ? "No problems; see the warnings marked with !."
        : "Everything is fine.";
  const lines = wrapText(safe(sentence), width - 2);
  output.write(linesText(lines.map((line, index) => `${index === 0 ? style[paint](mark) : " "} ${line}`)));
  return first === undefined ? 0 : 2;
}

interface ReadProject {
  readonly findings: readonly Finding[];
  readonly resolved?: ResolvedSettings;
  /** The effects of the project file that lack consent. */
  readonly open: readonly Effect[];
}

/** Reads the project file. If it is wrong, sections that depend on it are left out. */
async function readProject(request: SettingsRequest, terminal: Terminal): Promise<ReadProject> {
  try {
    const project = await loadProject({ folder: terminal.folder, file: request.config });
    const uses = request.trusts === true ? ({ uses: "everything" } as const) : { opensStore: false };
    const resolved = await readSettings(request, terminal, uses);
    const open = request.trusts === true ? [] : unconsentedEffects(project, resolved, terminal);
    const findings = open.map(
      ({ text }): Finding => ({
        level: "broken",
        text: `${project.file} needs your consent to ${text}. If you want this: elenchus doctor --trust`,
      }),
    );
    return { findings: [projectFinding(project, resolved), ...findings], resolved, open };
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    return { findings: error.problems.map((text) => ({ level: "broken", text })), open: [] };
  }
}

function unconsentedEffects(
  { file, folder: projectFolder }: Project,
  resolved: ResolvedSettings,
  { folder, environment }: Terminal,
): readonly Effect[] {
  // A project file that is code was named by the person, or was not run.
  if (file === null || isCodeFile(file)) return [];
  const effects = settingEffects({ resolved, folder, projectFolder });
  return withoutConsent(effects, resolve(folder, file), environment);
}

function projectFinding({ file, profiles }: Project, { profile }: ResolvedSettings): Finding {
  if (file === null) return { level: "none", text: "none, so defaults apply (to create one: elenchus init)" };
  const names = Object.keys(profiles);
  const known = names.length === 0 ? "no profiles" : `profiles: ${names.join(", ")}`;
  return { level: "fine", text: `${file}, ${known}${profile === null ? "" : `; in use: ${profile}`}` };
}

/** Where the store of a project is and whether it can be read; nothing is created or changed. */
async function storeFinding(path: string, folder: string): Promise<Finding> {
  const shown = isPostgresAddress(path) ? shownStore(path) : path;
  try {
    const store = await openStore(isPostgresAddress(path) ? path : resolve(folder, path), {
      readOnly: true,
      runs: [],
    });
    const runs = store.runs().length;
    await store.close();
    return { level: "fine", text: `${shown}: ${countedText(runs, "run")}` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "missing")
      return { level: "fine", text: `${shown}: does not exist yet; the first run creates it` };
    return { level: error.code === "read_only" ? "warning" : "broken", text: error.message };
  }
}

/** The tool servers of a project, and whether everything that they refer to exists; none is started or called. */
function toolFindings(tools: Settings["tools"], environment: Environment): readonly Finding[] {
  return Object.entries(tools).flatMap(([name, server]): readonly Finding[] => {
    try {
      resolveToolServers({ [name]: server }, environment);
      // Arguments and queries may hold secrets.
      const what = "url" in server ? new URL(server.url).origin : server.command;
      return [{ level: "fine", text: `${name}: ${what} (not ${"url" in server ? "called" : "started"})` }];
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return errorMessage(error)
        .split("\n")
        .map((text) => ({ level: "broken", text }));
    }
  });
}

type AnyOption = SubjectOption | JudgeOption;

/** Whether the subjects and judges of a project can be used. No model is called. */
async function modelFindings(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  const { subjects, judges, providers } = settings;
  let unjudged: readonly Subject[] = [];
  const problemsOf = async (
    tested: readonly SubjectOption[],
    judge: readonly JudgeOption[],
  ): Promise<readonly string[]> => {
    try {
      unjudged = readByRules(
        await resolveModels({ scenarios: [], subjects: tested, judge, providers, environment }),
      );
      return [];
    } catch (error) {
      if (error instanceof RunError) return error.problems;
      throw error;
    }
  };
  const found: Finding[] = [];
  if (subjects.length === 0)
    found.push({
      level: "warning",
      text: "no subject is configured: name one with --subject, or under subjects in the project file",
    });
  for (const subject of subjects)
    found.push(...optionFindings("subject", subject, await problemsOf([subject], [])));
  for (const judge of judges) found.push(...optionFindings("judge", judge, await problemsOf([], [judge])));
  if (found.some(({ level }) => level === "broken")) return found;
  // Each is fine by itself, but two may have the same name.
  const together = await problemsOf(subjects, judges);
  const agents = unjudged.filter(({ model }) => !("simulate" in model));
  const isOpen = judges.includes(SELF_JUDGE) && agents.length > 0 && together.length === 0;
  return [
    ...found,
    ...together.map((text): Finding => ({ level: "broken", text })),
    ...(isOpen ? [judgeFinding(agents, settings, environment)] : []),
  ];
}

/** A small model of each provider, which can read replies for others. */
const SMALL_MODELS: Readonly<Record<string, string>> = {
  openai: "gpt-5-mini",
  anthropic: "claude-haiku-4-5",
  google: "gemini-2.5-flash",
  openrouter: "openai/gpt-5-mini",
  groq: "llama-3.3-70b-versatile",
  mistral: "mistral-small-latest",
  together: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
  deepseek: "deepseek-chat",
  xai: "grok-4-fast",
};

/** Names a judge for subjects that cannot be their own: one whose key is there. */
function judgeFinding(
  agents: readonly Subject[],
  { providers }: Settings,
  environment: Environment,
): Finding {
  const found = Object.entries(SMALL_MODELS).find(
    ([name]) => firstSet(findProvider(name, providers)?.keyVariables ?? [], environment) !== undefined,
  );
  const advice =
    found === undefined
      ? "No provider has a key: set one, such as OPENAI_API_KEY, and name a judge: --judge openai/gpt-5-mini"
      : `A judge that works with the keys there are: --judge ${found.join("/")}`;
  return { level: "warning", text: `${cannotJudge(agents)}, so what rules leave stays unread. ${advice}` };
}

function optionFindings(part: string, option: AnyOption, problems: readonly string[]): readonly Finding[] {
  const name = nameOf(option);
  if (problems.length === 0) {
    const notes = {
      [RULES_JUDGE]: " (no model is asked)",
      [SELF_JUDGE]: " (each subject's own model reads what rules leave)",
    };
    return [{ level: "fine", text: `${part} ${name}${notes[option as keyof typeof notes] ?? ""}` }];
  }
  return problems.map((problem) => ({
    level: "broken",
    text: problem.startsWith(name) ? `${part} ${problem}` : `${part} ${name}: ${problem}`,
  }));
}

/** The models that are subjects, judges or the embedder, by the name of their provider. */
function usedModels({ subjects, judges, embedder }: Settings): ReadonlyMap<string, readonly string[]> {
  const names = [...subjects, ...judges].flatMap(referencesIn);
  if (typeof embedder === "string") names.push(embedder);
  const models = new Map<string, readonly string[]>();
  for (const name of new Set(names)) {
    const slash = name.indexOf("/");
    if (slash < 1 || name.includes("://")) continue;
    const provider = name.slice(0, slash);
    models.set(provider, [...(models.get(provider) ?? []), name.slice(slash + 1)]);
  }
  return models;
}

function nameOf(option: AnyOption): string {
  if (isPanel(option)) return option.name ?? `panel of ${option.panel.map(nameOf).join(", ")}`;
  if (typeof option === "object" && "model" in option)
    return option.name === undefined ? nameOf(option.model) : `${option.name} (${nameOf(option.model)})`;
  if (typeof option === "function") return `function ${option.name || "without a name"}`;
  return typeof option === "string" ? option : option.name;
}

/** The names of models; those made in code have none. */
function referencesIn(option: AnyOption): readonly string[] {
  if (isPanel(option)) return option.panel.flatMap(referencesIn);
  const model: ModelOption = typeof option === "object" && "model" in option ? option.model : option;
  return typeof model === "string" ? [model] : [];
}

function isPanel(option: AnyOption): option is Extract<JudgeOption, { readonly panel: unknown }> {
  return isRecord(option) && "panel" in option;
}
