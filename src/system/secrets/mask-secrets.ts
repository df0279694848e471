import { REDACTED, SecretMatcher, type Span } from "./known-secrets.ts";

/**
 * The secrets that this process has used. One table for all: what one model was sent must not be stored with the reply of another, and no
 * part of the program may forget to pass it on.
 */
const used = new SecretMatcher();

/** Makes values known that are used as credentials: from now on they are masked in everything that is stored or shown. */
export function rememberSecrets(values: Iterable<string>): void {
  for (const value of values) for (const part of credentialParts(value)) used.add(part);
}

/** Where a text has secrets that this process has used. */
export function usedSecretSpans(text: string): readonly Span[] {
  return used.spans(text);
}

/** Data with every secret masked, in texts and in keys; the same object if there is none. */
export function maskSecretsIn<Data>(data: Data): Data {
  // What is masked is a text, and stays one.
  return used.isEmpty ? data : (masked(data, 0) as Data);
}

/** What is nested more deeply cannot be walked without danger, and so is not kept. */
const DEEPEST = 500;

function masked(data: unknown, depth: number): unknown {
  if (typeof data === "string") return used.mask(data);
  if (typeof data !== "object" || data === null) return data;
  if (depth > DEEPEST) return REDACTED;
  if (Array.isArray(data)) {
    const items = data.map((item) => masked(item, depth + 1));
    return items.some((item, index) => item !== data[index]) ? items : data;
  }
  let isChanged = false;
  const entries = Object.entries(data).map(([key, value]: [string, unknown]) => {
    const entry = [used.mask(key), masked(value, depth + 1)] as const;
    isChanged ||= entry[0] !== key || entry[1] !== value;
    return entry;
  });
  return isChanged ? Object.fromEntries(entries) : data;
}

const SCHEME = /^(?:bearer|basic|token|apikey|api-key|digest|negotiate|aws4-hmac-sha256)\s+/i;

/** The secret parts of a value: without `Bearer`, and of `session=…; theme=…` only what stands behind the names. */
function credentialParts(value: string): readonly string[] {
  const scheme = SCHEME.exec(value.trim())?.[0] ?? "";
  const rest = value.trim().slice(scheme.length);
  const pieces = rest.split(/[;,]\s*(?=[\w.-]+=)/).map((piece) => {
    const name = /^[A-Za-z][A-Za-z_.-]{0,40}=(?!=?$)/.exec(piece)?.[0] ?? "";
    return piece.slice(name.length).replace(/^"(.*)"$/, "$1");
  });
  return /^basic/i.test(scheme) ? [...pieces, ...passwords(rest)] : pieces;
}

/** What stands in `Basic …`: the password, and the two together. */
function passwords(encoded: string): readonly string[] {
  try {
    const pair = atob(encoded.trim());
    return [pair, pair.slice(pair.indexOf(":") + 1)];
  } catch {
    return [];
  }
}
