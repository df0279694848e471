const SECRET_NAME = /auth|key|token|secret|cookie|password|credential|session/i;

/** Headers as they may be written down: of those that look like secrets only the name is left. */
export function openHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      SECRET_NAME.test(name) ? "(secret)" : value,
    ]),
  );
}

/** The values that must never be shown: those of headers that look like secrets, also without `Bearer`. */
export function secretHeaderValues(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\w+ /, "")]);
}
