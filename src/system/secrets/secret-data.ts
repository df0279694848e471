import type { JsonValue } from "../../core/values/json.ts";
import { looksLikeCredential } from "./credential-look.ts";
import { REDACTED } from "./known-secrets.ts";
import { redactSecrets } from "./redact-secrets.ts";

/** Narrower than for headers: `stopToken` and `keywords` shape replies, and so must be part of what is written down. */
const SECRET_NAME =
  /^(?:key|token|secret|auth|authorization|cookie|credentials?)$|(?:api|access|auth|bearer|client|private|secret|service|session|signing|subscription|refresh|id)[_-]?(?:key|token|secret)$|(?:secret|password|passwd|passphrase|credentials?)$/i;

/** Data as it may be written down: of texts that are secrets, by their name or their look, nothing is left. */
export function openData(data: JsonValue): JsonValue {
  // Whatever is in it has been checked to be JSON.
  return JSON.parse(JSON.stringify(data), (name, value: unknown) =>
    typeof value === "string" && isSecret(name, value) ? "(secret)" : value,
  ) as JsonValue;
}

/** The texts in data that must never be shown. */
export function secretDataValues(data: JsonValue): readonly string[] {
  const values: string[] = [];
  JSON.stringify(data, (name, value: unknown) => {
    if (typeof value === "string" && isSecret(name, value)) values.push(value);
    return value;
  });
  return values;
}

/** What an address holds that must never be shown: a password, values in its query, a key in its path. */
export function secretQueryValues(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, pathname, searchParams } = new URL(address);
  const user = password === "" ? username : password;
  return [
    ...pathname.split("/").filter(looksLikeCredential),
    ...(user === "" ? [] : [decoded(user)]),
    ...[...searchParams].flatMap(([name, value]) => (isSecret(name, value) ? [value] : [])),
  ];
}

/** An address without user, password and query. What the query says is left as a hash, of which no secret is a part: it may shape replies. */
export function openAddress(
  address: string,
  hash: (text: string) => string,
): { readonly url: string; readonly query?: string } {
  if (!URL.canParse(address)) return { url: redactSecrets(address) };
  const { origin, pathname, searchParams } = new URL(address);
  const url = origin + (address === origin ? "" : openPath(pathname));
  if (searchParams.size === 0) return { url };
  const open = [...searchParams].map(([name, value]) => [name, isSecret(name, value) ? "(secret)" : value]);
  return { url, query: hash(JSON.stringify(open)) };
}

/** Some addresses have a key as a part of their path. */
export function openPath(path: string): string {
  return path
    .split("/")
    .map((segment) => (looksLikeCredential(segment) ? "(secret)" : redactSecrets(segment)))
    .join("/");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The words of a command that must never be shown: `--token …`, `--api-key=…`, and what looks like a credential. */
export function secretArguments(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const [, name, value] = /^--?([\w.-]+)=(.*)$/s.exec(word) ?? [
      undefined,
      words[index - 1]?.replace(/^--?/, ""),
      word,
    ];
    const isFlag = word.startsWith("-") && value === word;
    return !isFlag && value !== undefined && isSecret(name ?? "", value) ? [value] : [];
  });
}

/**
 * What is secret in a value that came from a variable or a header: nothing in a path, a media type or a number, for tools speak of them
 * all the time; in an address only its password, key or token.
 */
export function privateParts(value: string): readonly string[] {
  if (/^\d{1,12}$/.test(value) || /^[a-z]+\/[a-z.+*-]+(?:;.*)?$/.test(value)) return [];
  if (/^[a-z][a-z+.-]*:\/\//i.test(value)) return secretQueryValues(value);
  const isPath = /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/][^\\/]+[\\/]/.test(value);
  return isPath ? value.split(/[\\/]/).filter(looksLikeCredential) : [value];
}

function isSecret(name: string, value: string): boolean {
  // What is filled in later is no secret yet.
  if (/^\{\{\w+\}\}$/.test(value)) return false;
  return SECRET_NAME.test(name) || looksLikeCredential(value) || redactSecrets(value).includes(REDACTED);
}

/** Broader than for data: few headers shape replies. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password|credential|session/i;

function isSecretHeader(name: string, value: string): boolean {
  return SECRET_HEADER.test(name) || looksLikeCredential(value);
}

/** Headers as they may be written down: of those that are secrets, by their name or their look, only the name is left. */
export function openHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      isSecretHeader(name, value) ? "(secret)" : value,
    ]),
  );
}

/** The values that must never be shown: those of headers that are secrets, also without `Bearer`. */
export function secretHeaderValues(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name, value]) => isSecretHeader(name, value))
    .flatMap(([, value]) => [value, value.replace(/^\w+ /, "")]);
}
