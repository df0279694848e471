import type { Span } from "./secret-spans.ts";

/** A shorter one is a placeholder such as `none` or `ollama`, and removing it would only harm the message. */
const SHORTEST = 8;

/** Where given secrets stand in a text: as they are, as in JSON, as in an address, or inside base64. */
export function knownSecretSpans(text: string, secrets: readonly string[]): readonly Span[] {
  const spans: Span[] = [];
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    for (const form of new Set(plainForms(secret))) {
      for (const start of places(text, form)) spans.push({ start, end: start + form.length });
    }
    for (const core of new Set(base64Cores(secret))) {
      for (const start of places(text, core)) spans.push(widened(text, start, start + core.length));
    }
  }
  return spans;
}

/** All places, those that overlap too: what is left of a secret must not be one again. */
function* places(text: string, part: string): Iterable<number> {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at;
}

function plainForms(secret: string): readonly string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)];
  try {
    const encoded = encodeURIComponent(secret);
    const lower = encoded.replace(/%../g, (code) => code.toLowerCase());
    for (const form of [encoded, lower]) forms.push(form, form.replaceAll("%20", "+"));
    forms.push(encodeURI(secret));
  } catch {
    // Half of a surrogate pair: such a text has no form in an address.
  }
  return forms;
}

/**
 * What is the same in every base64 text that has the secret inside. Each three bytes make four characters, so there are
 * three ways in which the secret can lie; characters at its ends, which depend on the neighbours, are left out.
 */
function base64Cores(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((shift) => {
    const padded = "\0".repeat(shift) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    const from = Math.ceil((shift * 4) / 3);
    const to = Math.floor((padded.length * 4) / 3);
    const core = btoa(padded).slice(from, to);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** With the characters at the ends that hold the rest of the secret's first and last bytes. */
function widened(text: string, start: number, end: number): Span {
  for (let step = 0; step < 2 && isBase64(text.charCodeAt(start - 1)); step++) start--;
  for (let step = 0; step < 4 && isBase64(text.charCodeAt(end)); step++) end++;
  return { start, end };
}

function isBase64(code: number): boolean {
  return /[A-Za-z0-9+/=_-]/.test(String.fromCharCode(code));
}
