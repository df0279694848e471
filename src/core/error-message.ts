/** What was thrown, in words; anything can be thrown, even what cannot be turned into text. */
export function errorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "something that cannot be shown";
  }
}
