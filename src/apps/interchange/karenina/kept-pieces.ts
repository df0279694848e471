import { textsIn } from "../../../core/liquid/fill-texts.ts";
import { isTemplate } from "../../../core/liquid/text-template.ts";
import { sha256 } from "../../../core/values/hash.ts";
import { canonicalJson, isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { NotTranslatable } from "./primitives.ts";

/** What of a scenario may be kept in upstream's words. */
export type PieceKind = "template" | "stateUpdate" | "condition" | "outcome" | "model" | "rubric";

/**
 * Pieces of a checkpoint as upstream wrote them, for an export: each is used only while what it was translated into
 * has not changed.
 */
export class KeptPieces {
  readonly #pieces: Record<string, JsonValue>;

  constructor(pieces: JsonObject = {}) {
    this.#pieces = { ...pieces };
  }

  /** Those that a definition's metadata has. */
  static of(metadata: JsonObject): KeptPieces {
    const { karenina } = metadata;
    return new KeptPieces(isRecord(karenina) && isRecord(karenina.kept) ? (karenina.kept as JsonObject) : {});
  }

  keep(kind: PieceKind, here: unknown, upstream: JsonValue): void {
    this.#pieces[keyOf(kind, here)] = upstream;
  }

  find(kind: PieceKind, here: unknown): JsonValue | undefined {
    const key = keyOf(kind, here);
    return Object.hasOwn(this.#pieces, key) ? this.#pieces[key] : undefined;
  }

  get data(): JsonObject {
    return this.#pieces;
  }
}

function keyOf(kind: PieceKind, here: unknown): string {
  return `${kind}-${sha256(canonicalJson(withPlainTexts(here ?? null))).slice(0, 12)}`;
}

const START = "{% raw %}";
const END = "{% endraw %}";

/** Upstream has no variables in texts: braces that would be some here are marked as plain text. */
export function withRawTexts<Part extends JsonValue>(part: Part): Part {
  const places = new Set([...textsIn(part)].map(({ path }) => JSON.stringify(path)));
  return places.size === 0 ? part : (mapTexts(part, places, []) as Part);
}

function mapTexts(
  part: JsonValue,
  places: ReadonlySet<string>,
  path: readonly (string | number)[],
): JsonValue {
  if (typeof part === "string") {
    if (!places.has(JSON.stringify(path))) return part;
    if (part.includes(END))
      throw new NotTranslatable(`a text contains ${END}, which cannot be told from a mark`);
    return `${START}${part}${END}`;
  }
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part))
    return part.map((item, index) => mapTexts(item as JsonValue, places, [...path, index]));
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, mapTexts(value as JsonValue, places, [...path, key])]),
  );
}

/** The texts of a part without the marks; `report` gets each text with variables, which upstream cannot have. */
export function withPlainTexts<Part>(part: Part, report?: (text: string) => void): Part {
  if (typeof part === "string") {
    if (part.startsWith(START) && part.endsWith(END)) return part.slice(START.length, -END.length) as Part;
    if (isTemplate(part)) report?.(part);
    return part;
  }
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => withPlainTexts(item, report)) as Part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      // Data of the author's own, in which braces are braces.
      key === "metadata" ? value : withPlainTexts(value, report),
    ]),
  ) as Part;
}
