/**
 * The lines of a text that comes in pieces, such as a file's. Only a line feed ends a line: other characters that some
 * readers take for an end may stand in it.
 *
 * @example
 * await importRun(store, textLines(createReadStream(path, "utf8")));
 */
export async function* textLines(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    if (!piece.includes("\n")) {
      rest += piece;
      continue;
    }
    const lines = piece.split("\n");
    yield rest + (lines[0] ?? "");
    rest = lines.at(-1) ?? "";
    yield* lines.slice(1, -1);
  }
  if (rest !== "") yield rest;
}
