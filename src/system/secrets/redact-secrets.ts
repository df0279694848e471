import { errorMessage } from "../../core/error-message.ts";
import { isWord, looksLikeCredential, looksRandom } from "./credential-look.ts";
import { maskedSpans, merged, SecretMatcher, type Span } from "./known-secrets.ts";
import { usedSecretSpans } from "./mask-secrets.ts";

/** A message that is longer says nothing more to a reader. */
const MOST_SHOWN = 2_000;

/** No more is searched, so that a body of many megabytes costs no time. */
const MOST_SEARCHED = 32_000;

/** A secret that begins near the end of what is searched may be cut in two and not be recognised: that end is not shown. */
const MARGIN = 8_000;

/**
 * Removes from a message what looks like a secret (keys, tokens, credentials in addresses), the given secrets wherever
 * they stand, also encoded, and all that this process has used. Cuts a very long message. Its work grows linearly with the text.
 */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  const searched = text.slice(0, MOST_SEARCHED);
  const spans = merged([
    ...secretSpans(searched),
    ...new SecretMatcher(secrets).spans(searched),
    ...usedSecretSpans(searched),
  ]);
  if (spans.length === 0 && text.length <= MOST_SHOWN) return text;
  const shown = searched.length < text.length ? searched.length - MARGIN : searched.length;
  const hidden = spans.filter(({ start }) => start < shown);
  const result = maskedSpans(searched.slice(0, shown), hidden);
  if (shown === text.length && result.length <= MOST_SHOWN) return result;
  return `${result.slice(0, MOST_SHOWN)}… (cut, ${text.length} characters in all)`;
}

/*
 * All patterns work in linear time: a repetition without bound either starts at a place that can occur only once in what
 * it runs over, or nothing that can fail follows it.
 */

