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

export function hexForm(secret: string): string {
  return Array.from(new TextEncoder().encode(secret), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What is the same in every base64 text that has the secret inside. Each three bytes make four characters, so there are
 * three ways in which the secret can lie; characters at its ends, which depend on the neighbours, are left out.
 */
export function base64Cores(secret: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join("");
  const cores = [0, 1, 2].flatMap((shift) => {
    const padded = "\0".repeat(shift) + bytes;
    const from = Math.ceil((shift * 4) / 3);
    const to = Math.floor((padded.length * 4) / 3);
    const core = btoa(padded).slice(from, to);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [...new Set(cores)];
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
