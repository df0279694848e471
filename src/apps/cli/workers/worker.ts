import { once } from "node:events";
import { createServer } from "node:http";
import { hostname } from "node:os";
import { errorMessage } from "../../../core/error-message.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import { StoreError } from "../../../engine/journal/store/store-error.ts";
import { type WorkerEvent, WorkSession } from "../../../engine/scale/work-session.ts";
import type { OwnParts } from "../../../engine/scale/work-sheet.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import { parseDuration } from "../../project/short-forms.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { WORKER } from "../commands/workers-commands.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { projectHash, workAddresses } from "./shared-work.ts";

const CONCURRENCY = 64;
const SHORTEST_LEASE_MS = 1_000;
const AGAIN_MS = 2_000;

/** Runs conversations from the queue until a signal: then it finishes turns under way and hands the rest back. */
export async function worker(options: OptionsOf<typeof WORKER>, terminal: Terminal): Promise<ExitCode> {
  const concurrency = options.concurrency ?? CONCURRENCY;
  const leaseMs = leaseOf(options.lease);
  const { settings } = await readSettings(options.settings, terminal, { runsCode: true, uses: "everything" });
  const { store, queue } = workAddresses(options.address, settings.store);
  const { providers, tools, embedder, simulator, rubric } = runOptionsOf(settings);
  const own: OwnParts = {
    subjects: settings.subjects,
    judges: settings.judges,
    environment: terminal.environment,
    project: await projectHash(options.settings, terminal),
    scenarios: () =>
      settings.scenarios.length === 0
        ? Promise.resolve([])
        : readScenarios([], settings, terminal, options.settings),
    ...withoutUndefined({ providers, tools, embedder, simulator, rubric }),
  };
  const log = (event: WorkerEvent): void => logLine(event, options.json, terminal);
  const stopping = listen();
  let session: WorkSession | undefined;
  const health: Health | undefined =
    options.health === undefined ? undefined : await serveHealth(options.health, () => session);
  try {
    for (;;) {
      session = await WorkSession.start({
        store,
        queue,
        own,
        concurrency,
        leaseMs,
        log,
        name: options.name ?? `${hostname()}-${process.pid}`,
        version: packageVersion(),
      });
      const lost = await Promise.race([session.lost, stopping.first]);
      if (lost === STOP) {
        await Promise.race([session.drain(), stopping.second]);
        log({ event: "ended", message: "Everything that was not finished is handed back." });
        return 0;
      }
      log({ event: "lost", message: `${errorMessage(lost)} The worker starts again.` });
      await session.abandon();
      if (!(lost instanceof StoreError)) throw lost;
      session = undefined;
      await Promise.race([new Promise((resolve) => setTimeout(resolve, AGAIN_MS)), stopping.first]);
    }
  } finally {
    stopping.close();
    await health?.close();
  }
}

const STOP = Symbol("stop");

/** Resolves with the first and the second signal to stop. */
function listen(): { readonly first: Promise<typeof STOP>; readonly second: Promise<void>; close(): void } {
  const first = Promise.withResolvers<typeof STOP>();
  const second = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = (): void => {
    if (++count === 1) first.resolve(STOP);
    else second.resolve();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, onSignal);
  return {
    first: first.promise,
    second: second.promise,
    close: () => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.off(signal, onSignal);
    },
  };
}

function logLine({ event, message, run }: WorkerEvent, json: boolean, { output }: Terminal): void {
  const at = new Date().toISOString();
  if (json) output.data(`${JSON.stringify({ at, event, ...(run === undefined ? {} : { run }), message })}\n`);
  else
    output.write(
      `${at.slice(0, 19).replace("T", " ")} ${event}${run === undefined ? "" : ` ${printableText(run)}`}: ${printableText(message)}\n`,
    );
}

function leaseOf(text: string): number {
  const ms = parseDuration(text);
  if (typeof ms === "string") throw new ProjectError([`--lease: ${ms}`]);
  if (ms < SHORTEST_LEASE_MS)
    throw new ProjectError([
      "--lease must be 1s or more: a worker that is only busy must not lose its conversations.",
    ]);
  return ms;
}

/** An HTTP server with the state of a worker. */
interface Health {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Answers `/live` with 200 while the process runs, and `/ready` with 200 while it takes conversations, else 503. Listens on loopback
 * unless a host is given.
 */
export async function serveHealth(place: string, session: () => WorkSession | undefined): Promise<Health> {
  const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(place) ?? [];
  if (port === "" || Number(port) > 65_535)
    throw new ProjectError([`--health takes a port, like 8080, or a host and a port, like 0.0.0.0:8080.`]);
  const server = createServer((request, response) => {
    const current = session();
    const answers: Readonly<Record<string, boolean>> = { "/live": true, "/ready": current?.isReady ?? false };
    const path = (request.url ?? "").split("?")[0] ?? "";
    const isFine = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const { running = 0, finished = 0, errors = 0, isDraining = false } = current?.report ?? {};
    response.writeHead(isFine === undefined ? 404 : isFine ? 200 : 503, {
      "content-type": "application/json",
    });
    response.end(
      isFine === undefined
        ? '{"error":"There are /live and /ready."}\n'
        : `${JSON.stringify({ [path.slice(1)]: isFine, running, finished, errors, isDraining })}\n`,
    );
  });
  server.listen(Number(port), host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new ProjectError([`--health: the port ${port} of ${host} cannot be used. Choose another one.`], {
      cause,
    });
  }
  server.unref();
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : Number(port),
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
