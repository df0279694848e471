import { rememberSecrets } from "../../../../system/secrets/mask-secrets.ts";
import { StoreError } from "../store-error.ts";

/** Where a store on a server is. */
export interface PostgresAddress {
  /** For the driver: with the password, without what only we understand. Never shown. */
  readonly connection: string;
  readonly schema: string;
  /** For people: without the password. */
  readonly shown: string;
}

/** The schema of a store, unless the address names another. */
const SCHEMA = "elenchus";

/** True of what is the address of a server, not a file. */
export function isPostgresAddress(path: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(path);
}

/** Reads an address. Throws a `StoreError` that does not show what it cannot read, which may hold a password. */
export function postgresAddress(address: string): PostgresAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const schema = url?.searchParams.get("schema") ?? SCHEMA;
  if (url === undefined || url.hash !== "" || !/^[\p{L}_][\p{L}\p{N}_$-]{0,62}$/u.test(schema)) {
    // A user or password in it would be printed as `[redacted]`.
    const form = "postgres://host:5432/database?schema=elenchus";
    const advice = `Write it as ${form}, with user and password before the host (user:password@), and signs like @ or / in a password as %40 or %2F.`;
    throw new StoreError("io", `The address of the store cannot be read. ${advice}`);
  }
  // Whatever is stored or shown from now on does not have it, wherever it comes from.
  const passwords = [url.password, url.searchParams.get("password") ?? "", process.env.PGPASSWORD ?? ""];
  rememberSecrets(passwords.flatMap((text) => (text === "" ? [] : [text, decoded(text)])));
  url.searchParams.delete("schema");
  // The driver takes these for `verify-full`, too, but prints a warning.
  if (/^(?:prefer|require|verify-ca)$/.test(url.searchParams.get("sslmode") ?? ""))
    url.searchParams.set("sslmode", "verify-full");
  const shown = new URL(url);
  shown.password = "";
  // Messages that people see hide whatever stands before an @.
  shown.username = "";
  shown.search = "";
  // The driver prefers the host and the port of the query.
  for (const name of ["host", "port"])
    for (const value of url.searchParams.getAll(name)) shown.searchParams.append(name, value);
  if (schema !== SCHEMA) shown.searchParams.set("schema", schema);
  return { connection: url.href, schema, shown: shown.href };
}

/** True if there is a store at a path, or may be one at an address. */
export function mayHoldStore(path: string): boolean {
  return isPostgresAddress(path) || process.getBuiltinModule("node:fs").existsSync(path);
}

/** A store's path as it may be printed: an address without its password, anything else as it is. */
export function shownStore(path: string): string {
  if (!isPostgresAddress(path)) return path;
  try {
    return postgresAddress(path).shown;
  } catch {
    return "postgres://…";
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
