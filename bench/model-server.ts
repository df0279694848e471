// A model server in a process of its own, so that its work is not measured: answers in OpenAI's form after `delay`
// milliseconds, and refuses what is above `rate` requests a second. Prints its port; tells what it has counted at /counts.
import { createServer } from "node:http";

const [delay = 0, rate = Number.POSITIVE_INFINITY] = process.argv.slice(2).map(Number);
const body = JSON.stringify({
  choices: [{ message: { role: "assistant", content: '{"fields":{"right":true}}' }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
});
const headers = { "content-type": "application/json", "content-length": body.length };
let answered = 0;
let refused = 0;
let accepted: number[] = [];

const server = createServer((request, response) => {
  request.resume();
  if (request.url === "/counts") {
    response.end(JSON.stringify({ answered, refused }));
    return;
  }
  const now = performance.now();
  if (Number.isFinite(rate)) {
    accepted = accepted.filter((time) => time > now - 1000);
    if (accepted.length >= rate) {
      refused++;
      response.writeHead(429, { "content-type": "application/json" }).end('{"error":{"message":"too many"}}');
      return;
    }
    accepted.push(now);
  }
  answered++;
  setTimeout(() => response.writeHead(200, headers).end(body), delay);
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : "");
});
