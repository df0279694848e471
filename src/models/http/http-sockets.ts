import { Connection, type ConnectionHome } from "./http-connection.ts";

/** Connections that wait for their next request. */
export class ConnectionPool implements ConnectionHome {
  readonly #idleMs: number;
  readonly #mostIdle: number;
  /** Per origin, in the order in which they became idle. */
  readonly #idle = new Map<string, Connection[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor({
    idleMs = 4000,
    mostIdle = 1024,
  }: { readonly idleMs?: number; readonly mostIdle?: number } = {}) {
    this.#idleMs = idleMs;
    this.#mostIdle = mostIdle;
  }

  /** The connection used last, which is the least likely to have been closed; a new one if there is none. */
  take(url: URL): Connection {
    const idle = this.#idle.get(url.origin);
    for (let last = idle?.pop(); last !== undefined; last = idle?.pop()) if (last.wake()) return last;
    return new Connection(url, this);
  }

  /** Keeps a connection for later. */
  release(connection: Connection): void {
    const { origin } = connection;
    let idle = this.#idle.get(origin);
    if (idle === undefined) {
      idle = [];
      this.#idle.set(origin, idle);
    }
    if (idle.length >= this.#mostIdle) return connection.abandon();
    idle.push(connection);
    connection.rest(performance.now());
    this.#timer ??= setTimeout(() => this.#sweep(), this.#idleMs).unref();
  }

  /** Whatever has become of a connection, it is not to be used again. */
  forget(connection: Connection): void {
    const idle = this.#idle.get(connection.origin);
    const index = idle?.indexOf(connection) ?? -1;
    if (index !== -1) idle?.splice(index, 1);
  }

  /** How many connections are idle. */
  get size(): number {
    let size = 0;
    for (const idle of this.#idle.values()) size += idle.length;
    return size;
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [origin, idle] of this.#idle) {
      const fresh = idle.findIndex(({ idleSince }) => now - idleSince < this.#idleMs);
      for (const old of idle.splice(0, fresh === -1 ? idle.length : fresh)) old.abandon();
      const [first] = idle;
      if (first === undefined) this.#idle.delete(origin);
      else next = Math.min(next, first.idleSince);
    }
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#sweep(), Math.ceil(next + this.#idleMs - now)).unref();
  }
}
