import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import type { Environment } from "../../../core/environment.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import type { RunStart } from "../../../engine/journal/run-event.ts";
import { readPrivateFile, userFolder, writePrivateFile } from "../../../system/files/private-file.ts";
import { realPath } from "../../../system/files/read-text-file.ts";

/** Whether a run was started here by this user, or why that is not certain. */
export type SealState = "valid" | "missing" | "invalid" | "no key";

/**
 * The seal of a run that starts here. Only this user on this machine can compute it, and it is valid only for this start event in this
 * folder. Undefined if there is no place for the key.
 */
export function sealRun(start: RunStart, folder: string, environment: Environment): string | undefined {
  const key = sealKey(environment) ?? newSealKey(environment);
  return key === undefined ? undefined : sealWith(key, start, folder);
}

/** Whether this user started a run on this machine, and its start event is unchanged. */
export function sealState(start: RunStart, folder: string, environment: Environment): SealState {
  const { seal } = start;
  const key = sealKey(environment);
  if (key === undefined) return userFolder(environment) === undefined ? "no key" : "missing";
  if (typeof seal !== "string") return "missing";
  const right = Buffer.from(sealWith(key, start, folder));
  const given = Buffer.from(seal);
  return given.length === right.length && timingSafeEqual(given, right) ? "valid" : "invalid";
}

/** The folder is included: file names mean something else in another folder. */
function sealWith(key: Buffer, start: RunStart, folder: string): string {
  // The time is kept apart from the rest of the event.
  const { seal: _seal, at: _at, ...rest } = start as RunStart & { readonly at?: number };
  const text = canonicalJson({ folder: realPath(folder), start: rest });
  return createHmac("sha256", key).update(`elenchus run 1\n${text}`).digest("hex");
}

const KEY_FILE = "seal-key";
const KEY = /^[0-9a-f]{64}$/;

/** A key file that others could read is not used. */
function sealKey(environment: Environment): Buffer | undefined {
  const folder = userFolder(environment);
  const text = folder === undefined ? undefined : readPrivateFile(join(folder, KEY_FILE))?.trim();
  return text !== undefined && KEY.test(text) ? Buffer.from(text, "hex") : undefined;
}

function newSealKey(environment: Environment): Buffer | undefined {
  const folder = userFolder(environment);
  if (folder === undefined) return undefined;
  const path = join(folder, KEY_FILE);
  const text = `${randomBytes(32).toString("hex")}\n`;
  // The key of another process that was first is kept. A file that has no valid key is replaced.
  if (!writePrivateFile(path, text, { keeps: true }) && sealKey(environment) === undefined)
    writePrivateFile(path, text);
  return sealKey(environment);
}
