import type { RunStart } from "../journal/run-event.ts";
import { parseSetFlag } from "../project/set-flag.ts";
import { HIDDEN, showSetting } from "../project/show-setting.ts";
import { isRecord, type JsonObject } from "../value/json.ts";
import { REDACTED, redactSecrets } from "../value/redact-secrets.ts";
import type { SettingsRequest } from "./read-settings.ts";

/** How a run was asked for on the command line. */
export interface RunOrigin {
  /** Files, folders, patterns, packs; those of the project if there are none. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** The cassette that answered in place of all models. */
  readonly replay?: string;
}

/** What a run keeps of how it was asked for: the words of the command, without secrets. */
export function originToKeep({ names, settings, replay }: RunOrigin): JsonObject {
  // Words and flags are texts and plain data; what is undefined is left out.
  const kept = { ...settings, sets: settings.sets.map(openSet) };
  return JSON.parse(
    JSON.stringify({ command: "run", names, settings: kept, replay }, withoutSecrets),
  ) as JsonObject;
}

/** What `--set` was given; whatever would not be shown is not kept. */
function openSet(text: string): string {
  const given = parseSetFlag(text);
  if (typeof given === "string") return text;
  const { flag, path, value } = given;
  const whole = path.reduceRight<unknown>((part, key) => ({ [key]: part }), value);
  const shown = showSetting(whole);
  return HIDDEN.some((word) => shown.includes(word)) ? `${flag.replace("--set ", "")}=${REDACTED}` : text;
}

function withoutSecrets(_key: string, value: unknown): unknown {
  return typeof value === "string" ? redactSecrets(value) : value;
}

/** True if secrets were left out of what was kept. */
export function lacksSecrets(origin: RunOrigin): boolean {
  return JSON.stringify(origin).includes(REDACTED);
}

/** How a run was asked for; undefined if it was not begun on the command line. */
export function originOf({ origin }: RunStart): RunOrigin | undefined {
  if (!isRecord(origin) || origin.command !== "run" || !isRecord(origin.settings)) return undefined;
  // Written by `originToKeep`.
  return origin as unknown as RunOrigin;
}

/** The same with more said: what is said later counts. */
export function withMore(origin: RunOrigin, more: SettingsRequest): SettingsRequest {
  const { flags, sets, ...rest } = origin.settings;
  const { flags: moreFlags, sets: moreSets, ...others } = more;
  return { ...rest, ...others, flags: [...flags, ...moreFlags], sets: [...sets, ...moreSets] };
}
