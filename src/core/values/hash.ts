const ROUND_CONSTANTS = new Int32Array(64);
const INITIAL_STATE = new Int32Array(8);

// The constants are the fractional parts of the cube and square roots of the first primes (FIPS 180-4).
{
  const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) | 0;
  let count = 0;
  for (let candidate = 2; count < 64; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++)
      if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    if (count < 8) INITIAL_STATE[count] = fraction(candidate ** (1 / 2));
    ROUND_CONSTANTS[count++] = fraction(candidate ** (1 / 3));
  }
}

/** SHA-256 of a text in UTF-8, as hex. Written here because the core runs without `node:` and must be synchronous. */
export function sha256(text: string): string {
  const message = new TextEncoder().encode(text);
  const padded = new Uint8Array((((message.length + 8) >> 6) << 6) + 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);

  const state = Int32Array.from(INITIAL_STATE);
  const schedule = new Int32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) compress(state, schedule, view, offset);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function compress(state: Int32Array, w: Int32Array, view: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + i * 4);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  // Read one by one: destructuring would run an iterator for every 64 bytes.
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND_CONSTANTS[i] as number) + (w[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
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
