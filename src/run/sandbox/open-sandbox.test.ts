import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSandbox, type Sandbox, SandboxError, type SandboxOptions } from "./open-sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  // Long enough for a busy machine where time is not the point.
  sandbox = await openSandbox({ seed: 1, timeoutMs: 2000 });
});
afterAll(() => sandbox.dispose());

const run = (source: string, ...values: unknown[]): unknown => sandbox.compile(source)(...values);

function failure(work: () => unknown): string {
  try {
    return `no failure: ${JSON.stringify(work())}`;
  } catch (error) {
    return error instanceof SandboxError ? `${error.kind}: ${error.message}` : String(error);
  }
}

async function inSandbox<Result>(
  options: Partial<SandboxOptions>,
  work: (sandbox: Sandbox) => Result,
): Promise<Result> {
  const own = await openSandbox({ seed: 1, ...options });
  try {
    return work(own);
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
  ])("%s", (_name, source) => {
    expect(run(source, 1, 2)).toBe(3);
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
  ])("refused: %s", (_name, source, reason) => {
    expect(failure(() => sandbox.compile(source))).toContain(reason);
  });

  test("the same source is compiled once", () => {
    expect(sandbox.compile("() => 1")).toBe(sandbox.compile("() => 1"));
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
  ])("in and out again (%#)", (value) => {
    expect(run("(x) => x", value)).toEqual(value);
  });

  test("are copies", () => {
    const value = { list: [1] };
    expect(run("(x) => { x.list.push(2); return x; }", value)).toEqual({ list: [1, 2] });
    expect(value).toEqual({ list: [1] });
  });

  test.each([
    ["() => undefined", undefined],
    ["() => ({ a: undefined, b: [undefined, , 1], c: -0, [Symbol()]: 1 })", { b: [null, null, 1], c: 0 }],
    ["() => ({ get a() { return 1; } })", { a: 1 }],
    ["() => Object.create(null, { a: { value: 1, enumerable: true } })", { a: 1 }],
    ["() => 'abc'.match(/b/)", ["b"]],
  ])("%s", (source, expected) => {
    expect(run(source)).toEqual(expected);
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
  ])("no plain data: %s", (source, what) => {
    expect(failure(() => run(source))).toBe(`not_data: its result is ${what}, not plain data`);
  });

  test("a key of that name reaches no prototype", () => {
    const value = run(`() => JSON.parse('{"__proto__":{"polluted":true}}')`);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("what goes in must be data, too", () => {
    expect(failure(() => run("(x) => x", 5n))).toMatch(/^not_data: was given something/);
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
  ])("%s", (source, message) => {
    expect(failure(() => run(source))).toBe(`threw: threw: ${message}`);
  });

  test("a huge message is cut short, and no trace of the machinery comes with it", () => {
    const error = (() => {
      try {
        return run("() => { throw 'x'.repeat(1e6); }");
      } catch (thrown) {
        return thrown as Error;
      }
    })() as Error;
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
    await inSandbox({ timeoutMs: 20 }, (own) => {
      expect(failure(() => own.compile(source)())).toBe("too_long: ran longer than 20 ms");
      expect(own.compile("(x) => x + 1")(1)).toBe(2);
    });
  });

  test("what no clock inside can stop ends all the same, and other sandboxes do not notice", async () => {
    const before = sandbox.compile("() => Math.random()")();
    await inSandbox({}, (own) => {
      expect(failure(() => own.compile("() => new Array(4e9).indexOf(1)")())).toBe(
        "too_long: ran longer than 50 ms",
      );
      expect(own.compile("(x) => x + 1")(1)).toBe(2);
    });
    expect(sandbox.compile("() => Math.random()")()).toBe(before);
  });

  test.each([
    ["text", "() => { let s = 'x'; for (;;) s += s; }"],
    ["text that is read", "() => { let s = 'x'; for (;;) { s += s; s.charCodeAt(0); } }"],
    ["lists", "() => { const a = []; for (;;) a.push(Array.from({ length: 1000 }, () => 0)); }"],
    ["one list", "() => new Array(1e7).fill('x')"],
    ["objects", "() => { let o; for (;;) o = { o }; }"],
    ["result", "() => { const a = new Array(1e5).fill('x'.repeat(100)); return [a, a]; }"],
  ])("too much memory: %s", async (_name, source) => {
    await inSandbox({ memoryBytes: 12 * 2 ** 20, timeoutMs: 10_000 }, (own) => {
      expect(failure(() => own.compile(source)())).toBe("too_much_memory: used more than 12 MB");
      expect(own.compile("(x) => x + 1")(1)).toBe(2);
    });
  });

  test("too much memory: arguments", async () => {
    await inSandbox({ memoryBytes: 2 ** 20, timeoutMs: 5000 }, (own) => {
      const same = own.compile("(x) => x.length");
      expect(failure(() => same("x".repeat(2 ** 21)))).toBe("too_much_memory: used more than 1 MB");
      expect(same("abc")).toBe(3);
    });
  });
});

describe("the thread", () => {
  test("a sandbox with more memory than there can be says so", async () => {
    await inSandbox({ memoryBytes: 2 ** 45 }, (own) => {
      expect(failure(() => own.compile("() => 1"))).toBe("broken: the sandbox cannot be opened");
    });
    expect(run("() => 1")).toBe(1);
  });

  test("many sandboxes live side by side", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, (_, seed) => openSandbox({ seed })));
    const draws = many.map((own) => own.compile("() => Math.random()")());
    for (const own of many) own.dispose();
    expect(new Set(draws).size).toBe(20);
  });
});

describe("dispose", () => {
  test("ends everything, once and for all", async () => {
    const own = await openSandbox({ seed: 1 });
    const fn = own.compile("() => 1");
    own.dispose();
    own.dispose();
    expect(failure(() => fn())).toBe("disposed: the sandbox has been disposed of");
    expect(failure(() => own.compile("() => 1"))).toBe("disposed: the sandbox has been disposed of");
    expect(run("() => 1")).toBe(1);
  });
});
