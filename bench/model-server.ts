// A model server in a process of its own, so that its work is not measured: answers in the form of the provider whose path is
// asked for after `delay` milliseconds, and refuses what is above `rate` requests a second. On bare sockets, since Node's own
// server would take longer than its clients. Prints its port; shows what it has counted at /counts.
import { createServer, type Socket } from "node:net";

const [delay = 0, rate = Number.POSITIVE_INFINITY] = process.argv.slice(2).map(Number);
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
  for (; first < due.length && (due[first]?.time ?? 0) <= now; first++)
    due[first]?.socket.write(due[first]?.answer ?? "", "latin1");
  isArmed = first < due.length;
  if (isArmed) setTimeout(answerDue, Math.max(1, (due[first]?.time ?? 0) - now));
  else due.length = first = 0;
}

function take(head: string, socket: Socket): void {
  if (head.startsWith("GET /counts")) {
    socket.write(response("200 OK", { answered, refused }));
    return;
  }
  const now = performance.now();
  if (Number.isFinite(rate)) {
    accepted = accepted.filter((time) => time > now - 1000);
    if (accepted.length >= rate) {
      refused++;
      socket.write(REFUSAL);
      return;
    }
    accepted.push(now);
  }
  answered++;
  const answer = ANSWERS[/(\w+) HTTP/.exec(head.slice(0, 200))?.[1] ?? ""] ?? REFUSAL;
  due.push({ time: now + delay, socket, answer });
  if (isArmed) return;
  isArmed = true;
  setTimeout(answerDue, delay);
}

const server = createServer({ noDelay: true }, (socket) => {
  let read = "";
  socket.setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.on("data", (text: string) => {
    read += text;
    for (;;) {
      const end = read.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/^content-length: *(\d+)/im.exec(read.slice(0, end))?.[1] ?? 0);
      if (read.length < end + 4 + length) return;
      take(read.slice(0, end), socket);
      read = read.slice(end + 4 + length);
    }
  });
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : "");
});
