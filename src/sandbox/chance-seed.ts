/** Four whole numbers that follow from all the texts: the seed of chance for one call. */
export function chanceSeed(...texts: readonly string[]): readonly [number, number, number, number] {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  for (const text of texts) {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      a = Math.imul(a ^ code, 0x85ebca6b) ^ (d >>> 15);
      b = Math.imul(b ^ code, 0xc2b2ae35) ^ (a >>> 13);
      c = Math.imul(c ^ code, 0x27d4eb2f) ^ (b >>> 14);
      d = Math.imul(d ^ code, 0x165667b1) ^ (c >>> 16);
    }
    // Where one text ends and the next begins makes a difference.
    a = Math.imul(a ^ text.length ^ 0x10000, 0x9e3779b1);
  }
  return [a | 0, b | 0, c | 0, d | 0];
}
