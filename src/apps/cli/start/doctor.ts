import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
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
import { resolveToolServers, type ToolServer } from "../../../engine/models/tools/resolve-tool-servers.ts";
import { cannotJudge, readByRules } from "../../../engine/run/required-models.ts";
import { resolveModels } from "../../../engine/run/resolve-models.ts";
import type { Subject } from "../../../engine/run/run-context.ts";
import type { JudgeOption, ModelOption, SubjectOption } from "../../../engine/run/run-options.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { secretQueryValues } from "../../../system/secrets/secret-data.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import { loadProject, type Project } from "../../project/project-file.ts";
import type { ResolvedSettings } from "../../project/resolve-settings.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { withoutConsent } from "../trust/consent.ts";
import { type Effect, settingEffects } from "../trust/project-effects.ts";
import { conclusionText, type DoctorSection, type Finding, sectionText } from "./doctor-finding.ts";
import { providerSecrets, providersSection } from "./doctor-providers.ts";

/** The options of `doctor`. */
interface DoctorOptions {
  readonly settings: SettingsRequest;
  /** True to make no network requests. */
  readonly offline: boolean;
  /** How long a provider may take to answer (default 5,000 ms). */
  readonly timeLimitMs?: number;
}

/** Reports what is configured and usable; fails if something that is configured is not usable. Never prints a secret. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const { environment, output } = terminal;
  const { style, width } = output;
  const findings: Finding[] = [];
  let secrets = providerSecrets({ environment, providers: {} });
  const printSection = (section: DoctorSection): void => {
    if (section.findings.length === 0) return;
    findings.push(...section.findings);
    output.write(`${sectionText(section, { style, width, secrets })}\n`);
  };

  printSection({ title: "Program", findings: programFindings() });
  const read = await readProject(options.settings, terminal);
  printSection({ title: "Project", findings: read.findings });
  if (read.resolved !== undefined) {
    const { settings } = read.resolved;
    const { providers, tools } = settings;
    secrets = providerSecrets({ environment, providers });
    const { offline, timeLimitMs = 5_000 } = options;
    if (!read.open.some(({ isStore }) => isStore))
      printSection(await storeSection(settings.store, terminal.folder));
    printSection(await modelsSection(settings, environment));
    const used = usedModels(settings);
    const unconsented = new Set(read.open.flatMap(({ provider }) => provider ?? []));
    printSection(await providersSection({ environment, providers, used, unconsented, offline, timeLimitMs }));
    printSection(toolsSection(tools, environment));
  }
  output.write(conclusionText(findings, { style, width, secrets }));
  return findings.some(({ level }) => level === "broken") ? 2 : 0;
}

function programFindings(): readonly Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 19);
  return [
    {
      level: isNew ? "fine" : "broken",
      text: `Node ${process.versions.node}${isNew ? "" : " is too old"} (22.19 or newer is needed)`,
    },
    { level: "fine", text: `elenchus ${packageVersion()}` },
  ];
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

/** The tool servers of a project, and whether everything that they refer to exists; none is started or called. */
function toolsSection(tools: Settings["tools"], environment: Environment): DoctorSection {
  const findings = Object.entries(tools).flatMap(([name, server]): readonly Finding[] => {
    try {
      const secrets = resolveToolServers({ [name]: server }, environment).flatMap((one) => one.secrets);
      return [{ level: "fine", text: `${name}: ${redactSecrets(serverText(server), secrets)}` }];
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return errorMessage(error)
        .split("\n")
        .map((text) => ({ level: "broken", text }));
    }
  });
  return { title: "Tool servers (MCP)", findings };
}

function serverText(server: ToolServer): string {
  if ("url" in server) return `${redactSecrets(server.url, secretQueryValues(server.url))} (not called)`;
  return `${[server.command, ...argumentsWithoutSecrets(server.args ?? [])].join(" ")} (not started)`;
}

const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|pass|auth|credential|cookie|pwd)[\w-]*/i;

/** Arguments of a program, without the values of secret flags: `--token …`, `--token=…`. */
function argumentsWithoutSecrets(given: readonly string[]): readonly string[] {
  return given.map((argument, index) => {
    const isValue = SECRET_FLAG.exec(given[index - 1] ?? "")?.[0] === given[index - 1];
    if (isValue && !argument.startsWith("-")) return "[redacted]";
    const flag = SECRET_FLAG.exec(argument)?.[0];
    return flag !== undefined && argument[flag.length] === "=" ? `${flag}=[redacted]` : argument;
  });
}

type AnyOption = SubjectOption | JudgeOption;

