import { RunError } from "../journal/failure.ts";
import { isLost } from "../journal/store/postgres/postgres-connection.ts";

/** Libraries that are installed only where runs go beyond one machine. */
interface Peers {
  readonly pg: typeof import("pg");
  readonly bullmq: typeof import("bullmq");
  readonly ioredis: { readonly Redis: typeof import("ioredis").Redis };
}

const LOADERS: { readonly [Name in keyof Peers]: () => Promise<Peers[Name]> } = {
  pg: () => import("pg"),
  bullmq: () => import("bullmq"),
  ioredis: () => import("ioredis"),
};

const PURPOSES: Readonly<Record<keyof Peers, string>> = {
  pg: "A store on a PostgreSQL server",
  bullmq: "Running on workers",
  ioredis: "A queue on a Redis server",
};

/** Loads an optional library; throws `RunError` with the command that installs it. */
export async function loadPeer<Name extends keyof Peers>(name: Name): Promise<Peers[Name]> {
  try {
    return await LOADERS[name]();
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw cause;
    throw new RunError([`${PURPOSES[name]} needs the package ${name}. Install it: npm install ${name}`]);
  }
}

/** How long to wait for a lost server. */
const WAIT_MS = 300_000;
const PAUSE_MS = 250;

/** Repeats an action after a lost connection, until it works. `isRepeated` is true if it may have been done already. */
export async function waitForServer<Result>(
  action: (isRepeated: boolean) => Promise<Result>,
  isClosed: () => boolean = () => false,
): Promise<Result> {
  const start = performance.now();
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return await action(isRepeated);
    } catch (error) {
      if (isClosed() || !isLost(error) || performance.now() - start > WAIT_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
