import { END_IN_FILES, TRANSCRIPTS } from "../../../core/scenario/definition.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { NEVER } from "./comparison.ts";
import { type KnownNode, nodeIdHere, ScenarioNames, translateCondition } from "./conditions.ts";
import { withRawTexts } from "./kept-pieces.ts";
import { translateModelOverride } from "./model-overrides.ts";
import { translateOutcome } from "./outcomes.ts";
import { type Note, NotTranslatable, type PythonTemplate } from "./primitives.ts";
import { translateLambda } from "./python-lambda.ts";
import { parseTemplate } from "./python-template.ts";
import { PythonError } from "./python-tokens.ts";
import { translateTemplate } from "./template-fields.ts";
import { nodeTraits, type TranslatedTrait, translateTrait, type UpstreamTrait } from "./traits.ts";

/** Something about an imported scenario that its author should know, with the place in the checkpoint. */
export interface ImportNote {
  readonly place: string;
  readonly message: string;
}

/** What is read of a node before conditions can be. */
interface ReadNode extends KnownNode {
  readonly data: JsonObject;
  readonly question: JsonObject;
  readonly rubric: readonly TranslatedTrait[];
}

const QUESTION_METADATA =
  "answer_notes author sources custom_metadata workspace_path date_created date_modified".split(" ");

/** Reads one scenario of a checkpoint into what a scenario file contains. */
export class ScenarioReader {
  readonly notes: ImportNote[] = [];
  readonly holes: ImportNote[] = [];
  readonly #data: JsonObject;
  readonly #global: readonly UpstreamTrait[];

  constructor(data: JsonObject, global: readonly UpstreamTrait[]) {
    this.#data = data;
    this.#global = global;
  }

