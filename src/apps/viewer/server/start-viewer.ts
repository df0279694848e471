import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { openStore } from "../../../engine/journal/store/open-store.ts";
import { openRunBrowser, type RunBrowser } from "../../../engine/journal/store/run-browser.ts";
import type { Store, StoreOptions } from "../../../engine/journal/store/store.ts";
import { type Access, newPass, newSecret } from "./access.ts";
import { HeavyProcess } from "./heavy-process.ts";
import { readPageFiles } from "./page-files.ts";
import { type ViewerParts, viewerApp } from "./viewer-app.ts";

/** How a viewer is started. */
interface ViewerOptions {
  /** The file of the store. */
  readonly path: string;
  /** Opens the store for writing; refuses a file that must not be written to. */
  readonly openToWrite: (path: string, options: Pick<StoreOptions, "runs">) => Promise<Store>;
  /** The folder of the built page. */
  readonly pageFolder: string;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: one that is free. */
  readonly port?: number;
}

/** A viewer that is being served. */
export interface RunningViewer {
  readonly port: number;
  /** The address for people, with the token. A part after `#` says which page. */
  readonly url: (page?: string) => string;
  /** An address for other programs, which show it to all users of the machine: it can be opened once, within a minute. */
  readonly oneTimeUrl: (page?: string) => string;
  close(): Promise<void>;
}

/** The port cannot be used. */
export class PortError extends Error {
  override readonly name = "PortError";
}

/** Serves the page and the data of a store. Reads only; the store is opened for writing for the moment of a deletion or a label. */
export async function startViewer(options: ViewerOptions): Promise<RunningViewer> {
  const { path, openToWrite, pageFolder, host = "127.0.0.1", port: wanted = 0 } = options;
  const page = readPageFiles(pageFolder);
  const opened = await openStore(path, { readOnly: true });
  // A store on a server is shown from its copy, which is brought up to date when something is asked for.
  const file = opened.file ?? path;
  const browser = await openRunBrowser(file);
  const store = rememberedStore(opened, browser);
  const refresh = refreshing(opened);
  const heavy = new HeavyProcess(file, () => browser.version());
  const token = newSecret();
  const hosts = new Set<string>();
  // The port is known only once it listens; nothing is answered before.
  let access: Access = { sessions: new Set([token]), passes: new Map(), hosts, port: wanted };
  /** Opens the store for writing, for a moment. */
  const writing = async (run: string, change: (store: Store) => void): Promise<void> => {
    const open = await openToWrite(path, { runs: [run] });
    try {
      change(open);
    } finally {
      await open.close();
    }
    await opened.pull?.();
  };
  const changes: Pick<ViewerParts, "deleteRun" | "label"> = {
    deleteRun: (run) => writing(run, (open) => open.delete(run)),
    label: (run, label) => writing(run, (open) => open.label(run, [label])),
  };
  let app = viewerApp({ store, browser, heavy, access, page, ...changes });
  const answer = async (request: Request, env: Parameters<typeof app.fetch>[1]): Promise<Response> => {
    await refresh();
    return app.fetch(request, env);
  };
  const server = serve({ fetch: answer, hostname: host, port: wanted });
  const port = await listening(server, host, wanted).catch(async (error: unknown) => {
    browser.close();
    await opened.close();
    throw error;
  });
  for (const name of namesOf(host)) hosts.add(`${name}:${port}`);
  access = { ...access, port };
  app = viewerApp({ store, browser, heavy, access, page, ...changes });
  const address = `http://${isAny(host) ? "127.0.0.1" : bracketed(host)}:${port}/`;
  return {
    port,
    url: (hash = "") => `${address}?token=${token}${hash}`,
    oneTimeUrl: (hash = "") => `${address}?once=${newPass(access)}${hash}`,
    close: async () => {
      heavy.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      });
      browser.close();
      await opened.close();
    },
  };
}

type Listening = ReturnType<typeof serve>;

function listening(server: Listening, host: string, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve((server.address() as AddressInfo).port));
    server.once("error", (error: NodeJS.ErrnoException) => {
      const problem =
        error.code === "EADDRINUSE"
          ? `Port ${wanted} is in use. Choose another with --port, or leave it out to get a free one.`
          : error.code === "EACCES"
            ? `Port ${wanted} may not be used. Choose one from 1024 and up with --port.`
            : `The viewer cannot listen on ${host}: ${error.message}`;
      reject(new PortError(problem));
    });
  });
}

/** The names by which pages may call this server. */
function namesOf(host: string): readonly string[] {
  const own = ["127.0.0.1", "localhost", "[::1]"];
  return isAny(host) ? own : [...own, bracketed(host).toLowerCase()];
}

function isAny(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** How long a copy of a store on a server is up to date enough. */
const FRESH_MS = 1_000;

/** Reads what others have written, at most once a second. A server that is gone is shown as it was. */
function refreshing(store: Store): () => Promise<void> {
  let readAt = performance.now();
  let reading: Promise<void> = Promise.resolve();
  return () => {
    if (store.pull !== undefined && performance.now() - readAt > FRESH_MS) {
      readAt = performance.now();
      reading = store.pull().catch(() => {});
    }
    return reading;
  };
}

/** How many answers are cached. */
const MOST_REMEMBERED = 200;

/**
 * A store whose counts are read once as long as the file does not change: several parts of a page need them, and going back asks
 * again.
 */
function rememberedStore(store: Store, browser: Pick<RunBrowser, "version">): Store {
  let version = -1;
  const known = new Map<string, unknown>();
  const once = <Answer>(key: string, read: () => Answer): Answer => {
    const now = browser.version();
    if (now !== version || known.size > MOST_REMEMBERED) known.clear();
    version = now;
    if (!known.has(key)) known.set(key, read());
    // Each key has one type of answer.
    return known.get(key) as Answer;
  };
  const remembered: Partial<Store> = {
    runs: () => once("runs", () => store.runs()),
    run: (name) => once(`run ${name}`, () => store.run(name)),
    results: (run) => once(`results ${run}`, () => store.results(run)),
    tallies: (run) => once(`tallies ${run}`, () => store.tallies(run)),
  };
  return new Proxy(store, {
    get(target, name) {
      const own = Reflect.get(remembered, name) as unknown;
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