/** Whether the subjects and judges of a project can be used. No model is called. */
async function modelsSection(settings: Settings, environment: Environment): Promise<DoctorSection> {
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
  for (const subject of subjects)
    found.push(...modelFindings("subject", subject, await problemsOf([subject], [])));
  for (const judge of judges) found.push(...modelFindings("judge", judge, await problemsOf([], [judge])));
  if (found.some(({ level }) => level === "broken")) return section(subjects, found);
  // Each is fine by itself, but two may have the same name.
  const together = await problemsOf(subjects, judges);
  const broken = together.map((text): Finding => ({ level: "broken", text }));
  const agents = unjudged.filter(({ model }) => !("simulate" in model));
  const isOpen = judges.includes(SELF_JUDGE) && agents.length > 0 && broken.length === 0;
  return section(subjects, [
    ...found,
    ...broken,
    ...(isOpen ? [judgeFinding(agents, settings, environment)] : []),
  ]);
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

function section(subjects: readonly SubjectOption[], found: readonly Finding[]): DoctorSection {
  const none: Finding = {
    level: "warning",
    text: "no subject is configured: name one with --subject, or under subjects in the project file",
  };
  return { title: "Subjects and judges", findings: subjects.length === 0 ? [none, ...found] : found };
}

const OWN = " (each subject's own model reads what rules leave)";

function modelFindings(part: string, option: AnyOption, problems: readonly string[]): readonly Finding[] {
  const name = nameOf(option);
  if (problems.length === 0) {
    const note = option === RULES_JUDGE ? " (no model is asked)" : option === SELF_JUDGE ? OWN : "";
    return [{ level: "fine", text: `${part} ${name}${note}` }];
  }
  return problems.map((problem) => ({
    level: "broken",
    text: problem.startsWith(name) ? `${part} ${problem}` : `${part} ${name}: ${problem}`,
  }));
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

/** Where the store of a project is and whether it can be used; nothing is created or changed. */
async function storeSection(path: string, folder: string): Promise<DoctorSection> {
  if (isPostgresAddress(path)) return { title: "Store", findings: [await storeOnServer(path)] };
  const full = resolve(folder, path);
  const size = await sizeOf(full);
  const finding = size === undefined ? await newStore(path, full) : await existingStore(path, full);
  return { title: "Store", findings: [finding] };
}

async function storeOnServer(address: string): Promise<Finding> {
  const shown = shownStore(address);
  try {
    const store = await openStore(address, { readOnly: true });
    try {
      const { runs, bytes } = store.size();
      return { level: "fine", text: `${shown}: ${countedText(runs, "run")}, ${sizeText(bytes)}` };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "missing")
      return { level: "fine", text: `${shown}: does not exist yet; the first run creates it` };
    return { level: error.code === "read_only" ? "warning" : "broken", text: error.message };
  }
}

async function newStore(path: string, full: string): Promise<Finding> {
  let above = dirname(full);
  while ((await sizeOf(above)) === undefined && dirname(above) !== above) above = dirname(above);
  if (!(await isFolder(above)))
    return {
      level: "broken",
      text: `${path} cannot be created: ${above} is not a folder. Choose another path.`,
    };
  if (!(await isWritable(above)))
    return {
      level: "broken",
      text: `${path} cannot be created: ${above} is not writable. Change its permissions, or choose another path.`,
    };
  return { level: "fine", text: `${path}: does not exist yet; the first run creates it` };
}

async function existingStore(path: string, full: string): Promise<Finding> {
  try {
    const store = await openStore(full, { readOnly: true });
    try {
      const runs = countedText(store.runs().length, "run");
      const bytes = ((await sizeOf(full)) ?? 0) + ((await sizeOf(`${full}-wal`)) ?? 0);
      const holds = `${path}: ${runs}, ${sizeText(bytes)}`;
      // SQLite puts files beside the store while it writes.
      if ((await isWritable(full)) && (await isWritable(dirname(full))))
        return { level: "fine", text: `${holds}, writable` };
      return {
        level: "broken",
        text: `${holds}, but it or its folder is not writable. Change their permissions.`,
      };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // A store of an older format is migrated by the next run; here it was only opened for reading.
    const isOlder = error.code === "read_only" && (await isWritable(full));
    return { level: isOlder ? "warning" : "broken", text: error.message };
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  let unit = 0;
  for (; size >= 999.95 && unit < units.length - 1; unit++) size /= 1000;
  return `${size.toFixed(1)} ${units[unit]}`;
}

/** Undefined if there is nothing. */
async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
