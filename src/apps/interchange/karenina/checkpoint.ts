import { errorMessage } from "../../../core/error-message.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { DefinitionError, formatIssue } from "../../../core/schema/format-issue.ts";
import { deepEqual, isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { KeptPieces } from "./kept-pieces.ts";
import { type ImportNote, reasonOf, ScenarioReader } from "./scenario-reader.ts";
import { ScenarioWriter } from "./scenario-writer.ts";
import { globalTraits, type UpstreamTrait } from "./traits.ts";

/** The file is not a checkpoint of scenarios, or cannot be read as one. */
export class KareninaError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KareninaError";
  }
}

/** A scenario that was imported. */
export interface ImportedScenario {
  readonly name: string;
  readonly definition: ScenarioDefinition;
  /** What a scenario file of it contains, in short forms and in the order that people write. */
  readonly file: JsonObject;
  /** Where meanings differ a little, and what was left out because it has no effect. */
  readonly notes: readonly ImportNote[];
  /** What could not be translated and is missing; only with `partial`. */
  readonly holes: readonly ImportNote[];
}

/** A scenario that was not imported, and every reason. */
export interface RefusedScenario {
  readonly name: string;
  readonly reasons: readonly ImportNote[];
}

/** What a checkpoint gives. */
export interface KareninaImport {
  /** Name of the benchmark. */
  readonly name: string;
  readonly scenarios: readonly ImportedScenario[];
  readonly refused: readonly RefusedScenario[];
  /** About the checkpoint as a whole. */
  readonly notes: readonly ImportNote[];
}

/** How to import. */
export interface ImportOptions {
  /** True to import scenarios of which parts cannot be translated, without those parts. */
  readonly partial?: boolean;
}

/**
 * Reads the scenarios of a karenina checkpoint. Its Python texts are parsed, never run, and mean here what they mean
 * upstream; what cannot be translated exactly is refused with its place. Throws `KareninaError` for what is no checkpoint.
 */
export function readKarenina(text: string, options: ImportOptions = {}): KareninaImport {
  const checkpoint = parseCheckpoint(text);
  const notes: ImportNote[] = [];
  const byName = new Map<string, JsonObject>();
  for (const [index, data] of (checkpoint.hasPart as readonly JsonValue[]).entries()) {
    if (!isRecord(data) || typeof data.name !== "string" || data.name === "")
      throw new KareninaError(`The checkpoint's hasPart[${index}] is not a scenario: it has no name.`);
    if (byName.has(data.name))
      notes.push({
        place: `scenario "${data.name}"`,
        message: "of several scenarios with this name, the last one counts, as upstream",
      });
    byName.set(data.name, data as JsonObject);
  }
  const benchmark = benchmarkOf(checkpoint);
  const traits = globalTraits(checkpoint.rating);
  const read = [...byName].map(([name, data]) => readScenario(name, { data, traits, benchmark }, options));
  return {
    name: String(checkpoint.name),
    scenarios: read.filter((scenario) => "definition" in scenario),
    refused: read.filter((scenario) => "reasons" in scenario),
    notes,
  };
}

function parseCheckpoint(text: string): JsonObject {
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new KareninaError(`The file is not JSON: ${errorMessage(error)}.`);
  }
  const type = isRecord(data) ? (data["@type"] ?? "DataFeed") : undefined;
  if (!isRecord(data) || !isRecord(data["@context"]) || type !== "DataFeed" || !data.name)
    throw new KareninaError(
      `This is not a karenina checkpoint: it needs "@context", a "name" and, if it has a "@type", DataFeed.`,
    );
  const { dataFeedElement, hasPart } = data;
  if (
    !Array.isArray(dataFeedElement) ||
    dataFeedElement.length > 0 ||
    !Array.isArray(hasPart) ||
    hasPart.length === 0
  )
    throw new KareninaError(
      "Only scenarios can be imported, and the checkpoint has none, or single questions beside them.",
    );
  return data as JsonObject;
}

/** What is kept of the benchmark for an export. */
function benchmarkOf(checkpoint: JsonObject): JsonObject {
  const { name, description, version, creator, dateCreated, dateModified } = checkpoint;
  const kept = { name, description, version, creator, dateCreated, dateModified, id: checkpoint["@id"] };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) as JsonObject;
}

interface UpstreamScenario {
  readonly data: JsonObject;
  readonly traits: readonly UpstreamTrait[];
  readonly benchmark: JsonObject;
}

function readScenario(
  name: string,
  { data, traits, benchmark }: UpstreamScenario,
  { partial = false }: ImportOptions,
): ImportedScenario | RefusedScenario {
  try {
    const reader = new ScenarioReader(data, traits);
    const file = reader.read(benchmark);
    if (reader.holes.length > 0 && !partial) return { name, reasons: reader.holes };
    const whole = withKeptPieces(file, reader, traits);
    return { name, definition: parseScenario(whole), file: whole, notes: reader.notes, holes: reader.holes };
  } catch (error) {
    if (error instanceof DefinitionError)
      return { name, reasons: error.issues.map((issue) => ({ place: "", message: formatIssue(issue) })) };
    return { name, reasons: [{ place: "", message: reasonOf(error) }] };
  }
}

/**
 * The file with those pieces of the checkpoint in upstream's own words that an export could not write from the
 * translation: what comes back from an export and a second import decides which.
 */