  read(benchmark: JsonObject): JsonObject {
    const { name, description, entryNode, nodes, edges, outcomeCriteria, metadata } = this.#data;
    if (!isRecord(nodes) || !Array.isArray(edges)) throw new NotTranslatable("it has no nodes or no edges");
    const read = this.#readNodes(nodes as JsonObject);
    const names = new ScenarioNames(String(name), read);
    const outcomes = this.#outcomes(outcomeCriteria, names);
    this.#note("templates")(
      "a field that the reply does not state makes the verdict false, as upstream (undecided: wrong)",
    );
    if (JSON.stringify(outcomes).includes('"status"'))
      this.#note("outcomes")(
        "a conversation that ends on the last turn that the limit allows is completed here, and limit_reached upstream",
      );
    const written = Object.fromEntries(
      [...read].map(([id, node]) => [node.id, this.#node(id, node, names, benchmark.dateCreated)]),
    );
    const kept = {
      ...(isRecord(metadata) && Object.keys(metadata).length > 0 ? (metadata as JsonObject) : {}),
      karenina: { benchmark },
    };
    return {
      version: 1,
      name: name as JsonValue,
      ...(typeof description === "string" && description !== "" ? { description } : {}),
      entry: names.node(String(entryNode))?.id ?? String(entryNode),
      nodes: withRawTexts(written),
      ...orderOf(Object.keys(written)),
      edges: withRawTexts(edges.map((edge, index) => this.#edge(edge as JsonValue, index, names))),
      ...(outcomes.length > 0 ? { outcomes: withRawTexts(outcomes) } : {}),
      metadata: kept,
    };
  }

  #note(place: string): Note {
    return (message) => {
      if (!this.notes.some((note) => note.place === place && note.message === message))
        this.notes.push({ place, message });
    };
  }

  /** Runs a translation; what cannot be translated becomes a hole. */
  #attempt<Result>(place: string, translate: (note: Note) => Result): Result | undefined {
    try {
      return translate(this.#note(place));
    } catch (error) {
      this.holes.push({ place, message: reasonOf(error) });
      return undefined;
    }
  }

  #readNodes(nodes: JsonObject): ReadonlyMap<string, ReadNode> {
    const taken = new Set<string>();
    const read = Object.entries(nodes).map(([id, data]): [string, ReadNode] => {
      const place = `node "${id}"`;
      if (!isRecord(data)) throw new NotTranslatable(`${place} is not an object`);
      const here = nodeIdHere(id, taken);
      taken.add(here);
      if (here !== id) this.#note(place)(`it is called "${here}" here, since its id is not possible`);
      const question = questionOf(data as JsonObject, place);
      const template = this.#attempt(`${place}, template`, () => this.#template(question));
      const traits = nodeTraits(question.question_rubric) ?? this.#global;
      const rubric = traits.flatMap(
        (trait) => this.#attempt(`${place}, rubric`, (note) => translateTrait(trait, note)) ?? [],
      );
      const node = {
        id: here,
        data: data as JsonObject,
        question,
        template: template ?? null,
        rubric,
        traits: new Map(rubric.map(({ trait, type }) => [trait.name, type])),
      };
      return [id, node];
    });
    return new Map(read);
  }

  #template({ answer_template }: JsonObject): PythonTemplate {
    if (typeof answer_template !== "string" || answer_template.trim() === "")
      throw new NotTranslatable(
        "there is no template, and upstream ends the conversation there with an error",
      );
    return parseTemplate(answer_template);
  }

  #node(id: string, node: ReadNode, names: ScenarioNames, created: JsonValue | undefined): JsonObject {
    const place = `node "${id}"`;
    const { data, question, template, rubric } = node;
    const update = data.stateUpdateSource;
    const override = translateModelOverride(data.modelOverride, data.agentIdentity, this.#note(place));
    const stateUpdate =
      typeof update === "string"
        ? this.#attempt(`${place}, stateUpdateSource`, () => translateLambda(update, "update", names.renamed))
        : undefined;
    const fields =
      template === null
        ? undefined
        : this.#attempt(`${place}, template`, (note) => translateTemplate(template, names, note));
    const metadata = isRecord(data.metadata) ? (data.metadata as JsonObject) : {};
    return {
      question: {
        question: question.question as JsonValue,
        rawAnswer: question.raw_answer as JsonValue,
        ...(fields === undefined ? {} : { template: fields }),
        ...this.#questionExtras(question, created),
      },
      ...(stateUpdate === undefined ? {} : { stateUpdate }),
      ...(rubric.length > 0 ? { rubric: { traits: rubric.map(({ trait }) => trait) } } : {}),
      ...override,
      ...toolFilterOf(data.toolFilter),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    };
  }

  #questionExtras(question: JsonObject, created: JsonValue | undefined): JsonObject {
    const { keywords, tags, few_shot_examples } = question;
    const words = (Array.isArray(keywords) ? keywords : Array.isArray(tags) ? tags : []).filter(
      (word) => typeof word === "string",
    );
    const examples = Array.isArray(few_shot_examples) ? few_shot_examples.filter(isRecord) : [];
    // Dates that are those of the benchmark say nothing.
    const metadata = QUESTION_METADATA.filter((key) => {
      const value = question[key] ?? null;
      return value !== null && !(key.startsWith("date_") && value === created);
    }).map((key) => [key, question[key] as JsonValue]);
    return {
      ...(words.length > 0 ? { keywords: words } : {}),
      ...(examples.length > 0
        ? {
            fewShot: examples.map(
              ({ question: asked, answer }) => ({ question: asked, answer }) as JsonObject,
            ),
          }
        : {}),
      ...(metadata.length > 0 ? { metadata: { karenina: Object.fromEntries(metadata) } } : {}),
    };
  }

  #edge(data: JsonValue, index: number, names: ScenarioNames): JsonObject {
    const { source, target, condition, conditionSource, handover } = isRecord(data)
      ? (data as JsonObject)
      : {};
    const place = `edges[${index}] from "${String(source)}" to "${String(target)}"`;
    const from = String(source);
    const when = this.#attempt(place, (note) => ({
      condition: translateCondition({ source: from, condition, conditionSource }, names, note),
    }));
    if (
      handover !== undefined &&
      handover !== null &&
      !(TRANSCRIPTS as readonly unknown[]).includes(handover)
    )
      this.holes.push({ place, message: `the handover ${JSON.stringify(handover)} is not known` });
    const known = (TRANSCRIPTS as readonly unknown[]).includes(handover);
    // What could not be translated must never make an edge unconditional.
    const written = when === undefined ? NEVER : when.condition;
    return {
      source: names.node(from)?.id ?? from,
      target: target === "__end__" ? END_IN_FILES : (names.node(String(target))?.id ?? String(target)),
      ...(written === undefined ? {} : { when: written }),
      ...(known ? { handover: handover as JsonValue } : {}),
    };
  }

  #outcomes(criteria: JsonValue | undefined, names: ScenarioNames): readonly JsonObject[] {
    const byName = new Map<string, JsonObject>();
    for (const data of Array.isArray(criteria) ? criteria : []) {
      if (!isRecord(data) || typeof data.name !== "string") continue;
      const { name, description, check, evaluateSource } = data as JsonObject & { readonly name: string };
      const place = `outcome "${name}"`;
      if (byName.delete(name)) this.#note(place)("of several outcomes with this name, the last one counts");
      if ((check ?? null) === null && typeof evaluateSource !== "string") {
        this.#note(place)("it has no check, and never appears in results upstream");
        continue;
      }
      const translated = this.#attempt(place, (note) =>
        check === undefined || check === null
          ? translateLambda(String(evaluateSource), "outcome", names.renamed)
          : translateOutcome(check, names, note),
      );
      if (translated === undefined) continue;
      byName.set(name, {
        name,
        ...(typeof description === "string" && description !== "" ? { description } : {}),
        check: translated,
      });
    }
    return [...byName.values()];
  }
}

/** JSON readers move ids that are numbers to the front, so a file says their order. */
function orderOf(ids: readonly string[]): JsonObject {
  return ids.some((id) => /^\d+$/.test(id)) ? { nodeOrder: ids } : {};
}

/** The question of a node; older files have only its three texts. */
function questionOf({ question, questionData }: JsonObject, place: string): JsonObject {
  const view = isRecord(question) ? (question as JsonObject) : {};
  const accepted = isRecord(view.acceptedAnswer) ? view.acceptedAnswer.text : undefined;
  const template = isRecord(view.hasPart) ? view.hasPart.text : undefined;
  const data = isRecord(questionData)
    ? (questionData as JsonObject)
    : ({ question: view.text, raw_answer: accepted, answer_template: template } as JsonObject);
  if (typeof data.question !== "string" || typeof data.raw_answer !== "string")
    throw new NotTranslatable(`${place} has no question or no answer`);
  return data;
}

function toolFilterOf(filter: JsonValue | undefined): JsonObject {
  if (!isRecord(filter) || !Array.isArray(filter.remove)) return {};
  const remove = filter.remove.filter(isRecord).map(({ server, tool }) => ({
    server: String(server),
    ...(typeof tool === "string" ? { tool } : {}),
  }));
  return remove.length === 0 ? {} : { toolFilter: { remove } };
}

/** Why something was refused, for errors that are reasons; others are bugs and go on. */
export function reasonOf(error: unknown): string {
  if (error instanceof PythonError) return `line ${error.line}: ${error.message}`;
  if (error instanceof NotTranslatable) return error.message;
  throw error;
}
