import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSandbox, type Sandbox } from "./open-sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = openSandbox({ seed: 1, timeoutMs: 5000 });
});
afterAll(() => sandbox.dispose());

const runIn = async (own: Sandbox, source: string, ...values: unknown[]): Promise<unknown> => {
  const fn = await own.compile(source);
  return own.evaluate(() => fn(values));
};
const run = (source: string, ...values: unknown[]): Promise<unknown> => runIn(sandbox, source, ...values);

describe("nothing is remembered", () => {
  test.each([
    "() => { globalThis.x = (globalThis.x ?? 0) + 1; return globalThis.x; }",
    "() => { x = 1; }",
    "() => { Object.prototype.x = 1; }",
    "() => { ({}).__proto__.x = 1; }",
    "() => { Array.prototype.map = () => 1; }",
    "() => { JSON.stringify = () => 1; }",
    "() => { Object.prototype.toString = () => 1; }",
    "() => { Math.x = 1; }",
    "() => { Object.setPrototypeOf(Object.prototype, {}); }",
    "() => { Object.defineProperty(Map.prototype, 'x', { value: 1 }); }",
    "() => { (function* () {}).constructor.prototype.x = 1; }",
    "() => { Object.getPrototypeOf([].values()).next = () => 1; }",
    "() => { Object.getPrototypeOf(async () => {}).x = 1; }",
    "() => { Error.prepareStackTrace = () => 1; }",
    "function f() { f.calls = (f.calls ?? 0) + 1; return f.calls; }",
    "function f() { f.prototype.calls = 1; }",
    "() => { ((strings) => { strings.x = 1; })`text`; }",
  ])("%s", async (source) => {
    await expect(run(source)).rejects.toThrow(
      /^threw: (?:object is not extensible|prototype is immutable|'\w+' is (?:read-only|not defined))/,
    );
  });

  test("every object that a source can reach is frozen", async () => {
    const unfrozen = await run(`() => {
      const found = [], seen = new Set();
      const visit = (value, place) => {
        if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
        seen.add(value);
        if (!Object.isFrozen(value)) found.push(place);
        visit(Object.getPrototypeOf(value), place + ".__proto__");
        for (const key of Reflect.ownKeys(value)) {
          const { value: part, get, set } = Reflect.getOwnPropertyDescriptor(value, key);
          for (const next of [part, get, set]) visit(next, place + "." + String(key));
        }
      };
      visit(globalThis, "globalThis");
      const made = [() => {}, function* () {}, async () => {}, async function* () {}, [].values(), "".matchAll(/a/g),
        ""[Symbol.iterator](), new Map().keys(), new Set().keys(), [].values().map(String),
        Iterator.from({ next() {} }), [].values().take(1), /a/, new Date(0), new Error(), (async () => {})(),
        Object(1n), Object(Symbol())];
      made.forEach((value, index) => visit(Object.getPrototypeOf(value), "made " + index));
      return found;
    }`);
    expect(unfrozen).toEqual([]);
  });

  test("neither regular expressions nor promises carry anything over", async () => {
    const search = "(text) => { const r = /a/g; r.test(text); return [r.lastIndex, RegExp.$1 ?? null]; }";
    expect(await run(search, "ba")).toEqual([2, null]);
    expect(await run(search, "ba")).toEqual([2, null]);
    const promise = "() => { const seen = []; Promise.resolve().then(() => seen.push(1)); return seen; }";
    expect(await run(promise)).toEqual([]);
    expect(await run(promise)).toEqual([]);
  });
});

test("what a promise would do later is forgotten, not piled up", async () => {
  const later =
    "() => { const big = 'x'.repeat(3e6); Promise.resolve().then(() => big.length); return big.length; }";
  expect(await Promise.all(Array.from({ length: 12 }, () => run(later)))).toEqual(new Array(12).fill(3e6));
});

describe("nothing of the world is there", () => {
  test.each(
    (
      "process require module console fetch setTimeout setInterval queueMicrotask performance crypto WebAssembly " +
      "SharedArrayBuffer Atomics Proxy WeakRef FinalizationRegistry eval Intl structuredClone"
    ).split(" "),
  )("%s", async (name) => {
    expect(await run(`() => typeof ${name}`)).toBe("undefined");
  });

  test.each([
    "() => Function('return 1')()",
    "() => new Function('return 1')()",
    "() => (() => 1).constructor('return 1')()",
    "() => (async () => 1).constructor('return 1')()",
    "() => (function* () {}).constructor.constructor('return 1')()",
    "() => Reflect.construct(Function, ['return 1'])()",
  ])("no code from text: %s", async (source) => {
    await expect(run(source)).rejects.toThrow("threw: code cannot be made from text here");
  });

  test.each(["() => Date.now()", "() => new Date()", "() => Date()", "() => new (class extends Date {})()"])(
    "no clock: %s",
    async (source) => {
      await expect(run(source)).rejects.toThrow("threw: there is no clock here; give the date a value");
    },
  );
});

