import type { LiquidLibrary } from "../../core/liquid/liquid-engine.ts";

let library: LiquidLibrary | undefined;

/** Loads the `liquidjs` package when a text first needs it, not when Elenchus is imported. */
export function loadLiquid(): LiquidLibrary {
  library ??= process.getBuiltinModule("module").createRequire(import.meta.url)("liquidjs") as LiquidLibrary;
  return library;
}
