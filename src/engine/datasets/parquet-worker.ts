import { parentPort } from "node:worker_threads";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { errorMessage } from "../../core/error-message.ts";
import { setOwn } from "../../core/values/json.ts";

/** A path begins a file; without one, the next rows are asked for. */
export interface ParquetRequest {
  readonly path?: string;
}

/** Rows, or null after the last ones, or why there are none. */
export type ParquetReply =
  | { readonly rows: readonly Readonly<Record<string, unknown>>[] | null }
  | {
      readonly failure: {
        readonly message: string;
        /** True for a message that says all: which file, and what is wrong. */
        readonly isSentence: boolean;
      };
    };

class ParquetFailure extends Error {}

/** Row groups may be large. */
const PORTION = 5_000;

/** A group is decompressed as a whole. */
const LARGEST_GROUP = 10_000_000;

/** Refuses wrong counts of rows: a small file can declare any number. */
function refuseFalseCounts(
  path: string,
  count: number,
  groups: readonly { readonly num_rows: bigint }[],
): void {
  const sizes = groups.map(({ num_rows }) => Number(num_rows));
  if (sizes.some((size) => size < 0) || sizes.reduce((sum, size) => sum + size, 0) !== count)
    throw new ParquetFailure(`The dataset ${path} is damaged: its groups do not have ${count} rows in all.`);
  const largest = Math.max(0, ...sizes);
  if (largest > LARGEST_GROUP)
    throw new ParquetFailure(
      `The dataset ${path} has a group of ${largest} rows, and at most ${LARGEST_GROUP} are read at once. Write it with smaller row groups.`,
    );
}

// The library itself decompresses Snappy only. No more than the declared length of a page is decompressed.
const unpack =
  (method: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array) =>
  (bytes: Uint8Array, length: number): Uint8Array =>
    method(bytes, { maxOutputLength: Math.max(1, length) });
const COMPRESSORS = {
  GZIP: unpack(gunzipSync),
  BROTLI: unpack(brotliDecompressSync),
  ZSTD: unpack(zstdDecompressSync),
};

async function* parquetRows(path: string): AsyncGenerator<readonly Record<string, unknown>[], null> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const count = Number(metadata.num_rows);
  refuseFalseCounts(path, count, metadata.row_groups);
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  for (let rowStart = 0; rowStart < count; rowStart += PORTION) {
    const rowEnd = Math.min(count, rowStart + PORTION);
    // One column after the other: of several that are damaged, the library would leave errors without a handler.
    const rows: Record<string, unknown>[] = Array.from({ length: rowEnd - rowStart }, () => ({}));
    for (const column of columns) {
      const options = { file, metadata, rowStart, rowEnd, columns: [column], compressors: COMPRESSORS };
      const values = await parquetReadObjects(options);
      for (const [index, row] of rows.entries()) setOwn(row, column, plainValue(values[index]?.[column]));
    }
    yield rows;
  }
  return null;
}

/** A value of Parquet as JSON has it. */
function plainValue(value: unknown): unknown {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainValue(part)]));
  return value === undefined ? null : value;
}

let reading: ReturnType<typeof parquetRows> | undefined;

async function answer({ path }: ParquetRequest): Promise<ParquetReply> {
  try {
    if (path !== undefined) reading = parquetRows(path);
    return { rows: (await reading?.next())?.value ?? null };
  } catch (error) {
    return { failure: { message: errorMessage(error), isSentence: error instanceof ParquetFailure } };
  }
}

parentPort?.on("message", (request: ParquetRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});
