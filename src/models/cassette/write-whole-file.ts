const CHUNK = 1_000_000;

/** Writes a file from pieces, whole or not at all: a crash leaves what was there before. */
export async function writeWholeFile(path: string, pieces: Iterable<string>): Promise<void> {
  const { mkdir, open, rename, rm } = await import("node:fs/promises");
  const { dirname } = await import("node:path");
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(unfinished, "w");
    try {
      let chunk = "";
      for (const piece of pieces) {
        chunk += piece;
        if (chunk.length < CHUNK) continue;
        await file.appendFile(chunk);
        chunk = "";
      }
      await file.appendFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
