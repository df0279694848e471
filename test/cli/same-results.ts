import { expect } from "vitest";
import { capitalFiles } from "./capitals.ts";
import { elenchusHere, folderWith, type Given } from "./cli.ts";
import type { PatientServer } from "./patient-server.ts";

/** Holds conversations about all capitals, with two subjects. */
export const RUN_CAPITALS: readonly string[] = [
  "run",
  "capitals",
  "--subject",
  "openai/gpt-5-mini",
  "--subject",
  "openai/gpt-5-nano",
];

/** Conversations of such a run: six countries, two subjects. */
export const CONVERSATIONS = 12;
/** Calls of a run that nobody disturbs. */
export const CALLS = 44;

/** A folder with scenarios, and a server that answers. */
export function capitalsProject({ environment }: PatientServer): Given {
  return { folder: folderWith(capitalFiles()), environment };
}

/** Outcomes of the latest run, without the names that differ from run to run. */
export async function outcomesIn(where: Given): Promise<readonly unknown[]> {
  const { code, stdout } = await elenchusHere(["export", "--format", "json", "--table", "outcomes"], where);
  expect(code).toBe(0);
  const rows = JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
  return rows.map(({ run, conversation, ...rest }) => rest);
}

let undisturbed: Promise<readonly unknown[]> | undefined;

/** Outcomes of the same run, undisturbed, in a folder of its own; held once, with a server that must be open. */
export function undisturbedOutcomes(server: PatientServer): Promise<readonly unknown[]> {
  undisturbed ??= holdUndisturbed(server);
  return undisturbed;
}

async function holdUndisturbed(server: PatientServer): Promise<readonly unknown[]> {
  const where = capitalsProject(server);
  const before = server.calls.length;
  const { code } = await elenchusHere([...RUN_CAPITALS, "--quiet"], where);
  expect([code, server.calls.length - before]).toEqual([0, CALLS]);
  return outcomesIn(where);
}

/** How often each call was answered: once, unless it was paid for twice. */
export function timesAnswered({ calls }: PatientServer): readonly number[] {
  const counts = new Map<string, number>();
  for (const { key, state } of calls) if (state === "answered") counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts.values()];
}
