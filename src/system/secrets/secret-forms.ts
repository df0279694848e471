import type { Span } from "./folded-text.ts";

/** A text as it is, in capitals and in small letters, as in JSON, as in an address. */
export function plainForms(secret: string): readonly string[] {
  const forms = [secret, secret.toUpperCase(), secret.toLowerCase(), JSON.stringify(secret).slice(1, -1)];
  try {
    const encoded = encodeURIComponent(secret);
    const lower = encoded.replace(/%../g, (code) => code.toLowerCase());
    for (const form of [encoded, lower]) forms.push(form, form.replaceAll("%20", "+"));
    forms.push(encodeURI(secret));
  } catch {
    // Half of a surrogate pair: such a text has no form in an address.
  }
  return [...new Set(forms)];
}

/** What a secret becomes when it is encoded, and how much of that must stand in a text until it counts. */
interface EncodedForm {
  readonly form: string;
  readonly least: number;
}

/** The rarer forms of a longer value, such as a token with claims, would be many thousands of windows. */
const LONGEST_KEY = 300;

/** How much counts of base64, of base64 in base64, and of UTF-16 in base64: what eight characters of a secret become in every place. */
const [BASE64, TWICE, WIDE] = [10, 12, 20] as const;

/** True if what was found is base64: characters at its ends hold bits of the secret, too. */
export function isBase64Form(least: number): boolean {
  return least === BASE64 || least === TWICE || least === WIDE;
}

/**
 * The forms of a secret that decoding a text does not show, since nothing in it says that it is encoded. What stands between items is left
 * out where texts are compared, apart from dashes: `73-6B-2D`, and `s-k-p` as models spell. Each form is looked for at no cost, but fills
 * the table.
 */
export function* encodedForms(secret: string): Generator<EncodedForm> {
  const bytes = Array.from(new TextEncoder().encode(secret));
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
  for (const form of base64Cores(secret)) yield { form, least: BASE64 };
  yield { form: hex.join(""), least: 16 };
  if (secret.length > LONGEST_KEY) return;
  // As in a secret of Kubernetes that has a key inside, and as PowerShell encodes commands.
  for (const form of standardCores(secret).flatMap(standardCores)) yield { form, least: TWICE };
  for (const form of standardCores(`${[...secret].join("\0")}\0`)) yield { form, least: WIDE };
  yield { form: hex.join("-"), least: 23 };
  yield { form: [...secret].join("-"), least: 15 };
  yield { form: bytes.join(""), least: 16 };
  yield { form: bytes.map((byte) => String(byte).padStart(3, "0")).join(""), least: 24 };
}

/**
 * What is the same in every base64 text that has the secret inside. Each three bytes make four characters, so there are
 * three ways in which the secret can lie; characters at its ends, which depend on the neighbours, are left out.
 */
export function base64Cores(secret: string): readonly string[] {
  const cores = standardCores(secret);
  return [...new Set([...cores, ...cores.map((core) => core.replaceAll("+", "-").replaceAll("/", "_"))])];
}

function standardCores(secret: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join("");
  return [0, 1, 2].map((shift) => {
    const padded = "\0".repeat(shift) + bytes;
    const from = Math.ceil((shift * 4) / 3);
    const to = Math.floor((padded.length * 4) / 3);
    return btoa(padded).slice(from, to);
  });
}

export function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** With the characters at the ends that hold the rest of the secret's first and last bytes. */
export function widened(text: string, start: number, end: number): Span {
  for (let step = 0; step < 2 && isBase64(text.charCodeAt(start - 1)); step++) start--;
  for (let step = 0; step < 4 && isBase64(text.charCodeAt(end)); step++) end++;
  return { start, end };
}

function isBase64(code: number): boolean {
  return /[A-Za-z0-9+/=_-]/.test(String.fromCharCode(code));
}
