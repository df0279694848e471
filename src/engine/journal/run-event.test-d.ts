import { expectTypeOf, test } from "vitest";
import type { RunEvent } from "./run-event.ts";

test("the events of a run are these: a new one is a decision", () => {
  expectTypeOf<RunEvent["type"]>().toEqualTypeOf<
    | "run-start"
    | "run-end"
    | "scenario-define"
    | "conversation-start"
    | "conversation-stop"
    | "conversation-resume"
    | "conversation-end"
    | "turn-start"
    | "turn-user"
    | "turn-reply"
    | "turn-judgement"
    | "turn-end"
    | "call-start"
    | "retry"
    | "call-end"
    | "hop"
    | "outcome"
    | "warning"
    | "outage"
    | "label"
    | "progress"
  >();
});
