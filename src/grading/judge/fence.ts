const USABLE = /^[A-Za-z0-9]{16,}$/;

/** True for a text that can mark where quoted text begins and ends: at least 16 letters and digits, best from chance. */
export function isUsableMarker(marker: string): boolean {
  return USABLE.test(marker);
}

/**
 * A marker that occurs in none of the texts: the given one if it does not, else one that continues it. Found in time
 * that grows with the texts only, and always the same for the same input.
 */
export function unforgeableMarker(marker: string, texts: readonly string[]): string {
  const places = texts.flatMap((text) => occurrences(marker, text).map((end) => [text, end] as const));
  if (places.length === 0) return marker;
  // A continuation of fixed length is spoilt only by what follows an occurrence, so each one spoils one at most.
  const width = String(places.length).length;
  const spoilt = new Set(places.map(([text, end]) => text.slice(end, end + width)));
  const numbers = Array.from({ length: places.length + 1 }, (_, n) => String(n).padStart(width, "0"));
  // At most n of n + 1 are spoilt.
  return marker + (numbers.find((number) => !spoilt.has(number)) as string);
}

/** Where the occurrences of the marker end, overlapping ones included. */
function occurrences(marker: string, text: string): readonly number[] {
  const ends: number[] = [];
  for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + 1))
    ends.push(at + marker.length);
  return ends;
}

/** The text as it is, byte by byte, between two lines that nothing in it can look like. */
export function fenced(name: string, marker: string, text: string): string {
  return `<${name}-${marker}>\n${text}\n</${name}-${marker}>`;
}