/** A token starts where no letter or digit stands before it, unless that one belongs to an escape: `%3D`, `\n`. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))`;

/** Secrets that show by themselves what they are: group 1, or all of it. */
const TELLING: readonly RegExp[] = [
  // Keys by their prefix; providers echo them with stars.
  new RegExp(
    String.raw`${START}(?:(?:sk|pk|rk)[-_](?:(?=[A-Za-z_-]{0,64}[0-9*])[\w*-]{8,}|[\w*-]{16,})|(?:xai|pplx|nvapi|glpat|csk|xox[a-z])-[\w*-]{10,}|(?:gsk|hf|gh[a-z]|github_pat|r8|fw|tgp|npm|whsec)_[\w*-]{10,}|ya29\.[\w*.-]{10,}|(?:AKIA|ASIA)[A-Z0-9*]{12,})`,
    "g",
  ),
  /AIza[\w*-]{20,}/g,
  // JSON Web Tokens.
  /(?:(?<![\w-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))eyJ[\w-]{5,}\.[\w-]{2,}(?:\.[\w-]*)*/g,
  /-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END[A-Z0-9 ]{0,40}-----|$)/g,
  // User and password in an address.
  /:\/\/([^\s/?#"'<>]+)@/dg,
  // Parameters of an address.
  /(?:[?&;]|%3F|%26)[\w.-]{0,40}(?:key|token|sig|signature|secret|password|passwd|pwd|auth|credentials?)(?:=|%3D)([^\s&#"'<>]+)/dgi,
  // Headers whose whole value is secret.
  /\bcookie["']?\s{0,4}:\s{0,4}([^\r\n"']+)/dgi,
  /\b(?:digest\s{1,4}(?=\w+=)|aws4-hmac-sha256\s)([^\r\n]+)/dgi,
];

const SCHEME = "(?:bearer|basic|token|apikey|api-key)";

/** `Bearer …` anywhere. */
const AUTHORIZATION = new RegExp(String.raw`\b${SCHEME}[ \t]{1,4}(?<value>[\w.~+/=*-]{6,200})`, "gi");

/** A name of something secret, perhaps with a word between, and its value, perhaps with a scheme. */
const NAMED = new RegExp(
  String.raw`(?<name>pass(?:word|wd|phrase)?|pwd|secret|authorization|credentials?|api[-_ ]?key|(?:auth|access|refresh|id|session|security)[-_ ]?token|key|token)["'\\]{0,4}(?:\s(?:provided|is|was|used|given|value))?\s{0,4}(?<sign>[:=]?)\s{0,4}["'\\]{0,4}(?<scheme>${SCHEME}\s{1,4})?(?<value>[^\s"'\\&,;<>()[\]{}]{4,200})`,
  "gi",
);

/** A parameter of an address, whatever its name. */
const PARAMETER = /[?&][\w.-]{1,40}=(?<value>[^\s&#"'<>]{16,400})/g;

/**
 * Every match of a pattern above has one of these. Few texts do, and each row of a dataset has several texts: to try all patterns takes
 * ten times as long.
 */
const HINT =
  /(?:[spr]k|xai|pplx|nvapi|pat|xox[a-z]|hf|gh[a-z]|r8|fw|tgp|npm|whsec)[-_]|ya29|akia|asia|aiza|eyj|:\/\/|=|%3d|cookie|aws4|bearer|basic|token|key|pass|pwd|secret|authorization|credential/i;

/** Where something stands that looks like a secret; spans may overlap. */
function secretSpans(text: string): readonly Span[] {
  return HINT.test(text) ? allSpans(text) : NONE;
}

const NONE: readonly Span[] = Object.freeze([]);

function allSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const pattern of TELLING) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? [match.index, match.index + match[0].length];
      spans.push({ start, end });
    }
  }
  spans.push(...valueSpans(text, AUTHORIZATION, ({ value = "" }) => !isWord(value)));
  spans.push(...valueSpans(text, NAMED, isSecretValue));
  spans.push(...valueSpans(text, PARAMETER, ({ value = "" }) => looksLikeCredential(value)));
  return spans;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** The values at the end of what a pattern finds, as far as they are secrets. */
function* valueSpans(text: string, pattern: RegExp, isSecret: (groups: Groups) => boolean): Iterable<Span> {
  let covered = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const groups = match.groups ?? {};
    const end = match.index + match[0].length;
    const start = end - (groups.value ?? "").length;
    // What was taken for a value may be a name itself: `key: token …`.
    pattern.lastIndex = start;
    if (end <= covered || !isSecret(groups)) continue;
    const span = toEnd(text, start, end);
    covered = span.end;
    yield span;
  }
}

/** A value is matched up to a bound only, so that refusing it is cheap; a secret is removed to its end. */
function toEnd(text: string, start: number, end: number): Span {
  const rest = /[^\s"'\\&,;<>()[\]{}]*/y;
  rest.lastIndex = end;
  rest.test(text);
  end = Math.max(end, rest.lastIndex);
  return { start, end: /[.:!?]/.test(text.charAt(end - 1)) ? end - 1 : end };
}

function isSecretValue({ name = "", sign = "", scheme, value = "" }: Groups): boolean {
  if (/^(?:null|none|undefined|true|false|token|auth|authentication|credentials|header|scheme)$/i.test(value))
    return false;
  if (sign === "" || /^(?:key|token)$/i.test(name)) return looksRandom(value);
  // `password=…` is never prose; `password: required` may be.
  return sign === "=" || scheme !== undefined || !isWord(value);
}

const DEEPEST_CAUSE = 3;

/**
 * What was thrown, fit to be kept: name, message and stack without secrets, and nothing of what errors of providers carry
 * along (requests, headers, whole responses).
 */
export function redactedCause(error: unknown, redact: (text: string) => string, depth = 1): Error {
  const copy = new Error(redact(errorMessage(error)));
  if (!(error instanceof Error)) return copy;
  try {
    copy.name = redact(String(error.name));
    if (typeof error.stack === "string") copy.stack = redact(error.stack);
    if (error.cause !== undefined && depth < DEEPEST_CAUSE) {
      copy.cause = redactedCause(error.cause, redact, depth + 1);
    }
  } catch {
    // A getter threw; what has been read so far is enough.
  }
  return copy;
}
