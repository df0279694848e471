import { formatPath } from "../../core/schema/format-issue.ts";
import type { IssuePath } from "../../core/schema/issue.ts";
import { isRecord, type UnknownRecord } from "../../core/values/json.ts";
import { ProjectError } from "./project-error.ts";
import { isModel } from "./project-file.ts";
import type { SettingKey } from "./settings.ts";

/** A setting, or a part of one that can be set on its own, and where its value comes from. */
export interface SettingEntry {
  readonly path: IssuePath;
  readonly value: unknown;
  readonly origin: string;
  /** True if all or part of the value comes from the project file, not from the command or a default. */
  readonly isFromFile: boolean;
}

/** Where the value of a layer of settings comes from. */
interface LayerOrigin {
  readonly originOf: (path: IssuePath) => string;
  readonly isFromFile: boolean;
}

/** How many levels of keys are merged; everything below, and every list, is replaced as a whole. */
const MERGED_LEVELS: Readonly<Partial<Record<SettingKey, number>>> = {
  budget: 1,
  timeouts: 1,
  failUnder: 1,
  variant: 1,
  tools: 1,
  caps: 2,
  retries: 2,
  providers: 2,
};

/** Values of settings with their origins; a later value replaces an earlier one. */
export class SettingEntries {
  readonly #entries: Map<string, SettingEntry>;

  constructor(entries: ReadonlyMap<string, SettingEntry> = new Map()) {
    this.#entries = new Map(entries);
  }

  /** By path: `timeouts.callMs`. */
  get all(): ReadonlyMap<string, SettingEntry> {
    return this.#entries;
  }

  /** Sets a value, or each of its parts that can be set on their own. */
  put(path: IssuePath, value: unknown, layer: LayerOrigin): void {
    if (path.length < depthOf(path) && isRecord(value)) {
      for (const [key, part] of Object.entries(value)) this.put([...path, key], part, layer);
    } else {
      const { originOf, isFromFile } = layer;
      this.#entries.set(formatPath(path), { path, value, origin: originOf(path), isFromFile });
    }
  }

  /** Sets a part of any depth. Throws a `ProjectError` if there is no such place. */
  change(path: IssuePath, value: unknown, origin: string): void {
    const top = path.slice(0, depthOf(path));
    const before = this.#entries.get(formatPath(top));
    const rest = path.slice(top.length);
    if (rest.length === 0) return this.put(path, value, { originOf: () => origin, isFromFile: false });
    const isKnown = before !== undefined && before.origin !== "default";
    this.#entries.set(formatPath(top), {
      path: top,
      value: changed(before?.value, rest, { value, done: top }),
      origin: isKnown ? `${origin} over ${before.origin}` : origin,
      isFromFile: before?.isFromFile ?? false,
    });
  }

  /** The values as one object. No part of it has a prototype, for keys come from files. */
  tree(): Record<string, unknown> {
    const tree: Record<string, unknown> = Object.create(null);
    for (const { path, value } of this.#entries.values()) {
      let place = tree;
      for (const part of path.slice(0, -1)) {
        place[part] ??= Object.create(null);
        // Only this loop makes parts above the last.
        place = place[part] as Record<string, unknown>;
      }
      place[path.at(-1) ?? ""] = value;
    }
    return tree;
  }
}

function depthOf([key]: IssuePath): number {
  return 1 + (MERGED_LEVELS[key as SettingKey] ?? 0);
}

/** A copy of a value with one part of it set. */
function changed(
  before: unknown,
  [part, ...rest]: IssuePath,
  { value, done }: { readonly value: unknown; readonly done: IssuePath },
): unknown {
  if (part === undefined) return value;
  const inner = (old: unknown): unknown => changed(old, rest, { value, done: [...done, part] });
  const place = formatPath(done);
  if (typeof part === "number") {
    const items: readonly unknown[] = Array.isArray(before) ? before : [];
    if (part > items.length)
      throw new ProjectError([
        `There is no ${place}[${part}]: ${place} has ${items.length} so far, and the next is ${place}[${items.length}].`,
      ]);
    return [...items.slice(0, part), inner(items[part]), ...items.slice(part + 1)];
  }
  if (Array.isArray(before))
    throw new ProjectError([`${place} is a list; say which entry is meant, like ${place}[0].${part}.`]);
  if (isRecord(before) && !isModel(before)) {
    const record: UnknownRecord = before;
    return { ...record, [part]: inner(record[part]) };
  }
  // A subject or judge that is only a name gets parameters and the like.
  const isBare = before !== undefined && (done[0] === "subjects" || done[0] === "judges");
  return { ...(isBare ? { model: before } : {}), [part]: inner(undefined) };
}
