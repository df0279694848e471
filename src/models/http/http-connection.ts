import type { Socket } from "node:net";
import { ModelError } from "../model-error.ts";
import { BrokenResponse } from "./http-head.ts";
import { type HttpResponse, ResponseParser } from "./http-message.ts";

/** Who waits for the response on a connection. */
export interface Waiting {
  /** The name of the model, for errors. */
  readonly name: string;
  answered(response: HttpResponse): void;
  /** There will be no response. `stale` if an old connection was found closed: nothing was answered, and a new one may do. */
  failed(error: unknown, stale: boolean): void;
}

/** Where connections go between requests. */
export interface ConnectionHome {
  release(connection: Connection): void;
  forget(connection: Connection): void;
}

/** One connection, with one set of listeners for all its requests. */
export class Connection {
  readonly origin: string;
  idleSince = 0;
  readonly #socket: Socket;
  readonly #home: ConnectionHome;
  #parser = new ResponseParser();
  #waiting: Waiting | undefined;
  #isOld = false;
  /** What is to be sent once the other side has shown its certificate. */
  #unsent: string | Buffer | undefined;
  #isReady: boolean;

  constructor(url: URL, home: ConnectionHome) {
    this.origin = url.origin;
    this.#home = home;
    this.#isReady = url.protocol !== "https:";
    const socket = this.#isReady ? plainSocket(url) : secureSocket(url);
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("end", () => this.#end());
    socket.on("error", (error: NodeJS.ErrnoException) => this.#fail(error, error.code === "EPIPE"));
    socket.on("close", () => this.#hungUp(false));
    if (!this.#isReady) socket.once("secureConnect", () => this.#ready());
  }

  /** Sends a request, for which nobody else may be waiting. */
  send(bytes: string | Buffer, waiting: Waiting): void {
    this.#waiting = waiting;
    if (this.#isReady) this.#socket.write(bytes, "latin1");
    else this.#unsent = bytes;
  }

  /** Closes the connection; who waits is told nothing. */
  abandon(): void {
    this.#waiting = undefined;
    this.#unsent = undefined;
    this.#socket.destroy();
  }

  /** An idle connection does not keep the process alive. */
  rest(now: number): void {
    this.idleSince = now;
    this.#socket.unref();
  }

  /** True if it can be used once more. */
  wake(): boolean {
    if (this.#socket.destroyed || !this.#socket.writable) return false;
    this.#socket.ref();
    this.#isOld = true;
    return true;
  }

  #ready(): void {
    this.#isReady = true;
    if (this.#unsent !== undefined) this.#socket.write(this.#unsent, "latin1");
    this.#unsent = undefined;
  }

  #read(bytes: Buffer): void {
    // Whoever speaks without being asked is not to be believed later.
    if (this.#waiting === undefined) return this.#close();
    try {
      if (this.#parser.push(bytes)) this.#finish();
    } catch (error) {
      this.#fail(error, false);
    }
  }

  #end(): void {
    if (this.#waiting !== undefined && this.#parser.end()) this.#finish();
    else this.#hungUp(true);
  }

  #hungUp(closed: boolean): void {
    if (this.#waiting === undefined) this.#close();
    // In the words of Node's own client.
    else this.#fail(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }), closed);
  }

  #finish(): void {
    const parser = this.#parser;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    // A server may answer before it has read all; what is still to be sent would follow.
    if (parser.reusable && this.#socket.writable && this.#socket.writableLength === 0) {
      this.#parser = new ResponseParser();
      this.#home.release(this);
    } else {
      this.#close();
    }
    waiting?.answered(parser.response());
  }

  /** `closed` if the other side closed in good order; one that resets may have read the request, and meant it. */
  #fail(error: unknown, closed: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#close();
    if (waiting === undefined) return;
    const { begun, status } = this.#parser;
    if (!(error instanceof BrokenResponse)) return waiting.failed(error, closed && this.#isOld && !begun);
    const message = `${waiting.name} ${error.message}.`;
    waiting.failed(
      new ModelError("bad_response", message, status === 0 ? {} : { statusCode: status }),
      false,
    );
  }

  #close(): void {
    this.#home.forget(this);
    this.#socket.destroy();
  }
}

function plainSocket(url: URL): Socket {
  return process.getBuiltinModule("node:net").connect({ ...addressOf(url, 80), keepAlive: true });
}

function secureSocket(url: URL): Socket {
  const address = addressOf(url, 443);
  // An address cannot be asked for by name; the certificate is checked for it all the same.
  const servername = process.getBuiltinModule("node:net").isIP(address.host) === 0 ? address.host : "";
  return process
    .getBuiltinModule("node:tls")
    .connect({ ...address, servername, ALPNProtocols: ["http/1.1"] });
}

function addressOf({ hostname, port }: URL, usual: number): { readonly host: string; readonly port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usual : Number(port) };
}
