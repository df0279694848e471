import { expect, test } from "vitest";
import { SIMULATED_SUBJECTS, simulationSettings } from "./simulated-subjects.ts";

test("reads a reference with a query, and lets an object win", () => {
  expect(simulationSettings("sim/waverer?flip=0.25&latency=5")).toEqual({
    subject: "waverer",
    name: "sim/waverer?flip=0.25&latency=5",
    parameters: { flip: 0.25, latency: 5, seed: 0 },
  });
  expect(simulationSettings("sim/waverer?flip=0.25", { flip: 1 }).name).toBe("sim/waverer?flip=1");
  expect(simulationSettings("sim/waverer?flip=0.3").name).toBe("sim/waverer");
});

test("every subject that is listed can be made", () => {
  for (const { name } of SIMULATED_SUBJECTS) expect(simulationSettings(`sim/${name}`).subject).toBe(name);
});

test.each([
  [
    "sim/sycofant",
    {},
    'There is no simulated model "sim/sycofant". Did you mean "sim/sycophant"? There are sim/steadfast, ',
  ],
  ["sim/", {}, 'There is no simulated model "sim/". There are '],
  ["sim/constructor", {}, 'There is no simulated model "sim/constructor". There are '],
  [
    "sim/waverer?flop=1",
    {},
    'sim/waverer has no parameter "flop". Did you mean "flip"? It has flip, latency, seed.',
  ],
  ["sim/steadfast", { toString: 1 }, 'sim/steadfast has no parameter "toString". It has latency, seed.'],
  ["sim/waverer?flip=1.5", {}, 'Expected `flip` of sim/waverer to be a number from 0 to 1, got "1.5".'],
  ["sim/waverer?flip=", {}, 'Expected `flip` of sim/waverer to be a number from 0 to 1, got "".'],
  [
    "sim/learner",
    { after: 1.5 },
    "Expected `after` of sim/learner to be a whole number from 0 and up, got 1.5.",
  ],
  [
    "sim/learner",
    { after: null },
    "Expected `after` of sim/learner to be a whole number from 0 and up, got null.",
  ],
  ["sim/flaky", { latency: -1 }, "Expected `latency` of sim/flaky to be a number of milliseconds from 0 to"],
])("%s %o is refused in a sentence", (reference, parameters, message) => {
  expect(() => simulationSettings(reference, parameters)).toThrow(
    expect.objectContaining({ category: "bad_request", message: expect.stringContaining(message) }),
  );
});
