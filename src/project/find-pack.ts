import { nearestOf } from "../issue/nearest-name.ts";
import { bundledPacks, packsFolder } from "./bundled-packs.ts";

/** What names of bundled packs begin with. */
export const PACK_PREFIX = "pack:";

/** The folder of a pack, or a sentence that says which packs there are. */
export type FoundPack =
  | { readonly folder: string; readonly problem?: never }
  | { readonly folder?: never; readonly problem: string };

/** Finds a pack by its name, `pack:pressure`; `folder` is where packs are, instead of in this package. */
export async function findPack(name: string, folder?: string): Promise<FoundPack> {
  const packs = folder ?? packsFolder();
  const names = await bundledPacks(packs);
  const wanted = name.slice(PACK_PREFIX.length);
  // Only a name that is there, so that none can lead out of the folder.
  if (names.includes(wanted)) return { folder: `${packs}/${wanted}` };
  const { nearest } = nearestOf(wanted, names);
  const known = names.length === 0 ? "There are none here." : `There are ${names.join(", ")}.`;
  const hint = nearest === undefined ? known : `Did you mean ${PACK_PREFIX}${nearest}?`;
  return { problem: `There is no pack ${JSON.stringify(wanted)}. ${hint}` };
}
