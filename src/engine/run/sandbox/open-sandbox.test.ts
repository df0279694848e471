import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSandbox, type Sandbox, SandboxError, type SandboxOptions } from "./open-sandbox.ts";
import { ScenarioSources, SourceBudget } from "./source-budget.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  // Long enough for a busy machine where time is not the point.
  sandbox = openSandbox({ seed: 1, timeoutMs: 2000 });
});
afterAll(() => sandbox.dispose());

const runIn = async (own: Sandbox, source: string, ...values: unknown[]): Promise<unknown> => {
  const fn = await own.compile(source);
  return own.evaluate(() => fn(values));
};
const run = (source: string, ...values: unknown[]): Promise<unknown> => runIn(sandbox, source, ...values);

async function failure(work: () => unknown): Promise<string> {
  try {
    return `no failure: ${JSON.stringify(await work())}`;
  } catch (error) {
    return error instanceof SandboxError ? `${error.kind}: ${error.message}` : String(error);
  }
}

async function inSandbox<Result>(
  options: Partial<SandboxOptions>,
  work: (sandbox: Sandbox) => Promise<Result>,
): Promise<Result> {
  const own = openSandbox({ seed: 1, ...options });
  try {
    return await work(own);
  } finally {
    own.dispose();
  }
}

describe("sources", () => {
  test.each([
    ["arrow", "(a, b) => a + b"],
    ["arrow without brackets", "a => a + 2"],
    ["function", "function (a, b) { return a + b; }"],
    ["named function", "function add(a, b) { return a + b; }"],
    ["method in shorthand", "add(a, b) { return a + b; }"],
    ["space and comments around", "\n  // adds\n  (a, b) => a + b /* there */\n"],
    ["semicolon behind it", "(a, b) => a + b;  // adds\n"],
    ["comment before a function", "// adds\nfunction (a, b) { return a + b; };"],
    ["destructuring, defaults, rest", "(a, ...[b = 0]) => { const { c = b } = {}; return a + c; }"],
  ])("%s", async (_name, source) => {
    expect(await run(source, 1, 2)).toBe(3);
  });

  test.each([
    ["async", "async () => 1", "it is async, but must return its result at once"],
    ["generator", "function* () {}", "it is a generator"],
    ["class", "class A {}", "it is a class"],
    ["something else", "5", "it is"],
    ["called at once", "(() => { let n = 0; return () => ++n; })()", "something stands beside it"],
    ["two", "() => 1, () => 2", "something stands beside it"],
    ["bound", "(function () {}).bind(1)", "something stands beside it"],
    ["breaking out", "() => 1); globalThis.x = 1; (() => 2", "something stands after it"],
    ["two statements", "() => 1; 2", "something stands after it (line 1, column 10)"],
    ["wrong on its third line", "(a) => {\n  const b = a;\n  b b;\n}", "(line 3, column 5)"],
    ["too long", `() => "${"x".repeat(1_000_000)}"`, "it is too long"],
    ["too deep", `() => ${"(".repeat(50_000)}1${")".repeat(50_000)}`, "stack overflow"],
  ])("refused: %s", async (_name, source, reason) => {
    expect(await failure(() => sandbox.compile(source))).toContain(reason);
  });

  test("the same source is compiled once", async () => {
    expect(await sandbox.compile("() => 1")).toBe(await sandbox.compile("() => 1"));
  });
});

