import { loadProject, type Project } from "../project/load-project.ts";
import { packageVersion } from "../project/package-folder.ts";
import { ProjectError } from "../project/project-error.ts";
import type { ResolvedSettings } from "../project/resolve-settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { conclusionText, type DoctorSection, type Finding, sectionText } from "./doctor-finding.ts";
import { modelsSection, usedProviders } from "./doctor-models.ts";
import { providerSecrets, providersSection } from "./doctor-providers.ts";
import { storeSection } from "./doctor-store.ts";
import { toolsSection } from "./doctor-tools.ts";
import type { ExitCode } from "./exit-code.ts";
import { readSettings, type SettingsRequest } from "./read-settings.ts";

/** What `doctor` is told. */
export interface DoctorOptions {
  readonly settings: SettingsRequest;
  /** True to reach out to nobody. */
  readonly offline: boolean;
  /** How long a provider may take to answer (default 5,000 ms). */
  readonly timeLimitMs?: number;
}

/** Says what is configured and what can be used; fails if something that is configured cannot. Never prints a secret. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const { environment, output } = terminal;
  const { style, width } = output;
  const findings: Finding[] = [];
  let secrets = providerSecrets({ environment, providers: {} });
  const tell = (section: DoctorSection): void => {
    if (section.findings.length === 0) return;
    findings.push(...section.findings);
    output.write(`${sectionText(section, { style, width, secrets })}\n`);
  };

  tell({ title: "Program", findings: programFindings() });
  const read = await readProject(options.settings, terminal);
  tell({ title: "Project", findings: read.findings });
  if (read.resolved !== undefined) {
    const { settings } = read.resolved;
    const { providers, tools } = settings;
    secrets = providerSecrets({ environment, providers });
    const { offline, timeLimitMs = 5_000 } = options;
    tell(await storeSection(settings.store, terminal.folder));
    tell(await modelsSection(settings, environment));
    const used = usedProviders(settings);
    tell(await providersSection({ environment, providers, used, offline, timeLimitMs }));
    tell(toolsSection(tools, environment));
  }
  output.write(conclusionText(findings, { style, width, secrets }));
  return findings.some(({ level }) => level === "broken") ? 2 : 0;
}

function programFindings(): readonly Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 18);
  return [
    {
      level: isNew ? "fine" : "broken",
      text: `Node ${process.versions.node}${isNew ? "" : " is too old"} (22.18 or newer is needed)`,
    },
    { level: "fine", text: `elenchus ${packageVersion()}` },
  ];
}

/** What the project file says; where it is wrong, nothing that depends on it can be told. */
async function readProject(
  request: SettingsRequest,
  terminal: Terminal,
): Promise<{ readonly findings: readonly Finding[]; readonly resolved?: ResolvedSettings }> {
  try {
    const project = await loadProject({ folder: terminal.folder, file: request.config });
    const resolved = await readSettings(request, terminal);
    return { findings: [projectFinding(project, resolved)], resolved };
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    return { findings: error.problems.map((text) => ({ level: "broken", text })) };
  }
}

function projectFinding({ file, profiles }: Project, { profile }: ResolvedSettings): Finding {
  if (file === null) return { level: "none", text: "none: defaults hold (to begin with one: elenchus init)" };
  const names = Object.keys(profiles);
  const known = names.length === 0 ? "no profiles" : `profiles: ${names.join(", ")}`;
  return { level: "fine", text: `${file}, ${known}${profile === null ? "" : `; in use: ${profile}`}` };
}
