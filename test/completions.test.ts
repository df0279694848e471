import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Just enough of the Language Server Protocol to ask the compiler what it would offer at a place in a text. */
class LanguageServer {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  constructor() {
    const tsc = fileURLToPath(new URL("../node_modules/.bin/tsc", import.meta.url));
    this.#process = spawn(tsc, ["--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
    this.#process.stdout?.on("data", (chunk: Buffer) => this.#receive(chunk));
  }

  request(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  close(): void {
    this.#process.kill();
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#process.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const header = /Content-Length: (\d+)\r\n(?:.*\r\n)*?\r\n/.exec(this.#received.toString("latin1"));
      if (header === null) return;
      const start = header.index + header[0].length;
      const end = start + Number(header[1]);
      if (this.#received.length < end) return;
      const message = JSON.parse(this.#received.subarray(start, end).toString()) as {
        id?: number;
        method?: string;
        result?: unknown;
      };
      this.#received = this.#received.subarray(end);
      if (message.method !== undefined && message.id !== undefined)
        this.#send({ id: message.id, result: null });
      else if (message.id !== undefined) this.#waiting.get(message.id)?.(message.result);
    }
  }
}

const folder = new URL("./", import.meta.url);
const server = new LanguageServer();

beforeAll(async () => {
  const rootUri = new URL("../", folder).href;
  await server.request("initialize", { processId: null, rootUri, capabilities: {} });
  server.notify("initialized", {});
});

afterAll(() => server.close());

const HEAD = `
import { END, question, Scenario, template } from "../src/apps/public/index.ts";
const asked = question({
  question: "A or B?",
  rawAnswer: "B",
  template: template({ letter: { type: "enum", values: ["A", "B"], description: "the option", truth: "B" } }),
});
export const chain = new Scenario("chain")
  .addNode("first_node", { question: asked })
  .addNode("second_node", { question: asked })
`;

/** What an editor would offer where the text has a `|`. */
async function completionsIn(name: string, ending: string): Promise<string[]> {
  const uri = new URL(`${name}.ts`, folder).href;
  const text = `${HEAD}${ending}`;
  const before = text.slice(0, text.indexOf("|")).split("\n");
  const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  server.notify("textDocument/didOpen", {
    textDocument: { uri, languageId: "typescript", version: 1, text: text.replace("|", "") },
  });
  const result = await server.request("textDocument/completion", { textDocument: { uri }, position });
  const items = (
    Array.isArray(result) ? result : ((result as { items?: unknown[] } | null)?.items ?? [])
  ) as { label: string }[];
  return items.map(({ label }) => label.replace(/["?]/g, ""));
}

test.each([
  ["source", `.addEdge("|")`, ["first_node", "second_node"]],
  ["target", `.addEdge("first_node", "|")`, ["first_node", "second_node", "__end__"]],
  ["entry", `.setEntry("|")`, ["first_node", "second_node"]],
  [
    "paths",
    `.addEdge("first_node", END, { when: { "|" } })`,
    [
      "verify_result",
      "turn",
      "parsed.letter",
      "node_visits.second_node",
      "node_results.first_node.parsed.letter",
    ],
  ],
  ["values", `.addEdge("first_node", END, { when: { "parsed.letter": "|" } })`, ["A", "B"]],
  ["handover", `.addEdge("first_node", END, { handover: "|" })`, ["transcript_prepend", "transcript_append"]],
])("the editor offers known names: %s", async (name, ending, expected) => {
  expect(await completionsIn(name, ending)).toEqual(expect.arrayContaining(expected));
});
