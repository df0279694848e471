import { createHash } from "node:crypto";
import type { OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import {
  isTranscript,
  type ScenarioDefinition,
  type ScenarioEdge,
  type ScenarioNode,
} from "../../../core/scenario/definition.ts";
import type { Trait } from "../../../core/templates/rubric.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { NEVER_HOLDS, writeConditions, writePath } from "./conditions.ts";
import { KeptPieces, withPlainTexts } from "./kept-pieces.ts";
import { writeModelOverride } from "./model-overrides.ts";
import { writeOutcome } from "./outcomes.ts";
import { type Note, NotTranslatable } from "./primitives.ts";
import type { ImportNote } from "./scenario-reader.ts";
import { SPOKEN, writeTemplate } from "./template-text.ts";
import { writeTraits } from "./traits.ts";

/** Parts of a definition that upstream has, too, or that have no effect on conversations. */
const KNOWN_PARTS: ReadonlySet<string> = new Set(
  "name description nodes nodeIds edges entryNode outcomes warnings metadata hash".split(" "),
);

/** Parts that only reports look at. */
const REPORT_PARTS: ReadonlySet<string> = new Set(["rates", "tags", "lint"]);

/** Writes one scenario in karenina's words. */
export class ScenarioWriter {
  readonly notes: ImportNote[] = [];
  readonly losses: ImportNote[] = [];
  readonly #definition: ScenarioDefinition;
  /** Without the templates that upstream does not get. */
  readonly #nodes: Record<string, ScenarioNode>;
  readonly #kept: KeptPieces;
  readonly #created: string;

  constructor(definition: ScenarioDefinition, created: string, kept?: KeptPieces) {
    this.#definition = definition;
    this.#nodes = { ...definition.nodes };
    this.#created = created;
    this.#kept = kept ?? KeptPieces.of(definition.metadata);
  }

  write(): JsonObject {
    const { name, description, entryNode, nodeIds, edges, outcomes, metadata } = this.#definition;
    const nodes = withPlainTexts(this.#definition.nodes, (text) =>
      this.losses.push({
        place: `scenario "${name}"`,
        message: `the text ${JSON.stringify(text.slice(0, 60))} has variables, which upstream cannot have`,
      }),
    );
    for (const [key, value] of Object.entries(this.#definition)) {
      if (KNOWN_PARTS.has(key) || value === undefined || isEmpty(value)) continue;
      const list = REPORT_PARTS.has(key) ? this.notes : this.losses;
      list.push({ place: `scenario "${name}"`, message: `${key} has no counterpart` });
    }
    const { karenina: _, ...rest } = metadata;
    return {
      "@type": "karenina:Scenario",
      name,
      description,
      entryNode,
      nodes: Object.fromEntries(nodeIds.map((id) => [id, this.#node(id, nodes[id] as ScenarioNode)])),
      edges: edges.flatMap((edge) => this.edge(edge)),
      outcomeCriteria: outcomes.flatMap(({ name: outcome, description: text, check, when }) => {
        const place = `outcome "${outcome}"`;
        if (when !== undefined)
          this.losses.push({ place: this.#at(place), message: "when has no counterpart" });
        const written = this.#attempt(place, (note) => this.#outcome(check, note));
        return written === undefined ? [] : [{ name: outcome, description: text ?? "", ...written }];
      }),
      metadata: rest,
    };
  }

  #at(place: string): string {
    return `scenario "${this.#definition.name}", ${place}`;
  }

  #attempt<Result>(place: string, write: (note: Note) => Result): Result | undefined {
    try {
      return write((message) => this.notes.push({ place: this.#at(place), message }));
    } catch (error) {
      if (!(error instanceof NotTranslatable)) throw error;
      this.losses.push({ place: this.#at(place), message: error.message });
      return undefined;
    }
  }

  #node(id: string, node: ScenarioNode): JsonObject {
    const place = `node "${id}"`;
    const { question } = node;
    const lose: Note = (message) => this.losses.push({ place: this.#at(`${place}, template`), message });
    const written = this.#attempt(`${place}, template`, (note) => this.#template(node, note, lose));
    if (written === undefined) {
      const { template: _, ...spoken } = question;
      this.#nodes[id] = { ...node, question: spoken };
    }
    const template = written ?? SPOKEN;
    const update =
      node.stateUpdate === undefined
        ? undefined
        : this.#attempt(`${place}, stateUpdate`, () => this.#source("stateUpdate", node.stateUpdate));
    const traits = [...(question.rubric?.traits ?? []), ...(node.rubric?.traits ?? [])];
    const rubric = this.#attempt(`${place}, rubric`, (note) => this.#rubric(traits, note)) ?? null;
    const models = this.#attempt(`${place}, modelOverride`, (note) => this.#models(node, note)) ?? {};
    const text = question.question;
    const answer = question.rawAnswer === "" ? " " : question.rawAnswer;
    const title = text.length > 40 ? `${text.slice(0, 40)}...` : text;
    return {
      "@type": "karenina:ScenarioNode",
      nodeId: id,
      question: {
        "@type": "Question",
        text,
        acceptedAnswer: { "@type": "Answer", text: answer },
        hasPart: {
          "@type": "SoftwareSourceCode",
          name: `${title} Answer Template`,
          text: template,
          programmingLanguage: "Python",
        },
      },
      ...models,
      ...(node.toolFilter === undefined
        ? {}
        : {
            toolFilter: {
              remove: node.toolFilter.remove.map(({ server, tool }) => ({ server, tool: tool ?? null })),
            },
          }),
      ...(update === undefined ? {} : { stateUpdateSource: update }),
      questionData: {
        question: text,
        raw_answer: answer,
        keywords: [...(question.keywords ?? [])],
        few_shot_examples:
          question.fewShot === undefined ? null : question.fewShot.map((example) => ({ ...example })),
        date_created: this.#created,
        date_modified: this.#created,
        answer_template: template,
        answer_notes: null,
        author: null,
        sources: null,
        custom_metadata: null,
        question_rubric: rubric,
        question_dynamic_rubric: null,
        workspace_path: null,
        id: createHash("md5").update(text).digest("hex"),
        ...keptQuestion(question.metadata),
      },
      metadata: node.metadata ?? {},
    };
  }

  #template(node: ScenarioNode, note: Note, lose: Note): string {
    const { template } = node.question;
    if (template === undefined) {
      note(
        "nothing is verified here; upstream needs a template, so one that always passes stands in, with the verdict true",
      );
      return SPOKEN;
    }
    const kept = this.#kept.find("template", template);
    return typeof kept === "string"
      ? kept
      : writeTemplate(template, (path) => writePath(path, this.#nodes), { note, lose });
  }

  #source(kind: "stateUpdate" | "condition" | "outcome", source: unknown): string {
    const kept = typeof source === "string" ? this.#kept.find(kind, source) : undefined;
    if (typeof kept === "string") return kept;
    throw new NotTranslatable("it is JavaScript, which karenina cannot run");
  }

  #rubric(traits: readonly Trait[], note: Note): JsonValue {
    if (traits.length === 0) return null;
    return this.#kept.find("rubric", traits) ?? writeTraits(traits, note);
  }

  #models({ modelOverride, agentIdentity }: ScenarioNode, note: Note): JsonObject {
    const kept = this.#kept.find("model", {
      modelOverride: modelOverride ?? null,
      agentIdentity: agentIdentity ?? null,
    });
    return isRecord(kept) ? (kept as JsonObject) : writeModelOverride(modelOverride, agentIdentity, note);
  }

  /** The edges that together mean the same as one of ours. */
  edge(edge: ScenarioEdge): readonly JsonObject[] {
    const { source, target, when, handover } = edge;
    const place = `edge from "${source}" to "${target}"`;
    if (handover !== undefined && !(typeof handover === "string" && isTranscript(handover)))
      this.losses.push({
        place: this.#at(place),
        message: "its handover is a function, which has no counterpart",
      });
    const transcript = typeof handover === "string" && isTranscript(handover) ? { handover } : {};
    const base = { source, target };
    if (when === undefined) return [{ ...base, ...transcript }];
    const conditions = this.#attempt(place, () => this.#conditions(edge)) ?? [{ condition: NEVER_HOLDS }];
    return conditions.map((condition) => ({ ...base, ...condition, ...transcript }));
  }

  #conditions(edge: ScenarioEdge): readonly JsonObject[] {
    const kept = this.#kept.find("condition", edge.when);
    if (typeof kept === "string") return [{ conditionSource: kept }];
    if (kept !== undefined) return [{ condition: kept }];
    const plain = { ...edge, when: withPlainTexts(edge.when) } as ScenarioEdge;
    return writeConditions(plain, this.#nodes).map((condition) => ({ condition }));
  }

  #outcome(check: OutcomeCheck, note: Note): JsonObject {
    const kept = this.#kept.find("outcome", check);
    if (typeof kept === "string") return { evaluateSource: kept };
    if (kept !== undefined) return { check: kept };
    if (typeof check === "string" || typeof check === "function")
      return { evaluateSource: this.#source("outcome", check) };
    return { check: writeOutcome(withPlainTexts(check), this.#nodes, note) };
  }
}

/** What an import kept of a question. */
function keptQuestion(metadata: JsonObject | undefined): JsonObject {
  return isRecord(metadata?.karenina) ? (metadata.karenina as JsonObject) : {};
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