function withKeptPieces(
  file: JsonObject,
  reader: ScenarioReader,
  traits: readonly UpstreamTrait[],
): JsonObject {
  const kept = new KeptPieces();
  const definition = parseScenario(file);
  const writer = new ScenarioWriter(definition, "", kept);
  // One edge may become several; only those that stay one can come back as they were.
  const edges = definition.edges
    .map((edge) => writer.edge(edge))
    .map((parts) => (parts.length === 1 ? parts[0] : {}));
  const again = new ScenarioReader({ ...writer.write(), edges: edges as JsonObject[] }, traits);
  again.read({});
  for (const [place, { kind, here, upstream }] of reader.pieces)
    if (!deepEqual(here, again.pieces.get(place)?.here)) kept.keep(kind, here, upstream);
  if (Object.keys(kept.data).length === 0) return file;
  const metadata = file.metadata as JsonObject;
  return {
    ...file,
    metadata: { ...metadata, karenina: { ...(metadata.karenina as JsonObject), kept: kept.data } },
  };
}

/** How to export. */
export interface ExportOptions {
  /** Name of the benchmark; default: the one that the scenarios were imported from, or that of the first scenario. */
  readonly name?: string;
  /** True to leave out what karenina cannot express, instead of refusing. */
  readonly lossy?: boolean;
  /** The time that stands in the file. */
  readonly now?: Date;
}

/** A checkpoint that karenina opens. */
export interface KareninaExport {
  readonly text: string;
  /** What means a little less there, and has no effect on paths. */
  readonly notes: readonly ImportNote[];
  /** What was left out; only with `lossy`. */
  readonly losses: readonly ImportNote[];
}

/** karenina's own context; it reads the file as plain JSON, whatever stands here. */
const CONTEXT: JsonObject = {
  "@version": 1.1,
  "@vocab": "https://schema.org/",
  karenina: "urn:karenina:vocab:",
  dataFeedElement: { "@id": "dataFeedElement", "@container": "@set" },
  item: { "@id": "item", "@type": "@id" },
  acceptedAnswer: { "@id": "acceptedAnswer", "@type": "@id" },
  rating: { "@id": "contentRating", "@container": "@set" },
  additionalProperty: { "@id": "additionalProperty", "@container": "@set" },
  hasPart: { "@id": "hasPart", "@container": "@set" },
  keywords: { "@id": "keywords", "@container": "@set" },
};

/**
 * Writes scenarios as a karenina checkpoint. What karenina cannot express is listed; unless `lossy` is set, it is a
 * `KareninaError` that names all of it.
 */
export function toKarenina(
  definitions: readonly ScenarioDefinition[],
  { name, lossy = false, now = new Date() }: ExportOptions = {},
): KareninaExport {
  if (definitions.length === 0) throw new KareninaError("There is no scenario to export.");
  const kept = keptBenchmark(definitions);
  const written = localTime(now);
  const created = typeof kept.dateCreated === "string" ? kept.dateCreated : written;
  const writers = definitions.map((definition) => new ScenarioWriter(definition, created));
  const parts = writers.map((writer) => writer.write());
  const losses = writers.flatMap((writer) => writer.losses);
  if (losses.length > 0 && !lossy)
    throw new KareninaError(
      [
        "karenina cannot express all of this; --lossy (lossy: true) leaves it out:",
        ...grouped(losses).map((line) => `  ${line}`),
      ].join("\n"),
    );
  const property = (key: string, value: string): JsonObject => ({
    "@type": "PropertyValue",
    name: key,
    value,
  });
  const checkpoint: JsonObject = {
    "@context": CONTEXT,
    "@type": "DataFeed",
    "@id":
      typeof kept.id === "string"
        ? kept.id
        : `urn:uuid:karenina-checkpoint-${Math.floor(now.getTime() / 1000)}`,
    name: name ?? (typeof kept.name === "string" ? kept.name : (definitions[0]?.name as string)),
    description: typeof kept.description === "string" ? kept.description : "Benchmark containing questions",
    version: typeof kept.version === "string" ? kept.version : "0.1.0",
    creator: (kept.creator as JsonValue | undefined) ?? "Elenchus",
    dateCreated: created,
    dateModified: typeof kept.dateModified === "string" ? kept.dateModified : written,
    dataFeedElement: [],
    hasPart: parts,
    additionalProperty: [
      property("benchmark_format_version", "3.0.0-jsonld"),
      property("benchmark_type", "scenario"),
    ],
  };
  return {
    text: `${JSON.stringify(checkpoint, null, 2)}\n`,
    notes: writers.flatMap((writer) => writer.notes),
    losses,
  };
}

/** What is said of several scenarios in the same words, once. */
export function grouped(notes: readonly ImportNote[]): readonly string[] {
  const counts = new Map<string, { readonly first: string; count: number }>();
  for (const { place, message } of notes) {
    const [scenario = "", ...rest] = place.split(", ");
    const line = rest.length === 0 ? message : `${rest.join(", ")}: ${message}`;
    const known = counts.get(line) ?? { first: scenario, count: 0 };
    known.count++;
    counts.set(line, known);
  }
  return [...counts].map(([line, { first, count }]) =>
    count === 1 ? `${first}, ${line}` : `${count} scenarios, such as ${first}, ${line}`,
  );
}

/** What an import kept of the benchmark, if all scenarios come from the same. */
function keptBenchmark(definitions: readonly ScenarioDefinition[]): JsonObject {
  const all = definitions.map(({ metadata }) =>
    isRecord(metadata.karenina) && isRecord(metadata.karenina.benchmark)
      ? (metadata.karenina.benchmark as JsonObject)
      : {},
  );
  const [first = {}] = all;
  return all.every((kept) => JSON.stringify(kept) === JSON.stringify(first)) ? first : {};
}

/** Local time without a zone, as Python writes it. */
function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().replace("Z", "000");
}
