import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A model server in another process, and how to end it. */
export interface Served {
  /** Without a path. */
  readonly origin: string;
  /** What `resolveModel` and runs need to find the server as `openai-compatible/…`. */
  readonly environment: Readonly<Record<string, string>>;
  counts(): Promise<{ readonly answered: number; readonly refused: number }>;
  stop(): void;
}

/** Starts a model server that answers after a time, and takes no more than `rate` requests a second. */
export async function serve(delay: number, rate?: number): Promise<Served> {
  const script = fileURLToPath(new URL("./model-server.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    [script, String(delay), ...(rate === undefined ? [] : [String(rate)])],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (data) => resolve(String(data).trim())),
  );
  return {
    origin: `http://127.0.0.1:${port}`,
    environment: { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` },
    counts: async () =>
      (await fetch(`http://127.0.0.1:${port}/counts`)).json() as Promise<{
        answered: number;
        refused: number;
      }>,
    stop: () => child.kill(),
  };
}
