import { RunError } from "../../journal/failure.ts";
import type { Label } from "../../journal/run-event.ts";

/** A label before it is known who gave it, and when. */
type GivenLabel = Pick<Label, "conversation" | "turn" | "field" | "value">;

const COLUMNS = ["conversation", "turn", "field", "value"] as const;

/** Reads labels by persons from CSV with the columns conversation, turn, field and value. Throws `RunError` with the line that is wrong. */
export function readLabels(text: string, file: string): readonly (GivenLabel & { readonly line: number })[] {
  const [head, ...rows] = cellsOf(text.replace(/^\uFEFF/, ""), file);
  const places = COLUMNS.map((name) => head?.cells.findIndex((cell) => cell.trim() === name) ?? -1);
  const missing = COLUMNS.filter((_, i) => places[i] === -1);
  if (missing.length > 0)
    throw new RunError([
      `${file}:1: The first line must name the columns ${COLUMNS.join(", ")}; ${missing.join(", ")} is missing.`,
    ]);
  return rows.map(({ cells, line }) => {
    const [conversation = "", turnText = "", field = "", value = ""] = places.map(
      (place) => cells[place]?.trim() ?? "",
    );
    const turn = Number(turnText);
    if (conversation === "" || field === "")
      throw new RunError([`${file}:${line}: A label needs a conversation and a field.`]);
    if (!Number.isSafeInteger(turn) || turn < 1)
      throw new RunError([`${file}:${line}: The turn must be a whole number from 1, not "${turnText}".`]);
    return { conversation, turn, field, value: labelValue(value), line };
  });
}

/** `true`, `false`, a number, nothing, or a text. */
function labelValue(text: string): Label["value"] {
  const lower = text.toLowerCase();
  if (text === "" || lower === "null") return null;
  if (lower === "true" || lower === "false") return lower === "true";
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The cells of each line that is not empty (RFC 4180). */
function cellsOf(
  text: string,
  file: string,
): readonly { readonly cells: readonly string[]; readonly line: number }[] {
  const rows: { readonly cells: readonly string[]; readonly line: number }[] = [];
  let cells: string[] = [];
  let [line, start] = [1, 1];
  const pattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null)
      throw new RunError([
        `${file}:${line}: This line cannot be read as CSV. A quote inside quotes is written twice.`,
      ]);
    const [whole, quoted, plain = "", end] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split("\n").length - 1;
    if (end === ",") continue;
    if (cells.some((cell) => cell.trim() !== "")) rows.push({ cells, line: start });
    [cells, start] = [[], line];
  }
  return rows;
}
