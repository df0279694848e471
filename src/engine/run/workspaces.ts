/** The folders that handovers write to: one for each conversation that needs one. */
export class Workspaces {
  readonly #given: string | undefined;
  #root: Promise<string> | undefined;

  /** Without a folder, a temporary one is made and removed at the end. */
  constructor(folder: string | undefined) {
    this.#given = folder;
  }

  /** The folder of a conversation; it is made if it does not exist. */
  async folder(conversation: string): Promise<string> {
    const { mkdir } = await import("node:fs/promises");
    const { join } = await import("node:path");
    this.#root ??= this.#given === undefined ? temporaryFolder() : Promise.resolve(this.#given);
    const folder = join(await this.#root, conversation);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async close(): Promise<void> {
    if (this.#given !== undefined || this.#root === undefined) return;
    const { rm } = await import("node:fs/promises");
    await rm(await this.#root, { recursive: true, force: true });
  }
}

async function temporaryFolder(): Promise<string> {
  const { mkdtemp } = await import("node:fs/promises");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  return mkdtemp(join(tmpdir(), "elenchus-"));
}
