import { timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";

/** Who may use the server. */
export interface Access {
  /** The secret in the address that is printed. */
  readonly token: string;
  /** The values of `Host` that are answered: a name of this machine with the port. */
  readonly hosts: ReadonlySet<string>;
  readonly port: number;
}

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
 * Accepts only requests to a name of this machine, from a page of this server, with the token. A foreign page
 * whose name points at this machine (DNS rebinding) is stopped by its `Host`.
 */
export function guard({ token, hosts, port }: Access): MiddlewareHandler {
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
    const inAddress = context.req.query("token");
    if (inAddress !== undefined && isSame(inAddress, token)) {
      setCookie(context, cookie, token, { httpOnly: true, sameSite: "Strict", path: "/" });
      if (!isWrite) return next();
    }
    const given = isWrite ? context.req.header(TOKEN_HEADER) : getCookie(context, cookie);
    if (given === undefined || !isSame(given, token))
      return refuse(
        context,
        403,
        "The address lacks the token of this viewer, or has another one. Use the whole address that elenchus view printed; a viewer that was started again has a new one.",
      );
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
