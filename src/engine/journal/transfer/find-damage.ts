import { errorMessage } from "../../../core/error-message.ts";
import { formatIssue } from "../../../core/schema/format-issue.ts";
import type { Issue } from "../../../core/schema/issue.ts";
import type { Shape } from "../../../core/schema/shape.ts";
import { validateShape } from "../../../core/schema/validate-shape.ts";
import { isRecord } from "../../../core/values/json.ts";
import { callIdentity } from "../fold/run.ts";
import type { Store } from "../store/store.ts";
import { EVENT_SHAPE, RUN_START_SHAPE } from "./event-shapes.ts";
import { answeredCall, definitionsOf } from "./stored-run.ts";

/**
 * The first thing in a store that no release writes, in words; undefined if there is none. Reads everything, so it is asked only where
 * reading has failed, to tell a store that was changed from a mistake of ours.
 */
export function findDamage(store: Store): string | undefined {
  try {
    for (const { run, start } of store.runs()) {
      const problem = problemOf(RUN_START_SHAPE, { ...start, at: 0 });
      if (problem !== undefined) return `the run "${run}": ${problem}`;
      for (const event of store.events(run)) {
        const wrong = problemOf(EVENT_SHAPE, event);
        if (wrong !== undefined) return `an event of the run "${run}": ${wrong}`;
        const identity = callIdentity(event);
        const call = identity === undefined ? undefined : answeredCall(store, run, identity);
        if (call !== undefined && !(isRecord(call.reply) && typeof call.reply.text === "string"))
          return `an answer of the run "${run}": it is none`;
      }
      for (const { definition } of definitionsOf(store, run)) JSON.parse(definition);
      for (const _ of store.conversations(run));
    }
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function problemOf(shape: Shape, value: unknown): string | undefined {
  const issues: Issue[] = [];
  validateShape(shape, value, [], (issue) => issues.push(issue));
  // A key that is not known may stand in the place of one that is missing.
  const first = issues.find(({ code }) => code !== "unknown_key") ?? issues[0];
  return first === undefined ? undefined : formatIssue(first).replace(/\.$/, "");
}
