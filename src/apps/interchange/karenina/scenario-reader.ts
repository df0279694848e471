import { END_IN_FILES, TRANSCRIPTS } from "../../../core/scenario/definition.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { NEVER } from "./comparison.ts";
import { translateCondition } from "./conditions.ts";
import { type PieceKind, withRawTexts } from "./kept-pieces.ts";
import { translateModelOverride, withoutSecrets } from "./model-overrides.ts";
import { translateOutcome } from "./outcomes.ts";
import { type Note, NotTranslatable, present } from "./primitives.ts";
import { PythonError } from "./python.ts";
import { translateLambda } from "./python-lambda.ts";
import { type PythonTemplate, parseTemplate, translateTemplate } from "./python-template.ts";
import { type KnownNode, nodeIdHere, ScenarioNames } from "./scenario-names.ts";
import { nodeTraits, type TranslatedTrait, translateTrait, type UpstreamTrait } from "./traits.ts";

/** Something about an imported scenario that its author should know, with the place in the checkpoint. */
export interface ImportNote {
  readonly place: string;
  readonly message: string;
}

/** A part of a scenario that was translated by itself. */
interface Piece {
  readonly kind: PieceKind;
  readonly here: JsonValue;
  readonly upstream: JsonValue;
}

/** What is read of a node before conditions can be. */
interface ReadNode extends KnownNode {
  readonly data: JsonObject;
  readonly question: JsonObject;
  readonly template: PythonTemplate | null;
  readonly rubric: readonly TranslatedTrait[];
}

const QUESTION_METADATA =
  "answer_notes author sources custom_metadata workspace_path date_created date_modified".split(" ");

/** Reads one scenario of a checkpoint into what a scenario file contains. */
export class ScenarioReader {
  readonly notes: ImportNote[] = [];
  readonly holes: ImportNote[] = [];
  /** By place, with the ids that nodes have here. */
  readonly pieces = new Map<string, Piece>();
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
    const names = new ScenarioNames(read);
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
    const ids = Object.keys(written);
    return {
      version: 1,
      name: name as JsonValue,
      ...(typeof description === "string" && description !== "" ? { description } : {}),
      entry: names.node(String(entryNode))?.id ?? String(entryNode),
      nodes: withRawTexts(written),
      // JSON readers move ids that are numbers to the front, so a file says their order.
      ...(ids.some((id) => /^\d+$/.test(id)) ? { nodeOrder: ids } : {}),
      edges: withRawTexts(edges.map((edge, index) => this.#edge(edge as JsonValue, index, names))),
      ...(outcomes.length > 0 ? { outcomes: withRawTexts(outcomes) } : {}),
      metadata: { ...objectOf(metadata), karenina: { benchmark } },
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

  #keep(place: string, kind: PieceKind, here: unknown, upstream: unknown): void {
    if (here !== undefined && upstream !== undefined && upstream !== null)
      this.pieces.set(`${kind} ${place}`, { kind, here: here as JsonValue, upstream: upstream as JsonValue });
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
      const template = this.#attempt(`${place}, template`, () => {
        const source = question.answer_template;
        if (typeof source === "string" && source.trim() !== "") return parseTemplate(source);
        throw new NotTranslatable("there is no template, and upstream ends the conversation with an error");
      });
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

  #node(id: string, node: ReadNode, names: ScenarioNames, created: JsonValue | undefined): JsonObject {
    const place = `node "${id}"`;
    const { data, question, template, rubric } = node;
    const { modelOverride, agentIdentity, stateUpdateSource } = data;
    const override = translateModelOverride(modelOverride, agentIdentity, this.#note(place));
    const stateUpdate =
      typeof stateUpdateSource === "string"
        ? this.#attempt(`${place}, stateUpdateSource`, () =>
            translateLambda(stateUpdateSource, "update", names.renamed),
          )
        : undefined;
    const fields =
      template === null
        ? undefined
        : this.#attempt(`${place}, template`, (note) => translateTemplate(template, names, note));
    const traits = rubric.map(({ trait }) => trait);
    this.#keep(node.id, "template", fields, question.answer_template);
    this.#keep(node.id, "stateUpdate", stateUpdate, stateUpdateSource);
    const models = { modelOverride: null, agentIdentity: null, ...override };
    this.#keep(node.id, "model", models, withoutSecrets(modelOverride, agentIdentity));
    this.#keep(node.id, "rubric", traits.length > 0 ? traits : undefined, question.question_rubric);
    const metadata = objectOf(data.metadata);
    return present({
      question: {
        question: question.question,
        rawAnswer: question.raw_answer,
        ...present({ template: fields }),
        ...questionExtras(question, created),
      },
      stateUpdate,
      rubric: traits.length > 0 ? { traits } : undefined,
      ...override,
      ...toolFilterOf(data.toolFilter),
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    });
  }

