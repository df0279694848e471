import { crc32, deflateRawSync, inflateRawSync, zstdDecompressSync } from "node:zlib";

// Node has deflate, Zstandard and CRC-32; what is left of the format is its headers. Archives with more than 65,535 entries
// have the larger end of ZIP64; none is larger than 4 GB.

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LARGE = 0xffffffff;
const MANY = 0xffff;

/** 1 January 1980, so that the same content gives the same bytes. */
const DATE = 0x0021;

/** Writes a ZIP archive entry by entry: memory grows with the number of entries, not with their size. */
export class ZipWriter {
  readonly #entries: Uint8Array[] = [];
  #offset = 0;

  /** The bytes of one more entry. */
  entry(name: string, content: string): Uint8Array[] {
    const path = Buffer.from(name);
    const bytes = Buffer.from(content);
    // What is short does not get shorter.
    const isPacked = bytes.length > 100;
    const packed = isPacked ? deflateRawSync(bytes) : bytes;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2); // names are UTF-8
    fields.writeUInt16LE(isPacked ? 8 : 0, 4);
    fields.writeUInt16LE(0, 6);
    fields.writeUInt16LE(DATE, 8);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(path.length, 22);
    fields.writeUInt16LE(0, 24);
    this.#entries.push(this.#centralEntry(fields, path));
    const parts = [uint32(LOCAL), fields, path, packed];
    this.#offset += parts.reduce((sum, part) => sum + part.length, 0);
    return parts;
  }

  #centralEntry(fields: Buffer, path: Buffer): Uint8Array {
    const head = Buffer.concat([
      uint32(CENTRAL),
      Buffer.from([20, 0]),
      fields.subarray(0, 24),
      Buffer.alloc(16),
    ]);
    head.writeUInt32LE(this.#offset, 42);
    return Buffer.concat([head, path]);
  }

  /** The bytes after the last entry. */
  end(): Uint8Array[] {
    const size = this.#entries.reduce((sum, entry) => sum + entry.length, 0);
    const count = this.#entries.length;
    const end = Buffer.alloc(22);
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(Math.min(count, MANY), 8);
    end.writeUInt16LE(Math.min(count, MANY), 10);
    end.writeUInt32LE(size, 12);
    end.writeUInt32LE(count >= MANY ? LARGE : this.#offset, 16);
    return [...this.#entries, ...(count >= MANY ? [this.#end64(size)] : []), end];
  }

  #end64(size: number): Buffer {
    const count = BigInt(this.#entries.length);
    const end = Buffer.alloc(76);
    end.writeUInt32LE(END_64, 0);
    end.writeBigUInt64LE(44n, 4);
    end.writeUInt16LE(45, 12);
    end.writeUInt16LE(45, 14);
    end.writeBigUInt64LE(count, 24);
    end.writeBigUInt64LE(count, 32);
    end.writeBigUInt64LE(BigInt(size), 40);
    end.writeBigUInt64LE(BigInt(this.#offset), 48);
    end.writeUInt32LE(LOCATOR_64, 56);
    end.writeBigUInt64LE(BigInt(this.#offset + size), 64);
    end.writeUInt32LE(1, 72);
    return end;
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** An archive that cannot be read. */
export class ZipError extends Error {}

/** An entry of an archive; its content is unpacked when it is asked for. */
export interface ZipEntry {
  readonly name: string;
  /** Throws `ZipError` if it is damaged, or larger than `most` bytes. */
  text(most: number): string;
}

/** The entries of an archive; of two with the same name the last counts. */
export function readZip(bytes: Buffer): ReadonlyMap<string, ZipEntry> {
  try {
    return readEntries(bytes);
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError("it is damaged or cut off", { cause: error });
  }
}

function readEntries(bytes: Buffer): ReadonlyMap<string, ZipEntry> {
  const { count, start } = findDirectory(bytes);
  const entries = new Map<string, ZipEntry>();
  let at = start;
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== CENTRAL) throw new ZipError("its list of entries is damaged");
    const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [number, number, number];
    const name = bytes.toString("utf8", at + 46, at + 46 + lengths[0]);
    const [packed, size, offset] = [20, 24, 42].map((field) => bytes.readUInt32LE(at + field)) as [
      number,
      number,
      number,
    ];
    const place = { method: bytes.readUInt16LE(at + 10), size, packed, offset };
    entries.set(name, { name, text: (most) => unpack(bytes, name, { ...place, most }) });
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  return entries;
}

function findDirectory(bytes: Buffer): { readonly count: number; readonly start: number } {
  const first = Math.max(0, bytes.length - 22 - MANY);
  for (let at = bytes.length - 22; at >= first; at--) {
    if (bytes.readUInt32LE(at) !== END) continue;
    const count = bytes.readUInt16LE(at + 10);
    const start = bytes.readUInt32LE(at + 16);
    if (count !== MANY && start !== LARGE) return { count, start };
    const far = Number(bytes.readBigUInt64LE(at - 20 + 8));
    return {
      count: Number(bytes.readBigUInt64LE(far + 32)),
      start: Number(bytes.readBigUInt64LE(far + 48)),
    };
  }
  throw new ZipError("it is not a ZIP archive");
}

interface Packed {
  readonly method: number;
  readonly size: number;
  readonly packed: number;
  readonly offset: number;
  readonly most: number;
}

function unpack(bytes: Buffer, name: string, { method, size, packed, offset, most }: Packed): string {
  if (size > most) throw new ZipError(`${name} has ${size} bytes, and at most ${most} are read`);
  try {
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const content = bytes.subarray(start, start + packed);
    const options = { maxOutputLength: Math.max(size, 1) };
    switch (method) {
      case 0:
        return content.toString("utf8");
      case 8:
        return inflateRawSync(content, options).toString("utf8");
      case 93:
        return zstdDecompressSync(content, options).toString("utf8");
    }
  } catch (error) {
    throw new ZipError(`${name} is damaged`, { cause: error });
  }
  throw new ZipError(`${name} is packed by method ${method}, which cannot be read`);
}
