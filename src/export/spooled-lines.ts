import { textLines } from "./text-lines.ts";

/** How many characters are written at once. */
const CHUNK = 1_000_000;

/** Lines put aside in a temporary file, to be read a second time. */
export class SpooledLines {
  readonly #folder: string;
  readonly #file: number;
  readonly #fs: typeof import("node:fs");
  #chunk = "";

  /** Opens the file, which only its owner can read. */
  static open(): SpooledLines {
    const fs = process.getBuiltinModule("node:fs");
    const { tmpdir } = process.getBuiltinModule("node:os");
    const { join } = process.getBuiltinModule("node:path");
    return new SpooledLines(fs, fs.mkdtempSync(join(tmpdir(), "elenchus-import-")));
  }

  private constructor(fs: typeof import("node:fs"), folder: string) {
    this.#fs = fs;
    this.#folder = folder;
    this.#file = fs.openSync(this.#path, "wx", 0o600);
  }

  get #path(): string {
    return `${this.#folder}/lines`;
  }

  add(line: string): void {
    this.#chunk += `${line}\n`;
    if (this.#chunk.length >= CHUNK) this.#flush();
  }

  /** All lines, in order. */
  read(): AsyncIterable<string> {
    this.#flush();
    return textLines(this.#fs.createReadStream(this.#path, { encoding: "utf8", highWaterMark: CHUNK }));
  }

  /** Removes the file. */
  close(): void {
    this.#fs.closeSync(this.#file);
    this.#fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #flush(): void {
    this.#fs.writeFileSync(this.#file, this.#chunk);
    this.#chunk = "";
  }
}