  #edge(data: JsonValue, index: number, names: ScenarioNames): JsonObject {
    const edge = objectOf(data);
    const { condition, conditionSource, handover } = edge;
    const [source, target] = [String(edge.source), String(edge.target)];
    const place = `edges[${index}] from "${source}" to "${target}"`;
    // What could not be translated must never make an edge unconditional.
    let when: JsonValue | undefined = NEVER;
    this.#attempt(place, (note) => {
      when = translateCondition(edge, names, note);
    });
    this.#keep(String(index), "condition", when, conditionSource ?? condition);
    const isKnown = (TRANSCRIPTS as readonly unknown[]).includes(handover);
    if (!isKnown && handover !== undefined && handover !== null)
      this.holes.push({ place, message: `the handover ${JSON.stringify(handover)} is not known` });
    return present({
      source: names.node(source)?.id ?? source,
      target: target === "__end__" ? END_IN_FILES : (names.node(target)?.id ?? target),
      when,
      handover: isKnown ? handover : undefined,
    });
  }

  #outcomes(criteria: JsonValue | undefined, names: ScenarioNames): readonly JsonObject[] {
    const byName = new Map<string, JsonObject>();
    for (const data of Array.isArray(criteria) ? criteria : []) {
      const { name, description, check = null, evaluateSource } = objectOf(data);
      if (typeof name !== "string") continue;
      const place = `outcome "${name}"`;
      if (byName.delete(name)) this.#note(place)("of several outcomes with this name, the last one counts");
      if (check === null && typeof evaluateSource !== "string") {
        this.#note(place)("it has no check, and never appears in results upstream");
        continue;
      }
      const translated = this.#attempt(place, (note) =>
        check === null
          ? translateLambda(String(evaluateSource), "outcome", names.renamed)
          : translateOutcome(check, names, note),
      );
      if (translated === undefined) continue;
      this.#keep(name, "outcome", translated, check ?? evaluateSource);
      const described = typeof description === "string" && description !== "" ? { description } : {};
      byName.set(name, { name, ...described, check: translated });
    }
    return [...byName.values()];
  }
}

function objectOf(data: JsonValue | undefined): JsonObject {
  return isRecord(data) ? (data as JsonObject) : {};
}

/** The question of a node; older files have only its three texts. */
function questionOf({ question, questionData }: JsonObject, place: string): JsonObject {
  const { text, acceptedAnswer, hasPart } = objectOf(question);
  const data = isRecord(questionData)
    ? (questionData as JsonObject)
    : ({
        question: text,
        raw_answer: objectOf(acceptedAnswer).text,
        answer_template: objectOf(hasPart).text,
      } as JsonObject);
  if (typeof data.question !== "string" || typeof data.raw_answer !== "string")
    throw new NotTranslatable(`${place} has no question or no answer`);
  return data;
}

function questionExtras(question: JsonObject, created: JsonValue | undefined): JsonObject {
  const { keywords, tags, few_shot_examples } = question;
  const words = [keywords, tags].find((list) => Array.isArray(list)) ?? [];
  const texts = words.filter((word) => typeof word === "string");
  const examples = Array.isArray(few_shot_examples) ? few_shot_examples.map(objectOf) : [];
  // Dates that are those of the benchmark say nothing.
  const metadata = Object.fromEntries(
    QUESTION_METADATA.map((key) => [key, question[key] ?? null] as const).filter(
      ([key, value]) => value !== null && !(key.startsWith("date_") && value === created),
    ),
  );
  return present({
    keywords: texts.length > 0 ? texts : undefined,
    fewShot:
      examples.length > 0
        ? examples.map(({ question: asked, answer }) => ({ question: asked, answer }))
        : undefined,
    metadata: Object.keys(metadata).length > 0 ? { karenina: metadata } : undefined,
  });
}

function toolFilterOf(filter: JsonValue | undefined): JsonObject {
  const { remove } = objectOf(filter);
  if (!Array.isArray(remove) || remove.length === 0) return {};
  const tools = remove.map(objectOf).map(({ server, tool }) => ({
    server: String(server),
    ...(typeof tool === "string" ? { tool } : {}),
  }));
  return { toolFilter: { remove: tools } };
}

/** Why something was refused, for errors that are reasons; others are bugs and go on. */
export function reasonOf(error: unknown): string {
  if (error instanceof PythonError) return `line ${error.line}: ${error.message}`;
  if (error instanceof NotTranslatable) return error.message;
  throw error;
}
