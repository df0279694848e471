import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { OPENAI } from "../model-servers/openai-server.ts";
import { capitalReply } from "./capitals.ts";
import type { CleanUp } from "./cli.ts";

/** A call that has reached the server. */
export interface PatientCall {
  /** All that shapes the answer. */
  readonly key: string;
  /** Waiting until the test lets it go; answered; or given up by whoever asked. */
  state: "waiting" | "answered" | "dropped";
}

/** A provider that speaks as OpenAI does, and answers only when it is let. */
export interface PatientServer {
  /** What makes `openai/…` come here. */
  readonly environment: Readonly<Record<string, string>>;
  readonly calls: readonly PatientCall[];
  /** Calls that wait for an answer. */
  waiting(): number;
  /** Answers the calls that have waited longest. */
  answer(count?: number): void;
  /** Answers whatever waits and whatever comes, from now on. */
  open(): void;
  /** Answers nothing from now on, until it is let. */
  close(): void;
  /** Whatever comes gets this status, with headers, until it is taken back. */
  refuse(refusal: Refusal | undefined): void;
  /** Resolves when things are so. */
  until(isSo: (server: PatientServer) => boolean): Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Waiting {
  readonly call: PatientCall;
  readonly go: () => void;
}

/** Starts a server, which goes when the test is over; its replies follow from what was said before, by default of capitals. */
export async function patientServer(
  reply: (texts: readonly string[]) => string = capitalReply,
  cleanUp: CleanUp = onTestFinished,
): Promise<PatientServer> {
  const calls: PatientCall[] = [];
  const watchers = new Set<() => void>();
  let queue: readonly Waiting[] = [];
  let isOpen = false;
  let refusal: Refusal | undefined;
  const changed = (): void => {
    for (const watch of [...watchers]) watch();
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await bodyOf(request);
    // Whoever was killed before all was sent has asked nothing.
    if (text === undefined) return;
    const body = JSON.parse(text) as { readonly model: string };
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const { texts } = OPENAI.read(body);
    const call: PatientCall = { key: JSON.stringify([body.model, texts]), state: "waiting" };
    calls.push(call);
    response.on("close", () => {
      if (call.state === "waiting") call.state = "dropped";
      queue = queue.filter((one) => one.call !== call);
      changed();
    });
    const send = (status: number, json: unknown, headers: Readonly<Record<string, string>> = {}): void => {
      call.state = "answered";
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(json));
    };
    const go = (): void => send(200, OPENAI.answer(path, body, { text: reply(texts) }));
    if (refusal !== undefined) send(refusal.status, OPENAI.error(refusal.status, "not now"), refusal.headers);
    else if (isOpen) go();
    else queue = [...queue, { call, go }];
    changed();
  };

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;

  const patient: PatientServer = {
    environment: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "sk-test" },
    calls,
    waiting: () => queue.length,
    answer(count = queue.length) {
      const answered = queue.slice(0, count);
      queue = queue.slice(count);
      for (const { go } of answered) go();
    },
    open() {
      isOpen = true;
      patient.answer();
    },
    close() {
      isOpen = false;
    },
    refuse(given) {
      refusal = given;
    },
    until: (isSo) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (!isSo(patient)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
  };
  return patient;
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}
