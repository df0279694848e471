import { MAX_LINE } from "../../models/cassette/call-lines.ts";
import { RunError } from "../failure.ts";
import type { ReceivedRun, Store } from "../store/store.ts";
import { type FilePieces, linesOf, type RunFileHeader } from "./run-file.ts";
import { type RunFileItem, RunFileReader } from "./run-file-reader.ts";

/** How a run is imported. */
export interface ImportOptions {
  /** The name that it gets (default: the one that it has). */
  readonly as?: string;
  /**
   * True to let new runs use the answers of the file, too; answers that the project has stay (default false: they serve only to
   * show, export and regrade this run).
   */
  readonly useCalls?: boolean;
}

/** How many characters of lines are written at once. Larger groups touch the same pages less often, but take memory. */
const GROUP = 4_000_000;

/**
 * Puts a run's file into a store, plain or compressed: its text or bytes in pieces of any size, such as a stream. Nothing of one that is
 * broken, or whose import is cut short, can be seen there. Throws `RunFileError` with the line that is wrong, or `RunError` if there is
 * a run of this name.
 *
 * @example
 * await importRun(store, createReadStream("monday.jsonl.zst"));
 */
export async function importRun(
  store: Store,
  file: FilePieces,
  { as, useCalls = false }: ImportOptions = {},
): Promise<{ readonly run: string }> {
  const reader = new RunFileReader();
  let received: ReceivedRun | undefined;
  try {
    let header: RunFileHeader | undefined;
    let run = "";
    let waiting: RunFileItem[] = [];
    let size = 0;
    const write = async (): Promise<void> => {
      for (const item of waiting) {
        if ("event" in item) received?.append(item.event);
        else if ("call" in item) received?.keep(item.call);
      }
      waiting = [];
      size = 0;
      await received?.durable();
    };
    // A text would be a list of characters.
    for await (const line of linesOf(typeof file === "string" ? [file] : file, MAX_LINE)) {
      const item = reader.read(line);
      if (item === undefined) continue;
      if ("header" in item) {
        header = item.header;
        run = freeName(store, as ?? header.start.run);
        received = receive(store, header, run);
      } else waiting.push(item);
      size += line.length;
      if (size >= GROUP) await write();
    }
    reader.finish();
    await write();
    const { tags = [], endedAt = null } = header ?? {};
    received?.finish({ run, tags, endedAt, sharesCalls: useCalls });
    return { run };
  } catch (error) {
    // What cannot be removed now is never shown, and removed later.
    try {
      received?.discard();
    } catch {}
    // A compressed file ends where it cannot be decompressed.
    if (/^Z(?:STD)?_/.test(String((error as { readonly code?: unknown }).code))) reader.finish();
    throw error;
  }
}

function receive(store: Store, { start, parent }: RunFileHeader, run: string): ReceivedRun {
  // What comes from a file was not started here: its command line is not kept, so that no resume uses it.
  const { origin: _origin, ...open } = start;
  return store.receive({ ...open, run }, parent === null ? {} : { parent });
}

function freeName(store: Store, name: string): string {
  if (name.trim() === "") throw new RunError(["A run needs a name that is not empty."]);
  if (store.run(name)?.run !== name) return name;
  throw new RunError([`There is a run "${name}" in the store already. Import it under another name.`]);
}
