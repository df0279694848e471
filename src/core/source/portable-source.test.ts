// biome-ignore-all lint/complexity/noArguments: functions as authors may write them.
// biome-ignore-all lint/complexity/noStaticOnlyClass: functions as authors may write them.
import * as acorn from "acorn";
import { describe, expect, it } from "vitest";
import { portableSource, STANDARD_NAMES } from "./portable-source.ts";

const threshold = 3;
const scale = 2;

describe("portable functions", () => {
  it.each<[string, unknown]>([
    ["an arrow", (answer: number) => answer > 3],
    ["a parameter without parentheses", [(x: number) => ({ x })][0]],
    ["standard names", (text: string) => Math.max(...JSON.parse(text), Number.parseFloat("1"), Infinity)],
    ["destructuring", ({ a, ...rest }: { a: number; b: number }, [b, , c] = [1, 2, a]) => [a, rest, b, c]],
    [
      "its own name",
      function fact(n: number): number {
        return n < 2 ? 1 : n * fact(n - 1);
      },
    ],
    [
      "arguments",
      function () {
        return arguments.length;
      },
    ],
    ["a regular expression with quotes", (text: string) => text.split(/["'`/]/).map((part) => part.trim())],
    ["nested templates", (a: string, b: string) => `${a ? `${a} and ${b}` : "}"}`],
    [
      "an own copy of an outer name",
      (xs: number[]) => {
        const threshold = xs.length;
        return threshold;
      },
    ],
    ["comments about outer names", (x: number) => /* threshold */ x],
  ])("with %s", (_, fn) => {
    const text = Function.prototype.toString.call(fn);
    expect(portableSource(fn as () => void, acorn)).toEqual({ source: text });
  });

  it("writes a shorthand method as a function", () => {
    const { update } = {
      update(total: number, next: number) {
        return total + next;
      },
    };
    expect(portableSource(update, acorn)).toEqual({
      source: `function ${Function.prototype.toString.call(update)}`,
    });
  });

  it("writes a static method as a function", () => {
    class Scores {
      static best(scores: number[]) {
        return Math.max(...scores);
      }
    }
    expect(portableSource(Scores.best, acorn)).toEqual({ source: expect.stringMatching(/^function best\(/) });
  });
});

describe("what is not portable", () => {
  const methods = {
    "a b"(): number {
      return 1;
    },
    [`c${threshold}`](): number {
      return 1;
    },
    5(): number {
      return 1;
    },
    if(a: number): number {
      return a;
    },
    async later(): Promise<number> {
      return 1;
    },
    *many(): Generator<number> {
      yield 1;
    },
    async *stream(): AsyncGenerator<number> {
      yield 1;
    },
    function$(): number {
      return 1;
    },
    threshold(): number {
      return threshold;
    },
    Map(): unknown {
      return new Map();
    },
    me(): unknown {
      return this;
    },
  };
  class Secret {
    static #key = 1;
    static #read(): number {
      return 1;
    }
    static read(): number {
      return Secret.#read();
    }
    static peek(other: object): boolean {
      return #key in other;
    }
    static hidden(): () => number {
      return Secret.#read;
    }
    static get size(): number {
      return Secret.#key;
    }
    static set size(value: number) {
      Secret.#key = value;
    }
  }
  const size = Object.getOwnPropertyDescriptor(Secret, "size");

  it.each<[string, unknown]>([
    ['it uses "threshold", which is defined outside of it', (x: number) => x > threshold],
    [
      'it uses "threshold" and "scale", which are defined outside of it',
      (x: number) => x > threshold * scale + threshold,
    ],
    [
      'it uses "Date", "fetch" and "process", which are defined outside of it',
      () => [Date.now(), fetch, typeof process],
    ],
    ['it uses "globalThis", which is defined outside of it', () => globalThis],
    ['it uses "threshold", which is defined outside of it', (x = threshold) => x],
    ['it uses "threshold", which is defined outside of it', () => ({ threshold })],
    ['it uses "threshold", which is defined outside of it', methods.threshold],
    ['it uses "Map", which is defined outside of it', methods.Map],
    ['it uses "Secret" and "#read", which are defined outside of it', Secret.read],
    ['it uses "#key", which is defined outside of it', Secret.peek],
    ['it uses "this"', methods.me],
    ["it is a method whose name is not a plain word", methods["a b"]],
    ["it is a method whose name is not a plain word", methods.c3],
    ["it is a method whose name is not a plain word", methods[5]],
    ["it is a method whose name is not a plain word", Secret.hidden()],
    ["it is a method whose name is not a plain word", methods.function$],
    ['it is a method with the reserved name "if"', methods.if],
    ["it is a getter", size?.get],
    ["it is a setter", size?.set],
    ["it is async, but must return its result at once", async () => 1],
    ["it is async, but must return its result at once", async (x: number) => x],
    ["it is async, but must return its result at once", async function later() {}],
    ["it is async, but must return its result at once", methods.later],
    ["it is async, but must return its result at once", methods.stream],
    [
      "it is a generator",
      function* () {
        yield 1;
      },
    ],
    ["it is a generator", methods.many],
    ["it is a class", class {}],
    ["it is a class", Secret],
    ["it is a native or bound function", Math.max],
    ["it is a native or bound function", Map],
    ["it is a native or bound function", Array.prototype[Symbol.iterator]],
    ["it is a native or bound function", ((x: number) => x).bind(undefined)],
    ["it is a native or bound function", new Proxy((x: number) => x, {})],
    ["it is a native or bound function", Function.prototype],
  ])("%s: %s", (problem, fn) => {
    expect(portableSource(fn as () => void, acorn)).toEqual({ problem });
  });

  it("a name that the test runner gives to an import", () => {
    expect(portableSource(() => STANDARD_NAMES, acorn)).toEqual({
      problem: expect.stringMatching(/^it uses ".+", which is defined outside of it$/),
    });
  });
});

it("reads the function itself, whatever its toString says", () => {
  const disguised = Object.assign((x: number) => x > threshold, { toString: () => "(x) => x" });
  expect(portableSource(disguised, acorn)).toEqual({
    problem: 'it uses "threshold", which is defined outside of it',
  });
  const bare = Object.setPrototypeOf((x: number) => x, null);
  expect(portableSource(bare, acorn)).toEqual({ source: expect.stringMatching(/=> x$/) });
});

it("allows no name that reaches the clock, the world outside or code in a text", () => {
  const forbidden = ["Date", "console", "process", "globalThis", "fetch", "setTimeout", "crypto", "Intl"];
  for (const name of [...forbidden, "Function", "eval", "Proxy", "Reflect", "Promise", "require"]) {
    expect(STANDARD_NAMES.has(name)).toBe(false);
  }
  expect([...STANDARD_NAMES].filter((name) => !(name in globalThis))).toEqual([]);
});
