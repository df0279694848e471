import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { errorMessage } from "../../../core/error-message.ts";
import type { Label } from "../../../engine/journal/run-event.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import { StoreError } from "../../../engine/journal/store/store-error.ts";
import { ENTRY_FILTERS, type EntryFilter } from "../entry-filter.ts";
import { type Access, type GuardedEnv, guard } from "./access.ts";
import { callAnswer, conversationAnswer } from "./conversation-data.ts";
import { conversationsAnswer, pairsAnswer } from "./entries-data.ts";
import type { HeavyRequest } from "./heavy-answer.ts";
import { HeavyError, type HeavyProcess } from "./heavy-process.ts";
import { type PageFiles, pageWith } from "./page-files.ts";
import { labelFrom, reviewAnswer } from "./review-data.ts";
import { heatAnswer, runAnswer, runEntry, runsAnswer, type Viewed } from "./run-data.ts";
import { scenarioAnswer } from "./scenario-data.ts";

/** What the server is made of. */
export interface ViewerParts extends Viewed {
  readonly access: Access;
  readonly page: PageFiles;
  /** Computes answers that look at every conversation of a run. */
  readonly heavy: Pick<HeavyProcess, "answer">;
  /** Writes down what a person says about a reply. */
  readonly label: (run: string, label: Omit<Label, "type">) => Promise<void>;
  /** Deletes a run. */
  readonly deleteRun: (run: string) => Promise<void>;
}

/** The most conversations that one answer has. */
const LONGEST_PAGE = 200;

/** The most turns that one review has. */
const MOST_REVIEWED = 1_000;

/** A request that cannot be answered, as the page shows it. */
class RequestError extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.status = status;
  }
}

/** Which page of a list is asked for. */
function pageOf(context: Context): { readonly after: string | undefined; readonly limit: number } {
  const after = context.req.query("after");
  if (after !== undefined && !/^-?\d{1,16}(\.\d{1,20})?(e-?\d{1,3})?\.\d{1,16}$/.test(after))
    throw new RequestError(400, "This is not the end of a page of this list.");
  const asked = Number(context.req.query("limit") ?? 100);
  const limit = Number.isSafeInteger(asked) ? Math.min(Math.max(asked, 1), LONGEST_PAGE) : 100;
  return { after, limit };
}

