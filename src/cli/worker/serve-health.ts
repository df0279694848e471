import { once } from "node:events";
import { createServer } from "node:http";
import { ProjectError } from "../../project/project-error.ts";
import type { WorkSession } from "../../scale/work-session.ts";

/** A server that says how a worker is. */
export interface Health {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Answers `/live` with 200 while the process works at all, and `/ready` with 200 while it takes conversations, else 503. Listens on
 * loopback unless a host is named.
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
