import { sha256 } from "../../core/values/hash.ts";
import { canonicalJson, isRecord, type JsonObject, type JsonValue } from "../../core/values/json.ts";
import { withPlainTexts } from "./raw-texts.ts";

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
