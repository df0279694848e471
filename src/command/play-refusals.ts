import { printableText } from "../drawing/printable-text.ts";
import type { JudgeOption, SubjectOption } from "../engine/run-options.ts";
import { ProjectError } from "../project/project-error.ts";
import { judgedFields } from "../template/template.ts";
import type { PlayOptions } from "./play-options.ts";
import { isJudged, PERSON } from "./play-session.ts";

/** Throws if there is nobody to ask, or the person at the terminal would have to be two. */
export function demandTwo({ as, subject, judge, scenario }: PlayOptions): void {
  const problems: string[] = [];
  if (as === "questioner" && subject === undefined)
    problems.push(
      "Whom do you want to question? Name a model, such as --subject openai/gpt-5-mini or --subject sim/sycophant.",
    );
  if (as === "questioner" && subject !== undefined && isPerson(subject))
    problems.push("You ask the questions, so another must answer: name a model with --subject.");
  const overrides = Object.values(scenario.nodes).flatMap(({ modelOverride = {} }) =>
    Object.values(modelOverride),
  );
  if (isPerson(judge))
    problems.push(
      "You are in the conversation, so another must judge: name a model with --judge, or use rules.",
    );
  else if (overrides.some((override) => isPerson(override)))
    problems.push(
      `Scenario "${scenario.name}" names a person at a node, and there is but one at the terminal.`,
    );
  if (problems.length > 0) throw new ProjectError(problems);
}

function isPerson(option: SubjectOption | JudgeOption): boolean {
  if (typeof option !== "object") return option === PERSON;
  if ("panel" in option) return option.panel.some(isPerson);
  return "model" in option && isPerson(option.model);
}

/** Says that fields stay unreadable for want of a judge; undefined if somebody can read all of them. */
export function unreadFields(options: PlayOptions): string | undefined {
  const { scenario } = options;
  const unread = Object.entries(scenario.nodes).flatMap(([node, { question }]) =>
    question.template === undefined || isJudged(scenario, node, options)
      ? []
      : Object.keys(judgedFields(question.template)),
  );
  const names = [...new Set(unread)].map(printableText);
  if (names.length === 0) return undefined;
  const several = names.length > 1;
  const listed =
    names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
  return `No rule can read the ${several ? "fields" : "field"} ${listed}, so ${several ? "they stay" : "it stays"} unreadable: name a judge that can, such as --judge openai/gpt-5-mini.`;
}
