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
import type { ExitCode, OptionsOf } from "../command.ts";
import type { DOCTOR } from "../commands/start-commands.ts";
import type { SettingsRequest } from "../flags.ts";
import { readSettings } from "../read-settings.ts";
import { withoutConsent } from "../trust/consent.ts";
import { type Effect, settingEffects } from "../trust/project-effects.ts";
import { type Finding, type FindingLevel, providerFindings, providerSecrets } from "./doctor-providers.ts";

/** What `doctor` is told; a provider may take `timeLimitMs` to answer. */
type DoctorOptions = OptionsOf<typeof DOCTOR> & { readonly timeLimitMs?: number };

const MARKS: Readonly<Record<FindingLevel, readonly [mark: string, paint: keyof Style]>> = {
  fine: ["✓", "green"],
  none: ["·", "dim"],
  warning: ["!", "yellow"],
  broken: ["✗", "red"],
};

/** Reports what is configured and usable; fails if something that is configured is not usable. Never prints a secret. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const { offline, timeLimitMs = 5_000 } = options;
  const { environment, output } = terminal;
  const { style, width } = output;
  const findings: Finding[] = [];
  let secrets = providerSecrets(environment, {});
  const marked = ({ level, text }: Finding, room: number): readonly string[] => {
    const [mark, paint] = MARKS[level];
    return wrapText(printableText(redactSecrets(text, secrets)), room).map(
      (line, index) =>
        `${index === 0 ? style[paint](mark) : " "} ${level === "none" ? style.dim(line) : line}`,
    );
  };
  const print = (title: string, found: readonly Finding[]): void => {
    if (found.length === 0) return;
    findings.push(...found);
    const lines = found.flatMap((finding) => marked(finding, width - 4)).map((line) => `  ${line}`);
    output.write(linesText([style.bold(title), ...lines, ""]));
  };

  print("Program", [
    { level: "fine", text: `Node ${process.versions.node}` },
    { level: "fine", text: `elenchus ${packageVersion()}` },
  ]);
  const { findings: ofProject, resolved, open } = await readProject(options.settings, terminal);
  print("Project", ofProject);
  if (resolved !== undefined) {
    const { settings } = resolved;
    const { providers, tools } = settings;
    secrets = providerSecrets(environment, providers);
    if (!open.some(({ isStore }) => isStore))
      print("Store", [await storeFinding(settings.store, terminal.folder)]);
    print("Subjects and judges", await modelFindings(settings, environment));
    const used = usedModels(settings);
    const unconsented = new Set(open.flatMap(({ provider }) => provider ?? []));
    const asked = { environment, providers, used, unconsented, offline, timeLimitMs };
    print("Providers", await providerFindings(asked));
    print("Tool servers (MCP)", toolFindings(tools, environment));
  }
  const broken = findings.filter(({ level }) => level === "broken");
  const [first] = broken;
  const text = first
    ? `${countedText(broken.length, "problem")}. First: ${first.text}`
    : findings.some(({ level }) => level === "warning")
      ? "No problems; see the warnings marked with !."
      : "Everything is fine.";
  output.write(linesText(marked({ level: first ? "broken" : "fine", text }, width - 2)));
  return first ? 2 : 0;
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
  const check = async (tested: readonly SubjectOption[], judge: readonly JudgeOption[]) => {
    try {
      const models = await resolveModels({ scenarios: [], subjects: tested, judge, providers, environment });
      return { problems: [], unjudged: readByRules(models) };
    } catch (error) {
      if (error instanceof RunError) return { problems: error.problems, unjudged: [] };
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
    found.push(...optionFindings("subject", subject, (await check([subject], [])).problems));
  for (const judge of judges)
    found.push(...optionFindings("judge", judge, (await check([], [judge])).problems));
  if (found.some(({ level }) => level === "broken")) return found;
  // Each is fine by itself, but two may have the same name.
  const { problems, unjudged } = await check(subjects, judges);
  const agents = unjudged.filter(({ model }) => !("simulate" in model));
  return [
    ...found,
    ...problems.map((text): Finding => ({ level: "broken", text })),
    ...(judges.includes(SELF_JUDGE) && agents.length > 0
      ? [
          {
            level: "warning",
            text: `${cannotJudge(agents)}, so what rules leave stays unread. ${judgeAdvice(settings, environment)}`,
          } as const,
        ]
      : []),
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
function judgeAdvice({ providers }: Settings, environment: Environment): string {
  const found = Object.entries(SMALL_MODELS).find(
    ([name]) => firstSet(findProvider(name, providers)?.keyVariables ?? [], environment) !== undefined,
  );
  return found === undefined
    ? "No provider has a key: set one, such as OPENAI_API_KEY, and name a judge: --judge openai/gpt-5-mini"
    : `A judge that works with the keys there are: --judge ${found.join("/")}`;
}

function optionFindings(part: string, option: AnyOption, problems: readonly string[]): readonly Finding[] {
  const name = nameOf(option);
  const notes: Readonly<Record<string, string>> = {
    [RULES_JUDGE]: " (no model is asked)",
    [SELF_JUDGE]: " (each subject's own model reads what rules leave)",
  };
  if (problems.length === 0) return [{ level: "fine", text: `${part} ${name}${notes[name] ?? ""}` }];
  return problems.map((problem) => ({
    level: "broken",
    text: problem.startsWith(name) ? `${part} ${problem}` : `${part} ${name}: ${problem}`,
  }));
}

/** The models that are subjects, judges or the embedder, by the name of their provider. */
function usedModels({ subjects, judges, embedder }: Settings): ReadonlyMap<string, readonly string[]> {
  const names = [...subjects, ...judges].flatMap(referencesIn);
  const all = new Set(typeof embedder === "string" ? [...names, embedder] : names);
  const models = [...all].flatMap((name) => {
    const [, provider = "", model = ""] = /^([^/]+)\/(?!\/)(.*)$/s.exec(name) ?? [];
    return provider === "" || name.includes("://") ? [] : [{ provider, model }];
  });
  const byProvider = Map.groupBy(models, ({ provider }) => provider);
  return new Map([...byProvider].map(([name, list]) => [name, list.map(({ model }) => model)]));
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
