import type { RunSummary, Store } from "../../journal/store/store.ts";
import { curvesAnswer } from "./curves-data.ts";

/** A request whose answer looks at every conversation of a run. */
export type HeavyRequest = { readonly kind: "curves"; readonly run: string };

/** Computes an answer; the run must be there. */
export function heavyAnswer(store: Store, request: HeavyRequest): unknown {
  const summary = store.run(request.run) as RunSummary;
  switch (request.kind) {
    case "curves":
      return curvesAnswer(store, summary);
  }
}