describe("values", () => {
  test.each([
    [null],
    [true],
    [-1.5e300],
    ["é 😀 \u0000 \ud800 \u2028"],
    [[1, [2, []]]],
    [{ a: { "": [null] }, constructor: 1, toString: 2 }],
    ["long ".repeat(100_000)],
  ])("in and out again (%#)", async (value) => {
    expect(await run("(x) => x", value)).toEqual(value);
  });

  test("are copies", async () => {
    const value = { list: [1] };
    expect(await run("(x) => { x.list.push(2); return x; }", value)).toEqual({ list: [1, 2] });
    expect(value).toEqual({ list: [1] });
  });

  test.each([
    ["() => undefined", undefined],
    ["() => ({ a: undefined, b: [undefined, , 1], c: -0, [Symbol()]: 1 })", { b: [null, null, 1], c: 0 }],
    ["() => ({ get a() { return 1; } })", { a: 1 }],
    ["() => Object.create(null, { a: { value: 1, enumerable: true } })", { a: 1 }],
    ["() => 'abc'.match(/b/)", ["b"]],
  ])("%s", async (source, expected) => {
    expect(await run(source)).toEqual(expected);
  });

  test.each([
    ["() => NaN", "NaN"],
    ["() => ({ a: [Infinity] })", "Infinity"],
    ["() => 5n", "a bigint"],
    ["() => Symbol()", "a symbol"],
    ["() => () => 1", "a function"],
    ["() => ({ then() {} })", "a function"],
    ["() => ({ toJSON() { return 1; } })", "a function"],
    ["() => Promise.resolve(1)", "a promise"],
    ["() => import('node:fs')", "a promise"],
    ["() => new Date(0)", "a Date"],
    ["() => new Map()", "a Map"],
    ["() => new (class { a = 1 })()", "an instance of a class"],
    ["() => { const a = []; a.push({ a }); return a; }", "something that contains itself"],
    [
      "() => { let o = 1; for (let i = 0; i < 1000; i++) o = [o]; return o; }",
      "something nested more than 100 levels deep",
    ],
  ])("no plain data: %s", async (source, what) => {
    expect(await failure(() => run(source))).toBe(`not_data: its result is ${what}, not plain data`);
  });

  test("a key of that name reaches no prototype", async () => {
    const value = await run(`() => JSON.parse('{"__proto__":{"polluted":true}}')`);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("what goes in must be data, too", async () => {
    expect(await failure(() => run("(x) => x", 5n))).toMatch(/^not_data: was given something/);
  });
});

describe("failures", () => {
  test.each([
    ["() => { throw new Error('no'); }", "no"],
    ["() => { throw 'no'; }", "no"],
    ["() => { throw null; }", "null"],
    ["(x) => x.y.z", "cannot read property 'y' of undefined"],
    ["() => { throw { toString() { throw 1; } }; }", "something that cannot be shown"],
    [
      "() => { throw Object.create(Error.prototype, { message: { get() { throw 1; } } }); }",
      "something that cannot be shown",
    ],
    ["() => ({ get a() { throw new Error('in a getter'); } })", "in a getter"],
    ["function f() { return f() + 1; }", "stack overflow"],
    ["() => { const o = { toString: () => String(o) }; return String(o); }", "stack overflow"],
    ["() => JSON.parse('['.repeat(100000))", "stack overflow"],
  ])("%s", async (source, message) => {
    expect(await failure(() => run(source))).toBe(`threw: threw: ${message}`);
  });

  test("a huge message is cut short, and no trace of the machinery comes with it", async () => {
    const error: Error = await run("() => { throw 'x'.repeat(1e6); }").then(
      () => new Error("no failure"),
      (thrown) => thrown,
    );
    expect(error.message.length).toBeLessThan(600);
    expect(error.stack).toBe(`SandboxError: ${error.message}`);
  });

  test.each([
    ["loop", "() => { for (;;); }"],
    ["loop that catches", "() => { for (;;) try { for (;;); } catch {} finally { continue; } }"],
    ["loop while its error is read", "() => { throw { toString() { for (;;); } }; }"],
    ["loop in a getter of the result", "() => ({ get a() { for (;;); } })"],
    ["regular expression", "() => /(a+)+$/.test('a'.repeat(40) + 'b')"],
    ["growing array", "() => { const a = []; for (;;) { a.length = 0; a.push(1); } }"],
  ])("too long: %s", async (_name, source) => {
    await inSandbox({ timeoutMs: 20 }, async (own) => {
      expect(await failure(() => runIn(own, source))).toBe("too_long: ran longer than 20 ms");
      expect(await runIn(own, "(x) => x + 1", 1)).toBe(2);
    });
  });

  test("what no clock inside can stop ends all the same, and other sandboxes do not notice", async () => {
    const before = await run("() => Math.random()");
    await inSandbox({}, async (own) => {
      expect(await failure(() => runIn(own, "() => new Array(4e9).indexOf(1)"))).toBe(
        "too_long: ran longer than 50 ms",
      );
      expect(await runIn(own, "(x) => x + 1", 1)).toBe(2);
    });
    expect(await run("() => Math.random()")).toBe(before);
  });

  test.each([
    ["text", "() => { let s = 'x'; for (;;) s += s; }"],
    ["text that is read", "() => { let s = 'x'; for (;;) { s += s; s.charCodeAt(0); } }"],
    ["lists", "() => { const a = []; for (;;) a.push(Array.from({ length: 1000 }, () => 0)); }"],
    ["one list", "() => new Array(1e7).fill('x')"],
    ["objects", "() => { let o; for (;;) o = { o }; }"],
    ["result", "() => { const a = new Array(1e5).fill('x'.repeat(100)); return [a, a]; }"],
  ])("too much memory: %s", async (_name, source) => {
    await inSandbox({ memoryBytes: 12 * 2 ** 20, timeoutMs: 10_000 }, async (own) => {
      expect(await failure(() => runIn(own, source))).toBe("too_much_memory: used more than 12 MB");
      expect(await runIn(own, "(x) => x + 1", 1)).toBe(2);
    });
  });

  test("too much memory: arguments", async () => {
    await inSandbox({ memoryBytes: 2 ** 20, timeoutMs: 5000 }, async (own) => {
      const length = (text: string) => runIn(own, "(x) => x.length", text);
      expect(await failure(() => length("x".repeat(2 ** 21)))).toBe("too_much_memory: used more than 1 MB");
      expect(await length("abc")).toBe(3);
    });
  });
});

describe("the thread", () => {
  test("a sandbox with more memory than there can be says so", async () => {
    await inSandbox({ memoryBytes: 2 ** 45 }, async (own) => {
      expect(await failure(() => own.compile("() => 1"))).toBe("broken: the sandbox cannot be opened");
    });
    expect(await run("() => 1")).toBe(1);
  });

  test("many sandboxes live side by side", async () => {
    const many = Array.from({ length: 20 }, (_, seed) => openSandbox({ seed }));
    const draws = await Promise.all(many.map((own) => runIn(own, "() => Math.random()")));
    for (const own of many) own.dispose();
    expect(new Set(draws).size).toBe(20);
  });
});

describe("evaluate", () => {
  test("gives the result at once where nothing is called", () => {
    expect(sandbox.evaluate(() => 5)).toBe(5);
  });

  test("does the work again until all calls are answered, each once and in order", async () => {
    const double = await sandbox.compile("(x) => x * 2");
    const fail = await sandbox.compile("(x) => { throw new Error('at ' + x); }");
    let passes = 0;
    const result = await sandbox.evaluate(() => {
      passes++;
      const numbers: unknown[] = [];
      for (let value = 1; value < 40; value = double([value]) as number) numbers.push(value);
      try {
        fail([numbers.length]);
      } catch (error) {
        numbers.push((error as Error).message);
      }
      return numbers;
    });
    expect(result).toEqual([1, 2, 4, 8, 16, 32, "threw: at 6"]);
    expect(passes).toBe(8);
  });

  test("blocks nobody, however long a source takes", async () => {
    await inSandbox({ timeoutMs: 300 }, async (own) => {
      const endless = await own.compile("() => { for (;;); }");
      let ticks = 0;
      let isOver = false;
      const tick = (): void => {
        ticks++;
        if (!isOver) setImmediate(tick);
      };
      setImmediate(tick);
      const failed = failure(() => own.evaluate(() => endless([])));
      expect(await failed).toContain("too_long");
      isOver = true;
      expect(ticks).toBeGreaterThan(10);
    });
  });

  test("ends with its signal; what begins after that calls nothing", async () => {
    await inSandbox({ timeoutMs: 300 }, async (own) => {
      const endless = await own.compile("() => { for (;;); }");
      const controller = new AbortController();
      const { signal } = controller;
      const evaluations = [1, 2, 3].map(() => failure(() => own.evaluate(() => endless([]), { signal })));
      controller.abort();
      expect(await Promise.all(evaluations)).toEqual(new Array(3).fill("cancelled: was cancelled"));
      expect(await failure(() => own.evaluate(() => endless([]), { signal }))).toBe(
        "cancelled: was cancelled",
      );
    });
  });

  test("a bug in the work is not swallowed", async () => {
    const one = await sandbox.compile("() => 1");
    const broken = (): never => {
      throw new RangeError(`after ${one([])}`);
    };
    expect(() => sandbox.evaluate(() => JSON.parse("{"))).toThrow(SyntaxError);
    await expect(sandbox.evaluate(broken)).rejects.toThrow("after 1");
  });

  test("switches the sources of a conversation off when its time is used up, and then those of the scenario", async () => {
    await inSandbox({ timeoutMs: 20 }, async (own) => {
      const endless = await own.compile("() => { for (;;); }");
      const scenario = new ScenarioSources(30);
      const reasons = async (): Promise<string[]> => {
        const budget = new SourceBudget(scenario);
        const all: string[] = [];
        for (let call = 0; call < 3; call++)
          all.push(await failure(() => own.evaluate(() => endless([]), { budget })));
        return all;
      };
      const late = "too_long: ran longer than 20 ms";
      const off =
        "switched_off: is switched off: the source strings of this conversation took longer than 0.03 s";
      expect(await reasons()).toEqual([late, late, off]);
      await reasons();
      await reasons();
      expect((await reasons())[0]).toContain("is switched off: the source strings of this scenario");
    });
  });
});

describe("dispose", () => {
  test("ends everything, once and for all", async () => {
    const own = openSandbox({ seed: 1 });
    const fn = await own.compile("() => 1");
    own.dispose();
    own.dispose();
    expect(await failure(() => own.evaluate(() => fn([])))).toBe(
      "disposed: the sandbox has been disposed of",
    );
    expect(await failure(() => own.compile("() => 1"))).toBe("disposed: the sandbox has been disposed of");
    expect(await run("() => 1")).toBe(1);
  });
});
