import { resolveModels } from "../engine/resolve-models.ts";
import { RunError } from "../engine/run-error.ts";
import type { JudgeOption, ModelOption, SubjectOption } from "../engine/run-options.ts";
import type { Environment } from "../model/base-url.ts";
import type { Settings } from "../project/settings.ts";
import { isRecord } from "../value/json.ts";
import type { DoctorSection, Finding } from "./doctor-finding.ts";

type AnyOption = SubjectOption | JudgeOption;

/** Whether the subjects and judges of a project can be used. No model is asked anything. */
export async function modelsSection(settings: Settings, environment: Environment): Promise<DoctorSection> {
  const { subjects, judges, providers } = settings;
  const problemsOf = async (
    asked: readonly SubjectOption[],
    judge: readonly JudgeOption[],
  ): Promise<readonly string[]> => {
    try {
      await resolveModels({ scenarios: [], subjects: asked, judge, providers, environment });
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
  return section(subjects, [...found, ...together.map((text): Finding => ({ level: "broken", text }))]);
}

/** The providers whose models are subjects or judges. */
export function usedProviders({ subjects, judges }: Settings): ReadonlySet<string> {
  const names = [...subjects, ...judges].flatMap(referencesIn);
  return new Set(names.filter((name) => name.includes("/")).map((name) => name.slice(0, name.indexOf("/"))));
}

function section(subjects: readonly SubjectOption[], found: readonly Finding[]): DoctorSection {
  const none: Finding = {
    level: "warning",
    text: "no subject is configured: name one with --subject, or under subjects in the project file",
  };
  return { title: "Subjects and judges", findings: subjects.length === 0 ? [none, ...found] : found };
}

function modelFindings(part: string, option: AnyOption, problems: readonly string[]): readonly Finding[] {
  const name = nameOf(option);
  if (problems.length === 0) {
    const note = option === "rules" ? " (no model is asked)" : "";
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

/** The names of models as they are written; code has none. */
function referencesIn(option: AnyOption): readonly string[] {
  if (isPanel(option)) return option.panel.flatMap(referencesIn);
  const model: ModelOption = typeof option === "object" && "model" in option ? option.model : option;
  return typeof model === "string" ? [model] : [];
}

function isPanel(option: AnyOption): option is Extract<JudgeOption, { readonly panel: unknown }> {
  return isRecord(option) && "panel" in option;
}
