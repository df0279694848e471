/** A word of prose, or several with hyphens or underscores: `authentication`, `invalid_api_key`. */
export function isWord(value: string): boolean {
  return value.length < 40 && /^[A-Z]?[a-z]{1,19}(?:[-_/][A-Z]?[a-z]{1,19}){0,4}[.:!?]?$/.test(value);
}

/** Long, without the look of words: hex, base64. */
export function looksRandom(value: string): boolean {
  return (
    value.length >= 16 && /^[\w+/=.~*-]+$/.test(value) && !isWord(value) && /[0-9*]|[a-z][A-Z]/.test(value)
  );
}

const SCHEME = /^(?:bearer|basic|token|apikey|api-key|digest|negotiate|aws4-hmac-sha256)\s+\S{6}/i;
const JSON_WEB_TOKEN = /^eyJ[\w-]{5,}\.[\w-]{2,}(?:\.[\w-]*)*$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PUBLIC_PREFIX =
  /^(?:(?:sk|pk|rk)[-_](?:(?:proj|ant|or|v\d|svcacct|admin|api\d\d|oat\d\d|sid\d\d|live|test|lf|None)[-_])*|(?:xai|pplx|nvapi|glpat|csk|xox[a-z]|lsv\d|pcsk)[-_](?:pt[-_])?|github_pat_|(?:gsk|hf|gh[a-z]|r8|fw|tgp|npm|whsec)_|AIza|AKIA|ASIA|ya29\.)/;

/**
 * True for a value that is a credential whatever its name: `Bearer …`, a JSON Web Token, a key with a known prefix, a long random text.
 * Versions, names of models, addresses, paths and sentences are none.
 */
export function looksLikeCredential(value: string): boolean {
  const text = value.trim();
  if (SCHEME.test(text) || JSON_WEB_TOKEN.test(text) || UUID.test(text)) return true;
  if (/\s/.test(text)) return false;
  const rest = text.slice(publicPrefix(text));
  if (rest.length < text.length) return rest.length >= 10 && !isWord(rest) && /[0-9]|[a-z][A-Z]/.test(rest);
  return !/^https?:/i.test(text) && isJumbled(text);
}

/** How many characters of a key are the same in the keys of all customers: `sk-proj-`. */
export function publicPrefix(key: string): number {
  return PUBLIC_PREFIX.exec(key)?.[0].length ?? 0;
}

/**
 * True if letters, digits and capitals take turns all the time: about every second character of a random text changes, and hardly any of
 * a name, a version or a date.
 */
function isJumbled(text: string): boolean {
  if (text.length < 20) return false;
  let changes = 0;
  for (let index = 1; index < text.length; index++)
    if (/^(?:[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z])$/.test(text.slice(index - 1, index + 1))) changes++;
  return changes >= text.length / 8;
}

/**
 * True for letters that read like ordinary words: `marketing`, `the-key`. To mask them wherever they stand would make rubble of
 * ordinary texts.
 */
export function isWordy(text: string): boolean {
  if (!/^(?:[A-Z]?[a-z]*)(?:[-_ ./:][A-Z]?[a-z]*)*$/.test(text)) return false;
  return text.split(/[^A-Za-z]+/).every((word) => word.length < 4 || isPronounceable(word));
}

function isPronounceable(word: string): boolean {
  return /[aeiouy]/i.test(word) && !/[^aeiouy]{5}/i.test(word) && !/[jqxz][bcdfghjklmnpqrstvwxz]/i.test(word);
}
