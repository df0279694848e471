import type { Message } from "../model/message.ts";
import { isRecord, type JsonObject } from "../value/json.ts";

/** What a simulated subject remembers. It rides in its own replies, so that a conversation can be resumed anywhere. */
export interface SubjectMemory {
  /** Turns answered whose nodes have no template. */
  readonly unverified: number;
  /** How often it has changed its mind. */
  readonly changes: number;
}

const NOTHING: SubjectMemory = Object.freeze({ unverified: 0, changes: 0 });

/** Others may have spoken since; but to look at a whole long conversation on each turn would take the square of its time. */
const MESSAGES_LOOKED_AT = 64;

/** What the latest reply of a simulated subject in a conversation remembers. */
export function recalledMemory(messages: readonly Message[]): SubjectMemory {
  const oldest = Math.max(0, messages.length - MESSAGES_LOOKED_AT);
  for (let index = messages.length - 1; index >= oldest; index--) {
    const message = messages[index];
    if (message?.role !== "assistant" || !isRecord(message.native)) continue;
    const { sim } = message.native;
    if (isRecord(sim)) return { unverified: countOf(sim.unverified), changes: countOf(sim.changes) };
  }
  return NOTHING;
}

/** The memory as a part of a reply; nothing if there is nothing to remember. */
export function writtenMemory({ unverified, changes }: SubjectMemory): { readonly native?: JsonObject } {
  if (unverified === 0 && changes === 0) return {};
  return {
    native: { sim: { ...(unverified > 0 ? { unverified } : {}), ...(changes > 0 ? { changes } : {}) } },
  };
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}
