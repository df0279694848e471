import { expect, test } from "vitest";
import { capturedTerminal } from "../../../../test/captured-terminal.ts";
import type { RunStart } from "../../../engine/journal/run-event.ts";
import { keepOrigin, originOf, terminalOfOrigin, withOverrides } from "./run-origin.ts";

const SETTINGS = {
  flags: [{ flag: "--replicates", path: ["replicates"], value: "5" }],
  sets: ["seed=1"],
  profile: "ci",
} as const;

const START: RunStart = {
  type: "run-start",
  run: "r",
  seed: 0,
  conversations: 1,
  scenarios: {},
  subjects: [],
  judges: [],
  replicates: 1,
  configuration: {},
};

const STORE = "../.elenchus/elenchus.db";

test("the command line of a run comes back as it was, wherever the project was moved to", async () => {
  const given = { names: ["../a.yaml"], settings: SETTINGS, replay: "calls.jsonl" };
  const kept = await keepOrigin(given, STORE, capturedTerminal("/home/me/project/sub"));
  const origin = originOf({ ...START, origin: kept });
  expect(origin).toMatchObject(given);
  const later = capturedTerminal("/elsewhere/project");
  expect(terminalOfOrigin(origin ?? given, ".elenchus/elenchus.db", later).folder).toBe(
    "/elsewhere/project/sub",
  );
});

test.each([
  [undefined],
  [{ command: "something else" }],
  [{ command: "run", names: 7, settings: { flags: [], sets: [] } }],
  [{ command: "run", names: [], settings: { flags: [{ flag: "x", path: [] }], sets: [] } }],
])("no command line: %j", (origin) => {
  expect(originOf(origin === undefined ? START : { ...START, origin })).toBeUndefined();
});

test("secrets in flags are not kept", async () => {
  const flag = { flag: "--subject", path: ["subjects"], value: ["http://me:hunter2hunter2@localhost/chat"] };
  const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
  const settings = { flags: [flag], sets: [`providers.x.headers.authorization="Bearer ${key}"`] };
  const kept = JSON.stringify(await keepOrigin({ names: [], settings }, STORE, capturedTerminal("/home/me")));
  expect(kept).not.toContain("hunter2");
  expect(kept).not.toContain(key);
});

test("what is said later is applied later", () => {
  const more = { flags: [{ flag: "--budget", path: ["budget"], value: "1usd" }], sets: ["seed=2"] };
  expect(withOverrides({ names: [], settings: SETTINGS }, more)).toEqual({
    profile: "ci",
    flags: [...SETTINGS.flags, ...more.flags],
    sets: ["seed=1", "seed=2"],
  });
});
