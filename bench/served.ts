import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A model server in another process, and how to end it. */
export interface Served {
  /** Without a path. */
  readonly origin: string;
  /** What `resolveModel` and runs need to find the server as `openai-compatible/…`. */
  readonly environment: Readonly<Record<string, string>>;
  counts(): Promise<{ readonly answered: number; readonly refused: number }>;
  /** Goes away for a time. */
  away(milliseconds: number): Promise<void>;
  stop(): void;
}

/** What is wrong with a server. */
export interface ServerFaults {
  /** It takes no more than so many requests a second. */
  readonly rate?: number;
  /** The share of requests that it refuses by chance. */
  readonly refuse?: number;
  /** Requests with this text take so long, and are finished even if nobody waits for the answer. */
  readonly slow?: { readonly text: string; readonly delay: number };
  /** True if it never answers. */
  readonly silent?: boolean;
}

/** Starts a model server that answers after a time. */
export async function serve(delay: number, faults: ServerFaults = {}): Promise<Served> {
  const script = fileURLToPath(new URL("./model-server.ts", import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify({ delay, ...faults })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (data) => resolve(String(data).trim())),
  );
  return {
    origin: `http://127.0.0.1:${port}`,
    // With a key, as most have one: then every reply is searched for it.
    environment: {
      OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_COMPATIBLE_API_KEY: "sk-4f8a7Bq2Lm9ZxC1vN6tR0pWd3sKe5HyJ",
    },
    counts: async () =>
      (await fetch(`http://127.0.0.1:${port}/counts`)).json() as Promise<{
        answered: number;
        refused: number;
      }>,
    away: async (milliseconds) => {
      await fetch(`http://127.0.0.1:${port}/away/${milliseconds}`).then((response) => response.text());
    },
    stop: () => child.kill(),
  };
}
