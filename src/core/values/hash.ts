/** SHA-256 of a text in UTF-8, as hex. The one thing of Node that the core uses: it keeps no state, and is many times faster than our own. */
export function sha256(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text, "hex");
}

/** A number of 32 bits for a text: FNV-1a, mixed, so that texts that differ in their last digit are far apart. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mixBits(hash);
}

/** Mixes the bits, so that each of them depends on all. */
export function mixBits(state: number): number {
  let bits = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
