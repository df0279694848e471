import { expect, test } from "vitest";
import type { JsonValue } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import { recalledMemory, writtenMemory } from "./simulated-model.ts";

function reply(native?: JsonValue): Message {
  return { role: "assistant", content: "…", ...(native === undefined ? {} : { native }) };
}

test("what a reply remembers is recalled later, whoever spoke since", () => {
  const memory = { unverified: 2, changes: 1 };
  const { native } = writtenMemory(memory);
  expect(
    recalledMemory([reply(native), { role: "user", content: "?" }, reply({ provider: "openai" })]),
  ).toEqual(memory);
  expect(recalledMemory([reply(native), reply(writtenMemory({ unverified: 3, changes: 1 }).native)])).toEqual(
    {
      unverified: 3,
      changes: 1,
    },
  );
});

test("with nothing to remember, nothing is written", () => {
  expect(writtenMemory({ unverified: 0, changes: 0 })).toEqual({});
  expect(recalledMemory([])).toEqual({ unverified: 0, changes: 0 });
});

test("what somebody else wrote there does no harm", () => {
  for (const sim of [null, 3, "x", { unverified: -1, changes: "many" }, { unverified: 1e300 }]) {
    expect(recalledMemory([reply({ sim })])).toEqual({ unverified: 0, changes: 0 });
  }
});
