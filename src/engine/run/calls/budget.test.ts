import fc from "fast-check";
import { expect, test } from "vitest";
import { Budget, type BudgetTicket } from "./budget.ts";

const model = { name: "openai/gpt" };

function admitted(budget: Budget, name = model.name): BudgetTicket {
  const ticket = budget.admit({ name });
  if (ticket === null) throw new Error("refused");
  return ticket;
}

test("without limits everything is admitted and added up", () => {
  const budget = new Budget();
  budget.charge(admitted(budget), { usd: 0.5, tokens: 100 });
  budget.charge(admitted(budget), { usd: null, tokens: null });
  expect(budget.spent).toEqual({ usd: 0.5, tokens: 100, calls: 2 });
  expect(budget.exhausted).toBe(false);
});

test("a budget of calls is exact", () => {
  const budget = new Budget({ calls: 3 });
  const tickets = [1, 2, 3].map(() => admitted(budget));
  expect(budget.admit(model)).toBeNull();
  for (const ticket of tickets) budget.charge(ticket, { usd: 1, tokens: 1 });
  expect(budget.admit(model)).toBeNull();
  expect(budget.exhausted).toBe(true);
  expect(budget.reason()).toContain("The budget of 3 calls is exhausted");
});

test("an answer that was known costs nothing, not even a call", () => {
  const budget = new Budget({ calls: 1 });
  const ticket = admitted(budget);
  budget.refund(ticket);
  budget.refund(ticket);
  expect(budget.spent.calls).toBe(0);
  expect(budget.admit(model)).not.toBeNull();
});

test("calls under way count with the mean of the model's past calls", () => {
  const budget = new Budget({ usd: 1 });
  budget.charge(admitted(budget), { usd: 0.2, tokens: 10 });
  const underWay = [1, 2, 3, 4].map(() => admitted(budget));
  expect(budget.admit(model)).toBeNull();
  expect(budget.reason()).toBe(
    "The budget of 1 USD is exhausted: 0.2000 spent, the rest is reserved for calls in flight.",
  );
  budget.charge(underWay[0] as BudgetTicket, { usd: 0.01, tokens: 10 });
  expect(budget.admit(model)).not.toBeNull();
});

test("models do not share their means, but they share the budget", () => {
  const budget = new Budget({ tokens: 1_000 });
  budget.charge(admitted(budget, "large"), { usd: 1, tokens: 500 });
  budget.charge(admitted(budget, "small"), { usd: 1, tokens: 10 });
  admitted(budget, "small");
  admitted(budget, "large");
  expect(budget.admit({ name: "small" })).toBeNull();
});

test("before anything is known, an estimate counts", () => {
  const budget = new Budget({ usd: 1 });
  const estimate = { usd: 0.4, tokens: null };
  expect([1, 2, 3, 4].map(() => budget.admit(model, estimate) !== null)).toEqual([true, true, true, false]);
});

test("a failure says nothing about the cost of an answer", () => {
  const budget = new Budget({ usd: 1 });
  budget.charge(admitted(budget), { usd: 0.6, tokens: 10 });
  for (let failures = 0; failures < 100; failures++) budget.charge(admitted(budget), { usd: 0, tokens: 0 });
  admitted(budget);
  expect(budget.admit(model)).toBeNull();
});

test("what a provider tells cannot make the budget larger", () => {
  const budget = new Budget({ usd: 1, tokens: 10 });
  const ticket = admitted(budget);
  budget.charge(ticket, { usd: -5, tokens: Number.NaN });
  budget.charge(ticket, { usd: 5, tokens: 5 });
  expect(budget.spent).toEqual({ usd: 0, tokens: 0, calls: 1 });
});

test("a budget is never exceeded by more than the calls that were under way when it was reached", () => {
  const cost = fc.integer({ min: 1, max: 100 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cost, fc.boolean()), { maxLength: 200 }), (steps) => {
      const budget = new Budget({ tokens: 500 });
      const open: BudgetTicket[] = [];
      for (const [tokens, settles] of steps) {
        const before = budget.spent.tokens;
        const ticket = budget.admit(model);
        if (ticket === null) expect(open.length > 0 || before >= 500).toBe(true);
        else {
          expect(before).toBeLessThan(500);
          open.push(ticket);
        }
        const last = settles ? open.shift() : undefined;
        if (last !== undefined) budget.charge(last, { usd: 0, tokens });
      }
    }),
  );
});
