import { bodyBytes } from "../http/response-body.ts";
import type { Fetch } from "./language-model.ts";

/**
 * A `fetch` that hands over whole responses, none of them larger than may be: libraries would read on without end. It follows
 * no redirection, which could take keys elsewhere.
 */
export function limitedFetch(name: string, fetch: Fetch | undefined): Fetch {
  return async (input, init) => {
    const response = await (fetch ?? globalThis.fetch)(input, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(await bodyBytes(response, name), { status, statusText, headers });
  };
}
