import { fillTexts, hasTexts } from "../../core/liquid/fill-texts.ts";
import { needsOfParts } from "../../core/liquid/text-needs.ts";
import { TextError, type TextScope } from "../../core/liquid/text-template.ts";
import type { GivenValues, Question, ScenarioDefinition } from "../../core/scenario/definition.ts";
import { USER_WRITES } from "../../core/scenario/simulated-user.ts";
import { variantCells, variantValues } from "../../core/scenario/variants.ts";
import type { JsonObject } from "../../core/values/json.ts";

/** The questions of a scenario with the values of one row and one variant. */
export interface Rendering {
  /** By node. What cannot be rendered before a conversation stands as it was written, without its variables. */
  readonly questions: ReadonlyMap<string, RenderedQuestion>;
  /** The row and the variant, for sentences; empty if there are none. */
  readonly about: string;
}

/** A question as the subject sees it, and its template as replies are compared. */
export interface RenderedQuestion {
  readonly question: Question;
  /** True if a part of the template depends on earlier turns, so that its truth is not known before. */
  readonly isOpen: boolean;
}

/** How many combinations of rows and variants are looked at. */
const MOST_RENDERINGS = 24;
/** How many questions are rendered in all. */
const MOST_QUESTIONS = 20_000;

/** The questions of a scenario, with some rows and all variants as far as they are few. */
export function renderings(
  definition: ScenarioDefinition,
  rows: readonly JsonObject[],
): readonly Rendering[] {
  const { variants } = definition;
  const cells = variants === undefined ? [] : variantCells(variants);
  const given: { readonly values: GivenValues; readonly about: string }[] = [];
  const count = Math.max(rows.length, cells.length, 1);
  const most = Math.min(
    count,
    Math.max(1, Math.min(MOST_RENDERINGS, Math.floor(MOST_QUESTIONS / definition.nodeIds.length))),
  );
  // Rows and variants are paired in turns, so that each of them occurs early.
  for (let index = 0; index < most; index++) {
    const position = Math.floor((index * count) / most);
    const row = rows[position % Math.max(rows.length, 1)];
    const cell = cells[position % Math.max(cells.length, 1)];
    const values = {
      ...(row === undefined ? {} : { row }),
      ...(cell === undefined || variants === undefined ? {} : { variant: variantOf(definition, cell, row) }),
    };
    const about = [
      ...(row === undefined ? [] : [`row ${(position % rows.length) + 1}`]),
      ...(cell === undefined
        ? []
        : [
            Object.entries(cell)
              .map((part) => part.join("="))
              .join(", "),
          ]),
    ].join(", ");
    given.push({ values, about });
  }
  const made = given.map(({ values, about }) => ({ questions: questionsWith(definition, values), about }));
  const isPlain = made.every(({ questions }) => sameQuestions(questions, made[0]?.questions));
  return isPlain ? made.slice(0, 1).map(({ questions }) => ({ questions, about: "" })) : made;
}

function variantOf(
  { variants = {} }: ScenarioDefinition,
  cell: Readonly<Record<string, string>>,
  row: JsonObject | undefined,
): JsonObject {
  const values = variantValues(variants, cell);
  try {
    return fillTexts(values, row === undefined ? {} : { row });
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return values;
  }
}

function sameQuestions(
  one: ReadonlyMap<string, RenderedQuestion>,
  other: ReadonlyMap<string, RenderedQuestion> | undefined,
): boolean {
  return [...one].every(([id, { question }]) => question === other?.get(id)?.question);
}

function questionsWith(
  { nodes, nodeIds }: ScenarioDefinition,
  { row, variant }: GivenValues,
): ReadonlyMap<string, RenderedQuestion> {
  const scope: TextScope = {
    ...(row === undefined ? {} : { row }),
    ...(variant === undefined ? {} : { variant }),
    visit: 0,
  };
  return new Map(
    nodeIds.map((id) => {
      const { question, user } = nodes[id] as NonNullable<(typeof nodes)[string]>;
      // What a simulated user will say is not known.
      const text = user === undefined && question.question !== USER_WRITES ? question.question : "";
      const authored = text === question.question ? question : { ...question, question: text };
      return [id, rendered(authored, scope)];
    }),
  );
}

function rendered(question: Question, scope: TextScope): RenderedQuestion {
  const isOpen = needsOfParts(question.template).readsState;
  if (!hasTexts(question)) return { question, isOpen };
  const { template, question: asked, rawAnswer, ...texts } = question;
  // Which branch of a text is shown may depend on earlier turns: then only what stands in all of it is known.
  const hasBranches = asked.includes("{%") && needsOfParts(asked).readsState;
  const bare = { question: withoutVariables(asked) };
  const filled = {
    ...filledOr(texts, scope, () => withoutVariables(texts)),
    ...(hasBranches ? bare : filledOr({ question: asked }, scope, () => bare)),
    // An answer that is not known is not tried.
    ...filledOr({ rawAnswer }, scope, () => ({ rawAnswer: "" })),
  };
  const known = template === undefined ? undefined : filledOr(template, scope, () => null);
  if (known === undefined) return { question: filled, isOpen };
  return known === null
    ? { question: { ...filled, ...(template === undefined ? {} : { template }) }, isOpen: true }
    : { question: { ...filled, template: known }, isOpen };
}

function filledOr<Part, Other>(part: Part, scope: TextScope, otherwise: () => Other): Part | Other {
  try {
    return fillTexts(part, scope);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return otherwise();
  }
}

/** What the author wrote around the variables. */
function withoutVariables<Part>(part: Part): Part {
  // Texts stay texts; nothing else is changed.
  return JSON.parse(JSON.stringify(part), (_, value: unknown) =>
    typeof value === "string" ? value.replaceAll(/\{\{[^}]*\}\}|\{%[^%]*%\}/g, " … ") : value,
  ) as Part;
}
