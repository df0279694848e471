// A model server in a process of its own, so that its work is not measured: answers in the form of the provider whose path is
// asked for after `delay` milliseconds, refuses what is above `rate` requests a second, and a share `refuse` of all requests by
// chance. On bare sockets, since Node's own server would take longer than its clients. Prints its port; shows what it has counted
// at /counts; goes away for some milliseconds at /away/3000. With `silent` it takes requests and never answers.
import { createServer, type Socket } from "node:net";
import type { ServerFaults } from "./served.ts";

// Written by `serve`.
const options = JSON.parse(process.argv[2] ?? "{}") as ServerFaults & { readonly delay?: number };
const { delay = 0, rate = Number.POSITIVE_INFINITY, refuse = 0, slow, silent = false } = options;
const sockets = new Set<Socket>();
const TEXT = '{"fields":{"right":true}}';
/** By the end of the path. */
const ANSWERS: Readonly<Record<string, string>> = {
  completions: response("200 OK", {
    id: "1",
    object: "chat.completion",
    created: 0,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  responses: response("200 OK", {
    id: "1",
    object: "response",
    created_at: 0,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "m",
    output: [
      {
        type: "message",
        id: "1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: TEXT, annotations: [] }],
      },
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  }),
  messages: response("200 OK", {
    id: "1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: TEXT }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  generateContent: response("200 OK", {
    candidates: [{ content: { role: "model", parts: [{ text: TEXT }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }),
};
const REFUSAL = response("429 Too Many Requests", { error: { message: "too many" } });
const UNLUCKY = REFUSAL.replace("\r\n", "\r\nretry-after-ms: 200\r\n");

function response(status: string, json: object): string {
  const body = JSON.stringify(json);
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

let answered = 0;
let refused = 0;
let accepted: number[] = [];

/** Answers in the order they are due, with one timer for all. */
const due: { readonly time: number; readonly socket: Socket; readonly answer: string }[] = [];
let first = 0;
let isArmed = false;

function answerDue(): void {
  const now = performance.now();
  for (; first < due.length && (due[first]?.time ?? 0) <= now; first++) {
    if (due[first]?.socket.destroyed !== false) continue;
    answered++;
    due[first]?.socket.write(due[first]?.answer ?? "", "latin1");
  }
  isArmed = first < due.length;
  if (isArmed) setTimeout(answerDue, Math.max(1, (due[first]?.time ?? 0) - now));
  else due.length = first = 0;
}

function take(head: string, body: string, socket: Socket): void {
  if (head.startsWith("GET /counts")) {
    socket.write(response("200 OK", { answered, refused }));
    return;
  }
  const away = /^GET \/away\/(\d+)/.exec(head)?.[1];
  if (away !== undefined) return goAway(Number(away), socket);
  if (silent) return;
  const now = performance.now();
  if (refuse > 0 && Math.random() < refuse) {
    refused++;
    socket.write(UNLUCKY);
    return;
  }
  if (Number.isFinite(rate)) {
    accepted = accepted.filter((time) => time > now - 1000);
    if (accepted.length >= rate) {
      refused++;
      socket.write(REFUSAL);
      return;
    }
    accepted.push(now);
  }
  const answer = ANSWERS[/(\w+) HTTP/.exec(head.slice(0, 200))?.[1] ?? ""] ?? REFUSAL;
  if (slow !== undefined && body.includes(slow.text)) {
    answered++;
    setTimeout(() => socket.write(answer, "latin1"), slow.delay);
    return;
  }
  due.push({ time: now + delay, socket, answer });
  if (isArmed) return;
  isArmed = true;
  setTimeout(answerDue, delay);
}

/** Closes everything, and comes back on the same port. */
function goAway(milliseconds: number, socket: Socket): void {
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  socket.write(response("200 OK", {}), () => {
    server.close();
    for (const open of sockets) open.destroy();
    due.length = first = 0;
    setTimeout(() => server.listen({ port, host: "127.0.0.1", backlog: 1024 }), milliseconds);
  });
}

const server = createServer({ noDelay: true }, (socket) => {
  let read = "";
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.on("data", (text: string) => {
    read += text;
    for (;;) {
      const end = read.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/^content-length: *(\d+)/im.exec(read.slice(0, end))?.[1] ?? 0);
      if (read.length < end + 4 + length) return;
      take(read.slice(0, end), read.slice(end + 4, end + 4 + length), socket);
      read = read.slice(end + 4 + length);
    }
  });
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 });
server.once("listening", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : "");
});
