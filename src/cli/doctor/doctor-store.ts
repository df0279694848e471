import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { openStore } from "../../journal/store/open-store.ts";
import { StoreError } from "../../journal/store/store-error.ts";
import { countedText } from "../../report/text/figures.ts";
import type { DoctorSection, Finding } from "./doctor-finding.ts";

/** Where the store of a project is and whether it can be used; nothing is made or changed. */
export async function storeSection(path: string, folder: string): Promise<DoctorSection> {
  const full = resolve(folder, path);
  const size = await sizeOf(full);
  const finding = size === undefined ? await newStore(path, full) : await existingStore(path, full);
  return { title: "Store", findings: [finding] };
}

async function newStore(path: string, full: string): Promise<Finding> {
  let above = dirname(full);
  while ((await sizeOf(above)) === undefined && dirname(above) !== above) above = dirname(above);
  if (!(await isFolder(above)))
    return {
      level: "broken",
      text: `${path} cannot be made: ${above} is not a folder. Choose another path.`,
    };
  if (!(await isWritable(above)))
    return {
      level: "broken",
      text: `${path} cannot be made: ${above} may not be written. Change its permissions, or choose another path.`,
    };
  return { level: "fine", text: `${path}: not there yet; the first run makes it` };
}

async function existingStore(path: string, full: string): Promise<Finding> {
  try {
    const store = await openStore(full, { readOnly: true });
    try {
      const runs = countedText(store.runs().length, "run");
      const bytes = ((await sizeOf(full)) ?? 0) + ((await sizeOf(`${full}-wal`)) ?? 0);
      const holds = `${path}: ${runs}, ${sizeText(bytes)}`;
      // SQLite puts files beside the store while it writes.
      if ((await isWritable(full)) && (await isWritable(dirname(full))))
        return { level: "fine", text: `${holds}, can be written` };
      return {
        level: "broken",
        text: `${holds}, but it or its folder may not be written. Change their permissions.`,
      };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // Of an older format, which the next run brings up to date; it was only opened for reading here.
    const isOlder = error.code === "read_only" && (await isWritable(full));
    return { level: isOlder ? "warning" : "broken", text: error.message };
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  let unit = 0;
  for (; size >= 999.95 && unit < units.length - 1; unit++) size /= 1000;
  return `${size.toFixed(1)} ${units[unit]}`;
}

/** Undefined if there is nothing. */
async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
