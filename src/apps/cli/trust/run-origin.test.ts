import { expect, test } from "vitest";
import { capturedTerminal } from "../../../../test/captured-terminal.ts";
import type { RunStart } from "../../../engine/journal/run-event.ts";
import { folderFromStore, originOf, originToKeep, terminalOfOrigin, withOverrides } from "./run-origin.ts";

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

test("how a run was asked for comes back as it was", () => {
  const origin = { names: ["packs/pressure"], settings: SETTINGS, replay: "calls.jsonl" };
  expect(originOf({ ...START, origin: originToKeep(origin) })).toMatchObject(origin);
});

test("a run that was begun elsewhere has no words of a command", () => {
  expect(originOf(START)).toBeUndefined();
  expect(originOf({ ...START, origin: { command: "something else" } })).toBeUndefined();
});

test("secrets in flags are not kept", () => {
  const flag = { flag: "--subject", path: ["subjects"], value: ["http://me:hunter2hunter2@localhost/chat"] };
  const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
  const settings = { flags: [flag], sets: [`providers.x.headers.authorization="Bearer ${key}"`] };
  const kept = JSON.stringify(originToKeep({ names: [], settings }));
  expect(kept).not.toContain("hunter2");
  expect(kept).not.toContain(key);
});

test("words mean the same again, wherever the command is given and the project was moved to", () => {
  const asked = capturedTerminal("/home/me/project/sub");
  const folder = folderFromStore("../.elenchus/elenchus.db", asked);
  const origin = { names: ["../a.yaml"], settings: SETTINGS, folder };
  const later = capturedTerminal("/elsewhere/project");
  expect(terminalOfOrigin(origin, ".elenchus/elenchus.db", later).folder).toBe("/elsewhere/project/sub");
});

test("what is said later is applied later", () => {
  const more = { flags: [{ flag: "--budget", path: ["budget"], value: "1usd" }], sets: ["seed=2"] };
  expect(withOverrides({ names: [], settings: SETTINGS }, more)).toEqual({
    profile: "ci",
    flags: [...SETTINGS.flags, ...more.flags],
    sets: ["seed=1", "seed=2"],
  });
});