/** The server of the viewer: the page, and the answers that it asks for. */
export function viewerApp(parts: ViewerParts): Hono<GuardedEnv> {
  const { store, access, page, deleteRun } = parts;
  const app = new Hono<GuardedEnv>();
  app.use(guard(access));
  app.onError((error, context) => {
    if (error instanceof RequestError)
      return context.json(
        { error: error.message, code: error.status === 404 ? "not_found" : "bad_request" },
        error.status,
      );
    const code =
      error instanceof StoreError
        ? error.code
        : error instanceof HeavyError
          ? "refused_request"
          : "unexpected";
    return context.json(
      { error: errorMessage(error), code },
      code === "no_run" ? 404 : code === "refused_request" ? 400 : 500,
    );
  });
  app.notFound((context) =>
    context.json({ error: "There is nothing at this address.", code: "not_found" }, 404),
  );

  app.get("/", (context) => context.html(pageWith(page.html, { token: context.get("session") })));
  app.get("/viewer.js", (context) =>
    context.body(page.script, 200, { "content-type": "text/javascript; charset=utf-8" }),
  );
  app.get("/viewer.css", (context) =>
    context.body(page.style, 200, { "content-type": "text/css; charset=utf-8" }),
  );
  app.get("/favicon.ico", (context) => context.body(null, 204));

  /** The run that an address names, exactly. */
  const runOf = (context: Context, name = context.req.param("run") ?? ""): RunSummary => {
    const summary = store.run(name);
    if (summary?.run === name) return summary;
    throw new RequestError(
      404,
      `There is no run "${name.slice(0, 200)}" in this store. It may have been deleted.`,
    );
  };
  const found = <Answer>(answer: Answer | undefined, what: string): Answer => {
    if (answer === undefined) throw new RequestError(404, `There is no such ${what}.`);
    return answer;
  };
  const heavyJson = async (context: Context, request: HeavyRequest): Promise<Response> =>
    context.body(await parts.heavy.answer(request), 200, {
      "content-type": "application/json; charset=utf-8",
    });

  app.get("/api/runs", (context) => context.json(runsAnswer(parts)));
  const runs = app.basePath("/api/runs/:run");
  runs.get("/", (context) => context.json(runAnswer(parts, runOf(context))));
  runs.delete("/", async (context) => {
    const { run } = runOf(context);
    await deleteRun(run);
    return context.json({ deleted: run });
  });
  runs.get("/heat", (context) =>
    context.json(heatAnswer(parts, runOf(context), { outcome: context.req.query("outcome") ?? "" })),
  );
  runs.get("/pairs", (context) => {
    const { run } = runOf(context);
    const { a = "", b = "", with: other, outcome, side, scenario } = context.req.query();
    if (other !== undefined) runOf(context, other);
    const filter = {
      run,
      subject: a,
      against: b,
      ...(other === undefined ? {} : { withRun: other }),
      ...(outcome === undefined ? {} : { outcome }),
      ...(side === "a" ? { side: "a" as const } : side === "b" ? { side: "b" as const } : {}),
      ...(scenario === undefined ? {} : { scenario }),
    } as const;
    return context.json(pairsAnswer(parts.browser, filter, pageOf(context)));
  });
  runs.get("/curves", (context) => heavyJson(context, { kind: "curves", run: runOf(context).run }));
  runs.get("/rates", (context) => {
    const { run } = runOf(context);
    const by = context.req.query("by");
    return heavyJson(
      context,
      by === undefined ? { kind: "rates", run } : { kind: "groups", run, by: by.split(",") },
    );
  });
  runs.get("/comparison", (context) => {
    const { run } = runOf(context);
    const { a = "", b = "", with: other = run } = context.req.query();
    return heavyJson(context, { kind: "comparison", run, a, b, withRun: runOf(context, other).run });
  });
  runs.get("/review", async (context) => {
    const { run } = runOf(context);
    const { kind, count: asked, seed } = context.req.query();
    const count = Math.min(Math.max(Math.trunc(Number(asked ?? 50)) || 50, 1), MOST_REVIEWED);
    if (kind === "disagree") return heavyJson(context, { kind: "disagreements", run, count });
    const known = kind === "unreadable" ? kind : "random";
    return context.json(reviewAnswer(parts, run, { kind: known, count, seed: Number(seed) || 0 }));
  });
  runs.post("/labels", async (context) => {
    const { run } = runOf(context);
    const label = labelFrom(await context.req.json().catch(() => undefined));
    if (label === undefined)
      throw new RequestError(
        400,
        "This is not a label: it needs a conversation, a turn, a field and a value.",
      );
    await parts.label(run, label);
    return context.json({ labelled: label });
  });
  runs.get("/live", (context) => liveUpdates(context, parts, context.req.param("run")));
  runs.get("/conversations", (context) => {
    const { run } = runOf(context);
    const given = ENTRY_FILTERS.flatMap((key) => {
      const value = context.req.query(key);
      return value === undefined || value === "" ? [] : [[key, value] as const];
    });
    const filter: EntryFilter = Object.fromEntries(given);
    if (filter.edge !== undefined && !/^\d{1,9}$/.test(filter.edge))
      throw new RequestError(400, "The number of an edge is a whole number.");
    return context.json(conversationsAnswer(parts.browser, run, { filter, ...pageOf(context) }));
  });
  runs.get("/conversations/:conversation", async (context) => {
    const answer = await conversationAnswer(parts, runOf(context), context.req.param("conversation"));
    return context.json(found(answer, "conversation in this run"));
  });
  runs.get("/conversations/:conversation/calls/:call", (context) => {
    const { conversation, call } = context.req.param();
    const answer = callAnswer(store, runOf(context).run, conversation, call);
    return context.json(found(answer, "call in this conversation"));
  });
  runs.get("/scenarios/:scenario", (context) => {
    const answer = scenarioAnswer(parts, runOf(context), context.req.param("scenario"));
    return context.json(found(answer, "scenario in this run"));
  });
  runs.get("/scenarios/:scenario/coverage", (context) => {
    const { run, start } = runOf(context);
    const scenario = context.req.param("scenario");
    found(Object.hasOwn(start.scenarios, scenario) || undefined, "scenario in this run");
    return heavyJson(context, { kind: "coverage", run, scenario });
  });
  return app;
}

/** At most two updates a second. */
const PAUSE_MS = 500;

/**
 * Tells a page about a run as long as it is written: how far it is, and that there is something new. The page then asks for
 * what it shows. Nothing is sent while nothing changes.
 */
function liveUpdates(context: Context, viewed: Viewed, run: string): Response {
  return streamSSE(context, async (stream) => {
    const { store, browser } = viewed;
    let isOpen = true;
    let seen = -1;
    stream.onAbort(() => {
      isOpen = false;
    });
    while (isOpen) {
      const version = browser.version();
      if (version !== seen) {
        seen = version;
        const summary = store.run(run);
        if (summary === undefined || summary.run !== run) {
          await stream.writeSSE({ event: "gone", data: "{}" });
          return;
        }
        const entry = runEntry(viewed, summary);
        await stream.writeSSE({ event: "run", data: JSON.stringify(entry) });
        if (entry.state !== "running") return;
      }
      await stream.sleep(PAUSE_MS);
    }
  });
}