test.each([
  ["new Date('2020-02-03').getTime()", Date.UTC(2020, 1, 3)],
  ["new Date('2020-02-03T10:00').getHours()", 10],
  ["new Date('2020-02-03T10:00:00+02:00').getHours()", 8],
  ["new Date('Feb 3 2020 10:00').toISOString()", "2020-02-03T10:00:00.000Z"],
  ["new Date(2020, 1, 3, 10).toISOString()", "2020-02-03T10:00:00.000Z"],
  ["new Date(new Date(5)).getTime() + Date.UTC(1970, 0)", 5],
  ["Date.parse('2020-02-03T00:00Z')", Date.UTC(2020, 1, 3)],
  ["new Date(0).getTimezoneOffset()", 0],
  ["String(new Date(0))", "Thu, 01 Jan 1970 00:00:00 GMT"],
  ["new Date(0) instanceof Date && new Date(0).constructor === Date", true],
])("dates that are given work, in the same zone everywhere: %s", async (expression, expected) => {
  expect(await run(`() => ${expression}`)).toBe(expected);
});

describe("random numbers", () => {
  const draw = "(n) => Array.from({ length: 3 }, () => Math.random())";

  test("follow from seed, conversation, moment and source, not from arguments or earlier calls", async () => {
    const drawn = async (own: Sandbox, source = draw, at = { conversation: "c", moment: "m", n: 1 }) => {
      const fn = await own.compile(source);
      return own.evaluate(() => fn([at.n], at.moment), at);
    };
    const first = await drawn(sandbox);
    expect(await drawn(sandbox)).toEqual(first);
    expect(await drawn(sandbox, draw, { conversation: "c", moment: "m", n: 2 })).toEqual(first);
    expect(await drawn(sandbox, draw, { conversation: "d", moment: "m", n: 1 })).not.toEqual(first);
    expect(await drawn(sandbox, draw, { conversation: "c", moment: "n", n: 1 })).not.toEqual(first);
    expect(await drawn(sandbox, `${draw} `)).not.toEqual(first);
    const again = openSandbox({ seed: 1 });
    const other = openSandbox({ seed: 2 });
    expect(await drawn(again)).toEqual(first);
    expect(await drawn(other)).not.toEqual(first);
    again.dispose();
    other.dispose();
  });

  test("are spread over 0 to 1", async () => {
    const draws = (await run("() => Array.from({ length: 10000 }, () => Math.random())")) as number[];
    expect(draws.every((value) => value >= 0 && value < 1)).toBe(true);
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => draws.filter((x) => Math.floor(x * 10) === tenth).length,
    );
    expect(Math.min(...tenths)).toBeGreaterThan(850);
    expect(Math.max(...tenths)).toBeLessThan(1150);
  });
});

test.each([
  [
    "keys that prototypes have too",
    "() => { const o = {}; o.constructor = 1; o.toString = 2; return o; }",
    { constructor: 1, toString: 2 },
  ],
  ["errors with a name", "() => { const e = new Error('a'); e.name = 'B'; return String(e); }", "B: a"],
  [
    "errors of one's own",
    "() => { class E extends Error { constructor() { super(); this.name = 'E'; } } try { throw new E(); } catch (e) { return e.name; } }",
    "E",
  ],
  ["the standard library", '(a) => Object.entries(a).map(([k, v]) => k + "=" + v).sort().join()', "x=1,y=2"],
  [
    "iterators, maps and sets",
    "() => [...new Map([[1, 2]]), ...new Set([3]), ...'ab'.matchAll(/./g)].length",
    4,
  ],
  [
    "classes and generators inside",
    "() => { class A { *all() { yield 1; } } return [...new A().all()]; }",
    [1],
  ],
])("ordinary code works: %s", async (_name, source, expected) => {
  expect(await run(source, { y: 2, x: 1 })).toEqual(expected);
});
