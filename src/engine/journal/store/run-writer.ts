import { isRecord } from "../../../core/values/json.ts";

/** A process that writes a run. */
interface Writer {
  readonly host: string;
  readonly pid: number;
  /** Tells it from a later process with the same number, where that can be known. */
  readonly startedAt: string;
}

/** This process, as a store writes down who writes a run. */
export function thisWriter(): string {
  const { hostname } = process.getBuiltinModule("node:os");
  const writer: Writer = { host: hostname(), pid: process.pid, startedAt: startOf(process.pid) ?? "" };
  return JSON.stringify(writer);
}

/** The number of another process that is still writing; null if it is this one, or is gone, or was on another machine. */
export function otherWriter(written: string | null): number | null {
  const writer = written === null ? null : (JSON.parse(written) as unknown);
  const { hostname } = process.getBuiltinModule("node:os");
  if (!isRecord(writer) || writer.host !== hostname() || writer.pid === process.pid) return null;
  // Written by `thisWriter`.
  const { pid, startedAt } = writer as unknown as Writer;
  return isAlive(pid) && (startOf(pid) ?? startedAt) === startedAt ? pid : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user is alive, too.
    return isRecord(error) && error.code === "EPERM";
  }
}

/** When a process began, on systems that tell; a process that was killed and not yet buried is gone. */
function startOf(pid: number): string | undefined {
  try {
    const text = process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "gone" : fields[19];
  } catch {
    return undefined;
  }
}
