// A way to a server that can be cut, in a thread of its own: a program that waits for an answer cannot forward it.
import { connect, createServer } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { port } = workerData as { readonly port: number };
let awaited: string | undefined;

const proxy = createServer((client) => {
  const upstream = connect(port, "127.0.0.1");
  for (const socket of [client, upstream]) socket.on("error", () => {});
  let isCut = false;
  upstream.on("data", (chunk) => {
    if (!isCut) client.write(chunk);
  });
  client.on("data", (chunk) => {
    if (awaited !== undefined && chunk.includes(awaited)) {
      awaited = undefined;
      isCut = true;
      // The server does what it was asked to, and its answer is lost.
      upstream.once("data", () => {
        client.destroy();
        upstream.destroy();
        parentPort?.postMessage("cut");
      });
    }
    upstream.write(chunk);
  });
  client.on("close", () => upstream.destroy());
  upstream.on("close", () => client.destroy());
});
proxy.listen(0, "127.0.0.1", () => parentPort?.postMessage((proxy.address() as { port: number }).port));

/** Cuts the connection that next sends this text, after the server has answered it. */
parentPort?.on("message", (text: string) => {
  awaited = text;
  parentPort?.postMessage("waiting");
});
