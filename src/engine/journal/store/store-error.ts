import { errorMessage } from "../../../core/error-message.ts";

/** Why a store cannot be used. */
export type StoreErrorCode =
  /** No space is left on the disk. */
  | "full"
  | "read_only"
  /** Another process has been writing for too long. */
  | "locked"
  /** Written by a newer release. */
  | "newer_format"
  | "not_a_store"
  /** There is none at this path or address, and it was to be read. */
  | "missing"
  | "corrupt"
  /** A name is longer than a server keeps in an index. */
  | "too_long"
  | "io"
  | "run_exists"
  | "no_run"
  | "no_conversation"
  /** Another process is writing the run. */
  | "in_use"
  /** This process was away for too long, and others have taken over what it was writing. */
  | "taken_over"
  /** The server does not answer. */
  | "unreachable"
  /** The server does not let this role in, or has no such database. */
  | "denied"
  | "closed";

/** A store cannot be opened, read or written; the message says what to do. What was durable before still is. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  /** The file; `:memory:` for a store in memory. */
  readonly path: string;

  constructor(code: StoreErrorCode, message: string, options: { path?: string; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : {});
    this.code = code;
    this.path = options.path ?? "";
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  full: "no space is left on the disk. Make room and resume the run: what was written before is safe",
  read_only:
    "it may not be written. Check the permissions of the file and its folder, or choose another path",
  locked: "another process is writing to it. Wait for it to end, or use a store of your own, and try again",
  corrupt: "its content is damaged. Restore a copy, or move the file away to begin a new one",
  unreachable: "its server does not answer. Check that it runs, and the host and port in the address",
  denied:
    "its server refuses this role, password or database. Check all three in the address; a password may also stand in PGPASSWORD",
  taken_over:
    "this process was away for too long, and another one has taken over what it was writing. Nothing is lost",
  too_long:
    "a name in it is too long for a server: scenarios, nodes, outcomes and models have at most 500 bytes",
  no_run: "the run was deleted while it was being written. Begin it again",
};

const ON_SERVER: Readonly<Record<string, string>> = {
  full: "no space is left on the disk of its server. Make room and resume the run: what was written before is safe",
  read_only: "it may not be written with this role. Use one that owns the schema, or only read",
  corrupt: "its content is damaged. Restore a copy",
};

/** By the beginning of the code that SQLite, PostgreSQL (its numbers) or Node gives. */
const CODES: readonly (readonly [RegExp, StoreErrorCode])[] = [
  [/^(?:SQLITE_FULL|53100|ENOSPC|EDQUOT)/, "full"],
  [/^(?:SQLITE_(?:READONLY|PERM|AUTH)|25006|42501|EACCES|EPERM|EROFS)/, "read_only"],
  [/^(?:SQLITE_(?:BUSY|LOCKED|PROTOCOL)|55P03)/, "locked"],
  [/^(?:SQLITE_(?:CORRUPT|NOTADB)|XX00[12])/, "corrupt"],
  [/^(?:SQLITE_CONSTRAINT_FOREIGNKEY|23503)/, "no_run"],
  [/^54000/, "too_long"],
  [/^(?:28|3D000)/, "denied"],
  [/^(?:08|57P0|53300|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET)/, "unreachable"],
  [/^elenchus_fenced/, "taken_over"],
];

/** What SQLite, PostgreSQL or Node threw, as an error of the store. */
export function storeError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  if (error instanceof TypeError && error.message === "The database connection is not open")
    return new StoreError("closed", `The store ${path} is closed.`, { path, cause: error });
  const found = codeOf(error);
  const code = CODES.find(([start]) => start.test(found))?.[1] ?? (isFull(found, path) ? "full" : "io");
  const isServer = path.startsWith("postgres");
  const problem = errorMessage(error);
  const unknown =
    isServer && problem.includes("certificate")
      ? `${problem}. If you trust it, name the certificate of its authority in NODE_EXTRA_CA_CERTS`
      : `${problem}. Check the ${isServer ? "server and the address" : "disk and the path"}, and try again`;
  const advice = (isServer ? ON_SERVER[code] : undefined) ?? ADVICE[code] ?? unknown;
  return new StoreError(code, `The store ${path} cannot be used: ${advice}.`, { path, cause: error });
}

/** The run that is being written was deleted. */
export function deletedRun(path: string): StoreError {
  return new StoreError("no_run", `The store ${path} cannot be used: ${ADVICE.no_run}.`, { path });
}

/** A run cannot begin under the name of another. */
export function runExists(run: string, path: string): StoreError {
  return new StoreError("run_exists", `There is a run "${run}" already. Choose another name.`, { path });
}

/** A conversation that is named is not in the run. */
export function noConversation(run: string, conversation: string): StoreError {
  return new StoreError("no_conversation", `There is no conversation "${conversation}" in the run "${run}".`);
}

/** True if another process holds what is needed; it may pass. */
export function isBusy(error: unknown): boolean {
  return storeError(error, "").code === "locked";
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Where SQLite shares memory between processes, a full disk is an I/O error like any other. */
function isFull(code: string, path: string): boolean {
  if (!code.startsWith("SQLITE_IOERR") && !code.startsWith("SQLITE_CANTOPEN")) return false;
  try {
    const { dirname } = process.getBuiltinModule("node:path");
    const { bavail, bsize } = process.getBuiltinModule("node:fs").statfsSync(dirname(path));
    return bavail * bsize < 65_536;
  } catch {
    return false;
  }
}
