import { looksLikeCredential } from "./credential-look.ts";

const SECRET_NAME = /auth|key|token|secret|cookie|password|credential|session/i;

function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || looksLikeCredential(value);
}

/** Headers as they may be written down: of those that are secrets, by their name or their look, only the name is left. */
export function openHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      isSecret(name, value) ? "(secret)" : value,
    ]),
  );
}

/** The values that must never be shown: those of headers that are secrets, also without `Bearer`. */
export function secretHeaderValues(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name, value]) => isSecret(name, value))
    .flatMap(([, value]) => [value, value.replace(/^\w+ /, "")]);
}
