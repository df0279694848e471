import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the server has seen. */
export interface SeenRequest {
  /** Which process asked. */
  readonly child: string;
  /** What was asked: `<conversation> <turn> subject`, or `… judge`. */
  readonly key: string;
  readonly node: string;
  /** All of it but who asked. */
  readonly body: string;
  /** True once the answer has been handed to the network. */
  isAnswered: boolean;
}

interface Body {
  readonly kind: "subject" | "judge";
  readonly message: string;
  readonly conversation: string;
  readonly node: string;
  readonly turn: number;
  readonly replicate: number;
}

/** A server that answers for subject and judge, the same to the same request, and counts. */
export interface CountingServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Called with each request as it comes in, before it is answered. */
  onRequest: (request: SeenRequest) => void;
  close(): Promise<void>;
}

/** Starts a server whose replies have at least this many characters that no compression makes small. */
export async function startCountingServer({
  padding = 0,
}: {
  readonly padding?: number;
} = {}): Promise<CountingServer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The process was killed before it had sent all: nothing was asked.
      return;
    }
    const body = Buffer.concat(chunks).toString("utf8");
    const { kind, conversation, turn, node, ...rest } = JSON.parse(body) as Body;
    const child = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const one: SeenRequest = {
      child,
      key: `${conversation} ${turn} ${kind}`,
      node,
      body,
      isAnswered: false,
    };
    seen.push(one);
    counting.onRequest(one);
    const drawn = createHash("sha256")
      .update(JSON.stringify([kind, turn, node, rest]))
      .digest();
    const reply =
      kind === "judge"
        ? judged(rest.message)
        : `${drawn.readUInt8(0) < 128 ? "yes" : "no"} ${noise(drawn, padding)}`;
    setTimeout(
      () => {
        if (response.destroyed) return;
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ reply }), () => {
          one.isAnswered = true;
        });
      },
      2 + (drawn.readUInt8(1) % 4),
    );
  });
  const counting: CountingServer = {
    url: "",
    seen,
    onRequest: () => {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(counting, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask` });
}

/** Reads the reply that a judge is shown. */
function judged(message: string): string {
  const [, reply = ""] = /<reply-\w+>\n([\s\S]*?)\n<\/reply-/.exec(message) ?? [];
  return JSON.stringify({ fields: { right: reply.startsWith("yes") } });
}

/** Text that follows from a seed. */
function noise(seed: Buffer, length: number): string {
  let [text, last] = ["", seed];
  while (text.length < length) {
    last = createHash("sha256").update(last).digest();
    text += last.toString("base64");
  }
  return text.slice(0, length);
}
