/** A value read as text: a string, or a finite number or boolean turned into one; else undefined. */
export function textValue(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isFinite(value) ? String(value) : undefined;
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}
