import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../core/values/json.ts";
import { KareninaError } from "./read-karenina.ts";
import type { ImportNote } from "./scenario-reader.ts";
import { ScenarioWriter } from "./scenario-writer.ts";

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
