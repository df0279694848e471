/** `{{row.…}}`: stands for a value of a dataset's row until a run puts it there. */
const ROW_VARIABLE = /\{\{\s*row\.([\w-]+(?:\.[\w-]+)*)\s*\}\}/g;

/** True for a text that is a row variable and nothing else, and so may stand for a value of any type. */
export function isRowVariable(value: unknown): boolean {
  return typeof value === "string" && /^\{\{\s*row\.[\w.-]+\s*\}\}$/.test(value);
}

/** The paths of the row variables in a text. */
export function rowVariables(text: string): readonly string[] {
  return [...text.matchAll(ROW_VARIABLE)].map((match) => match[1] as string);
}

/** A text with its row variables replaced by what `lookUp` gives for their paths. */
export function fillRowVariables(text: string, lookUp: (path: string) => string): string {
  return text.replaceAll(ROW_VARIABLE, (_, path: string) => lookUp(path));
}
