import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EVENT_CODES } from "../src/engine/journal/store/encode-event.ts";

const source = fileURLToPath(new URL("../src", import.meta.url));

/** The files that may ask what type an event has, each with its reason. Everything else reads what these make of events. */
const KNOW_EVENTS: Readonly<Record<string, string>> = {
  "engine/journal/fold/conversation.ts": "the fold of a conversation",
  "engine/journal/fold/calls.ts": "the fold of a conversation's calls, and the votes of panels",
  "engine/journal/fold/run.ts": "the fold of a run",
  "engine/journal/store/store-reader.ts": "which labels count",
  "engine/journal/store/postgres/run-mirror.ts": "copies a run from a server until it ends",
  "engine/journal/store/postgres/server-store.ts":
    "sends a run to a server, each call with the event that began it",
  "apps/interchange/otel/open-telemetry.ts": "writes events as spans",
  "engine/run/step/step.ts": "what an event means for what happens next",
  "engine/run/step/fold-journal.ts": "which effects have their results",
  "insight/analysis/rehearsal/explore.ts": "makes turns by step, and looks at what follows from them",
  "engine/journal/transfer/export-run.ts": "writes run files",
  "engine/journal/transfer/import-run.ts": "reads run files",
  "apps/cli/play/play.ts": "learns the name of the run that is played",
  "engine/scale/hosted-run.ts": "finds the arms in which conversations of workers continue",
  "engine/scale/merge-runs.ts": "joins what shards say about the run as a whole",
};

const types = Object.keys(EVENT_CODES).join("|");
const ASKS = new RegExp(`\\bevent\\.type\\b|type [=!]== "(?:${types})"|case "(?:${types})":`);

test("only the folds, step and the formats of files know which event means what", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file) && !file.startsWith("apps/contracts/"),
  );
  const asking = files.filter((file) =>
    readFileSync(join(source, file), "utf8")
      .split("\n")
      // Comments show examples, and a database has columns.
      .some((line) => ASKS.test(line) && !line.trim().startsWith("*") && !/\b(?:SELECT|WHERE)\b/.test(line)),
  );
  expect(asking.sort()).toEqual(Object.keys(KNOW_EVENTS).sort());
});
