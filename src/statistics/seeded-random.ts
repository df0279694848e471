/** Random numbers from 0 and below 1; the same seed gives the same numbers. Generator: sfc32 by C. Doty-Humphrey. */
export function seededRandom(seed: number): () => number {
  let a = seed | 0;
  let b = Math.floor(seed / 4_294_967_296) | 0;
  let c = 0x9e3779b9;
  let counter = 1;
  const next = (): number => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return (result >>> 0) / 4_294_967_296;
  };
  // Small seeds differ in few bits: the first numbers are thrown away.
  for (let i = 0; i < 20; i++) next();
  return next;
}
