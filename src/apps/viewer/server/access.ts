import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";

/** Who may use the server. */
export interface Access {
  /** The secrets of those who may: the token in the address that is printed, and one for each use of a one-time address. */
  readonly sessions: Set<string>;
  /** One-time addresses, by their code. */
  readonly passes: Map<string, Pass>;
  /** The values of `Host` that are answered: a name of this machine with the port. */
  readonly hosts: ReadonlySet<string>;
  readonly port: number;
}

/** A one-time address: all users of a machine see in its list of processes which address a browser is asked to open. */
interface Pass {
  readonly until: number;
  /** The secret that its first use gave. */
  session?: string;
}

/** How long a browser may take to start. */
const PASS_MS = 60_000;

/** A new secret that can stand in an address. */
export function newSecret(): string {
  return randomBytes(24).toString("base64url");
}

/** Makes the code of an address that opens the viewer once, within a minute. */
export function newPass({ passes }: Access): string {
  const code = newSecret();
  passes.set(code, { until: Date.now() + PASS_MS });
  return code;
}

/** The secret that a one-time address gives. A second use takes it away: which of the two is the user is unknown. */
function usePass({ passes, sessions }: Access, code: string, held: string | undefined): string | undefined {
  const pass = passes.get(code);
  if (pass === undefined || pass.until < Date.now()) return held;
  if (pass.session !== undefined) {
    if (pass.session !== held) sessions.delete(pass.session);
    return held;
  }
  pass.session = newSecret();
  sessions.add(pass.session);
  return pass.session;
}

/** What the guard tells handlers. */
export interface GuardedEnv {
  /** The secret of whoever asks. */
  Variables: { session: string };
}

const NO_TOKEN =
  "The address lacks the token of this viewer, or has another one. Use the whole address that elenchus view printed; a viewer that was started again has a new one.";
const USED =
  "This address opens the viewer once, within a minute, and that is over. If you have not used it, another user of this machine may have; nobody can use it from now on. Use the address with the token that elenchus printed.";

/** The header that requests which change something carry, besides the cookie. */
const TOKEN_HEADER = "x-elenchus-token";

/** Nothing but our own files: no inline script, no other host, no frame around the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/**
 * Accepts only requests to a name of this machine, from a page of this server, with a secret. A foreign page
 * whose name points at this machine (DNS rebinding) is stopped by its `Host`.
 */
export function guard(access: Access): MiddlewareHandler<GuardedEnv> {
  const { sessions, hosts, port } = access;
  const isKnown = (secret: string): boolean => [...sessions].some((session) => isSame(secret, session));
  // Cookies are shared by all ports of a host.
  const cookie = `elenchus-${port}`;
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const host = context.req.header("host") ?? "";
    if (!hosts.has(host.toLowerCase()))
      return refuse(context, 421, `This server does not answer to the name "${host.slice(0, 100)}".`);
    const origin = context.req.header("origin");
    if (origin !== undefined && origin !== `http://${host}`)
      return refuse(context, 403, "Requests from other pages are not answered.");
    const isWrite = context.req.method !== "GET" && context.req.method !== "HEAD";
    const held = getCookie(context, cookie);
    const { token = held, once } = context.req.query();
    const given = isWrite
      ? context.req.header(TOKEN_HEADER)
      : once === undefined
        ? token
        : usePass(access, once, held);
    if (given === undefined || !isKnown(given))
      return refuse(context, 403, once === undefined ? NO_TOKEN : USED);
    if (given !== held) setCookie(context, cookie, given, { httpOnly: true, sameSite: "Strict", path: "/" });
    context.set("session", given);
    if (isWrite && context.req.header("sec-fetch-site") === "cross-site")
      return refuse(context, 403, "Requests from other pages are not answered.");
    return next();
  };
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function refuse(context: Context, status: 403 | 421, message: string): Response {
  if (context.req.path.startsWith("/api/")) return context.json({ error: message, code: "refused" }, status);
  return context.text(`${message}\n`, status);
}
