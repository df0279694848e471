/** Shorter values are words such as `on` or `test`; hiding them would only make messages unreadable. */
const SHORTEST_SECRET = 6;

/** A function that takes known secrets out of a text, then whatever `redact` knows. */
export function hideSecrets(
  secrets: readonly string[],
  redact: (text: string) => string,
): (text: string) => string {
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]);
  // The longest first: a secret may hold another one.
  const hidden = [...new Set(parts)]
    .filter((part) => part.length >= SHORTEST_SECRET && !/^(?:Bearer|application\/json)$/i.test(part))
    .sort((left, right) => right.length - left.length);
  return (text) => redact(hidden.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text));
}
