import { lazy } from "../../../core/lazy.ts";
import { fillTexts, hasTexts } from "../../../core/liquid/fill-texts.ts";
import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import { TextError, type TextScope } from "../../../core/liquid/text-template.ts";
import type { TestPlace } from "../../../core/scenario/condition-logic.ts";
import { datasetSource } from "../../../core/scenario/dataset.ts";
import {
  bindScenario,
  type GivenValues,
  type Question,
  type ScenarioDefinition,
  type ScenarioEdge,
} from "../../../core/scenario/definition.ts";
import type { LintCode, LintSeverity } from "../../../core/scenario/lint-rule.ts";
import { rowName } from "../../../core/scenario/row-name.ts";
import { USER_WRITES } from "../../../core/scenario/simulated-user.ts";
import { variantCells, variantValues } from "../../../core/scenario/variants.ts";
import type { FilePosition, IssuePath, PlaceInText } from "../../../core/schema/issue.ts";
import { type Condition, compileWhen } from "../../../core/state/condition.ts";
import type { Rubric } from "../../../core/templates/rubric.ts";
import { type JsonObject, ownValue } from "../../../core/values/json.ts";
import type { Rehearsal } from "../rehearsal/rehearsal.ts";

/** Something that a careful reviewer would ask the author about. */
export interface LintFinding {
  readonly code: LintCode;
  readonly severity: LintSeverity;
  readonly scenario: string;
  /** A whole sentence, or several, without its place. */
  readonly message: string;
  /** Where in the scenario it is. */
  readonly path: IssuePath;
  /** Set when the scenario came from a file. */
  readonly position?: FilePosition;
}

/** What a rule finds: a sentence and its place. */
export interface Found {
  readonly path: IssuePath;
  readonly message: string;
  /** Where in a text it is. */
  readonly within?: PlaceInText;
}

/** A rule of the lint: looks at a scenario and says what it finds. */
type LintRule = (subject: LintSubject) => Iterable<Found>;

/** Rules by their codes. */
export type LintRules = Readonly<Partial<Record<LintCode, LintRule>>>;

/** What is known of the run that a scenario is checked for. */
export interface RunFacts {
  /** False if replies are read by rules alone. */
  readonly hasJudge: boolean;
  readonly hasBudget: boolean;
  readonly turnLimit: number;
  readonly replicates: number;
  /** How many subjects the run has; at least 1. */
  readonly subjects: number;
  /** The rubric of the run. */
  readonly rubric?: Rubric;
  readonly detectRefusal?: boolean;
  /** The first rows of the dataset; none if the scenario uses no row. */
  readonly rows: readonly JsonObject[];
  /** How many rows there are in all. */
  readonly rowCount: number;
}

/** An edge with its number and its condition; a fork is one of them. */
export interface OutEdge {
  readonly index: number;
  readonly edge: ScenarioEdge;
  /** Null for a fallback. */
  readonly condition: Condition | null;
  /** Where it leads to: several nodes for a fork. */
  readonly targets: readonly string[];
  /** Where it stands in the file. */
  readonly path: IssuePath;
}

/** A scenario in the form that rules read; what several rules need is computed once. */
export class LintSubject {
  readonly definition: ScenarioDefinition;
  readonly facts: RunFacts;
  /** What can happen in its conversations; null if that is not known. */
  readonly rehearsal: Rehearsal | null;
  /** The scenario's texts with some rows and variants. */
  readonly renderings: () => readonly Rendering[];
  /** The edges that leave each node, in the order they are tested: those with a condition first. */
  readonly outEdges: ReadonlyMap<string, readonly OutEdge[]>;

  constructor(definition: ScenarioDefinition, facts: RunFacts, rehearsal: Rehearsal | null) {
    this.definition = definition;
    this.rehearsal = rehearsal;
    this.facts = facts;
    this.renderings = lazy(() => renderings(definition, facts.rows));
    this.outEdges = outEdgesOf(definition);
  }

  /** Where the conditions of edges are tested that leave a node. */
  placeAfter(source: string): TestPlace {
    return { source, fields: (id) => this.definition.nodes[id]?.question.template?.fields };
  }

  /** The edges that leave a node, in the order they are tested. */
  edgesFrom(node: string): readonly OutEdge[] {
    return this.outEdges.get(node) ?? [];
  }
}

function outEdgesOf({ edges, nodeIds }: ScenarioDefinition): ReadonlyMap<string, readonly OutEdge[]> {
  const found = new Map<string, OutEdge[]>(nodeIds.map((id) => [id, []]));
  // Forks are several edges of a definition and one of the file.
  let written = 0;
  edges.forEach((edge, index) => {
    const isArm = edge.fork !== undefined && edge.target !== edge.fork[0];
    if (isArm) return;
    const path = ["edges", written++];
    found.get(edge.source)?.push({
      index,
      edge,
      condition: compileWhen(edge.when),
      targets: edge.fork ?? [edge.target],
      path,
    });
  });
  // Edges without a condition are tried last, and only the first of them counts.
  for (const [id, list] of found) {
    const fallback = list.find(({ condition }) => condition === null);
    const tested = list.filter(({ condition }) => condition !== null);
    found.set(id, fallback === undefined ? tested : [...tested, fallback]);
  }
  return found;
}

/** The questions of a scenario with the values of one row and one variant. */
interface Rendering {
  /** By node. What cannot be rendered before a conversation stands as it was written, without its variables. */
  readonly questions: ReadonlyMap<string, RenderedQuestion>;
  /** The row and the variant as the end of a sentence: ` (row 3, order=a)`; empty if there are none. */
  readonly about: string;
}

/** A question as the subject sees it, and its template as replies are compared. */
interface RenderedQuestion {
  readonly question: Question;
  /** True if a part of the template depends on earlier turns, so that its truth is not known before. */
  readonly isOpen: boolean;
}

/** How many combinations of rows and variants are looked at. */
const MOST_RENDERINGS = 24;
/** How many questions are rendered in all. */
const MOST_QUESTIONS = 20_000;

/** The questions of a scenario, with some rows and all variants as far as they are few. */
function renderings(definition: ScenarioDefinition, rows: readonly JsonObject[]): readonly Rendering[] {
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
      ...(row === undefined
        ? []
        : [`row ${rowName(bindScenario(definition, values), idOf(definition, row), row)}`]),
      ...(cell === undefined
        ? []
        : [
            Object.entries(cell)
              .map((part) => part.join("="))
              .join(", "),
          ]),
    ].join(", ");
    given.push({ values, about: about === "" ? "" : ` (${about})` });
  }
  const made = given.map(({ values, about }) => ({ questions: questionsWith(definition, values), about }));
  const isPlain = made.every(({ questions }) => sameQuestions(questions, made[0]?.questions));
  return isPlain ? made.slice(0, 1).map(({ questions }) => ({ questions, about: "" })) : made;
}

function idOf({ dataset }: ScenarioDefinition, row: JsonObject): string | undefined {
  const { id } = dataset === undefined ? {} : datasetSource(dataset);
  const value = id === undefined ? undefined : ownValue(row, id);
  return value === undefined ? undefined : String(value);
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
