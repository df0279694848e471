/** The message of what was thrown. Anything can be thrown, even a value that cannot be turned into text. */
export function errorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "something that cannot be shown";
  }
}
