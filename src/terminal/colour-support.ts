import type { Environment } from "../model/base-url.ts";

/** What a stream tells about the colours it can show. */
export interface ColourStream {
  readonly isTTY?: boolean;
  hasColors?(environment: object): boolean;
}

/**
 * Whether a stream gets colours: never where `NO_COLOR` is set; else as `FORCE_COLOR` says, and without it if a terminal shows
 * them.
 */
export function showsColours(stream: ColourStream, environment: Environment): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (stream.isTTY !== true || TERM === "dumb") return false;
  return stream.hasColors === undefined || stream.hasColors(environment);
}
