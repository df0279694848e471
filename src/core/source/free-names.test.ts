// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources read here are texts.
import * as acorn from "acorn";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { propertyRuns } from "../../../test/property-runs.ts";
import { freeNames } from "./portable-source.ts";

/** Names expected to be free in a source, separated by spaces. */
type Case = [source: string, names: string];

function expectNames(source: string, names: string): void {
  expect(freeNames(source, acorn)).toEqual({ names: names.split(" ").filter((name) => name !== "") });
}

describe("parameters", () => {
  it.each<Case>([
    ["(a, b) => a + b + c", "c"],
    ["a => a", ""],
    ["async => async", ""],
    ["() => a", "a"],
    ["function (a) { return a + arguments.length }", ""],
    ["() => arguments[0]", "arguments"],
    ["() => { function f() { return () => arguments } return f }", ""],
    ["function f(n) { return n && f(n - 1) }", ""],
    ["score(n) { return score(n) }", "score"],
    ["({ length: n, ...rest }, [a, , b] = defaults) => [n, rest, a, b, length]", "defaults length"],
    ["({ a: { b: [c = d] } }) => [a, b, c]", "d a b"],
    ["({ [key]: value = other }) => value", "key other"],
    ["(a, b = a, ...[c, d]) => [b, c, d]", ""],
    ["(a = b) => { var b; return a }", "b"],
    ["function f(a = () => b) { var b = a; return b }", "b"],
    ["(a,) => a", ""],
    ["({ get, set, async, of }) => [get, set, async, of]", ""],
    ["({ x = 1, y: z = x }) => z + y", "y"],
  ])("%s: %j", expectNames);
});

describe("scopes", () => {
  it.each<Case>([
    ["() => { { let a = 1; a } return a }", "a"],
    ["() => { { var a = 1 } return a }", ""],
    ["() => { if (true) { function f() {} } return f }", "f"],
    ["() => { f(); a; function f() {} let a }", ""],
    ["(xs) => xs.map(a => a) + a", "a"],
    ["(a) => { { const a = b; } }", "b"],
    ["() => { for (const i of xs) i; return i }", "xs i"],
    ["() => { for (let i = 0, n = m; i < n; i++) j; }", "m j"],
    ["() => { for (var k in o) k; return k }", "o"],
    ["() => { for (k in o); for (k of o); for (;;) break }", "k o"],
    ["() => { for (const [a, { b }] of Object.entries(c)) a + b }", "Object c"],
    ["() => { try { a } catch (e) { e } finally { e } }", "a e"],
    ["() => { try {} catch ({ message, ...rest }) { message + rest } try {} catch { message } }", "message"],
    ["(a) => { switch (a) { case b: let c = d; default: c } return c }", "d b c"],
    ["() => { a: for (;;) { b: for (;;) { continue a; break b } } }", ""],
    ["() => { a: for (;;) { break\na } }", "a"],
    ["() => { const f = function g() { return g }; return [f, g] }", "g"],
    ["() => { const { a, b: [c], ...d } = e; return [a, b, c, d] }", "e b"],
    ["() => { x = 1 }", "x"],
    ["(a) => { ({ a, b } = c); [d.e] = a }", "b c d"],
    ["() => { const a = () => b, b = 1; return a }", ""],
    ["() => { if (a) var b = 1; else { let c } return b + c }", "a c"],
    ["() => { do a\nwhile (b) c }", "a b c"],
  ])("%s: %j", expectNames);
});

describe("objects, properties and operators", () => {
  it.each<Case>([
    ["x => ({ x })", ""],
    ["x => ({ y })", "y"],
    ["x => ({ y: x, 'z': x, 1: x, [w]: x, if: x })", "w"],
    ["x => { y: x }", ""],
    ["() => ({ a() { return b }, get c() { return d }, set c(e) { e }, get: 1, set() {}, async: 2 })", "b d"],
    ["() => ({ a() { return a } })", "a"],
    ["() => ({ get [a]() { return 1 }, get 'b'() { return 1 }, get get() { return 1 } })", "a"],
    ["() => ({ ...a, b: { c } })", "a c"],
    ["a => a.b?.c?.[d]?.(e).if.class.this", "d e"],
    ["a => a ? .5 : b", "b"],
    ["a => a?.5:b", "b"],
    ["a => a ? { b: c } : { d }", "c d"],
    ["a => a ? (b) : c => d", "b d"],
    ["a => a ? (b, c) => d : (e)", "d e"],
    ["() => typeof a === 'undefined' || void b || delete c.d", "a b c"],
    ["a => 'b' in a && a instanceof C", "C"],
    ["() => new A(b).c + new D + new (e())", "A b D e"],
    ["a => (a, b)", "b"],
    ["() => (a)((b))", "a b"],
    ["a => a ?? b ?? c", "b c"],
    ["(a, f) => f(...a, ...b,)", "b"],
    ["() => { a ||= b; c **= d; ++e; f-- }", "a b c d e f"],
    ["a => { while (a --> 0) b }", "b"],
    ["() => null ?? true ?? false", ""],
    ["() => [, , a, ...b]", "a b"],
    ["() => x => y => z => x + y + z + w", "w"],
  ])("%s: %j", expectNames);
});

describe("escapes and templates", () => {
  it.each<Case>([
    ["(a) => `b ${a + `c ${d} ${{ e: '}' }.e}`} f`", "d"],
    ["(a) => tag`b ${a, c}`.d", "tag c"],
    ["() => \\u0061bc + x\\u{79}", "abc xy"],
    ["\\u0061 => a", ""],
    ["größe => größe + 1_000n", ""],
  ])("%s: %j", expectNames);
});

describe("what is refused", () => {
  it.each<[string, string]>([
    ["() => this.a", 'it uses "this"'],
    ["() => ({ a() { return super.a } })", 'it uses "super"'],
    ["function () { return new.target }", 'it uses "new.target"'],
    ["() => import('a')", 'it uses "import"'],
    ["() => import.meta", 'it uses "import"'],
    ["(a) => eval(a)", 'it uses "eval"'],
    ["(a) => \\u0065val(a)", 'it uses "eval"'],
    ["() => class { a = 1 }", "it contains a class"],
    ["() => { class A {} }", "it contains a class"],
    ["() => function* () { yield a }", "it contains a generator"],
    ["() => ({ *a() {} })", "it contains a generator"],
    ["() => async () => 1", "it contains an async function"],
    ["() => async a => a", "it contains an async function"],
    ["() => { async function a() {} }", "it contains an async function"],
    ["() => ({ async a() {} })", "it contains an async function"],
    ["function (a) { with (a) b }", "'with' in strict mode (line 1, column 16)"],
    ["a => {\n  var let = a }", "the keyword 'let' is reserved (line 2, column 7)"],
    ["a => 017", "invalid number (line 1, column 6)"],
    ["a => a b", "something stands after it (line 1, column 8)"],
    ["a => [", "unexpected token (line 1, column 7)"],
    ["(a)(b)", "it is not a function"],
    ["a + b", "it is not a function"],
    ["", "it is not a function"],
    [`() => ${"[".repeat(5000)}${"]".repeat(5000)}`, "it is nested too deeply to be checked"],
    [`() => {${"function a() {".repeat(5000)}${"}".repeat(5000)}}`, "it is nested too deeply to be checked"],
    [`() => "${"a".repeat(1_000_000)}"`, "it is too long to be checked"],
  ])("%.60s: %s", (source, problem) => {
    expect(freeNames(source, acorn)).toEqual({ problem });
  });
});

/** An expression and the names that are free in it by the way it was put together. */
interface Sample {
  readonly text: string;
  readonly free: readonly string[];
}

const name = fc.constantFrom("a", "b", "c", "get", "of", "ä");
const gap = fc.constantFrom("", " ", "\n", "/* a => ` */", " // b '\n");

const { sample } = fc.letrec<{ sample: Sample }>((tie) => {
  const inner = tie("sample");
  const without = (free: readonly string[], bound: string): string[] => free.filter((one) => one !== bound);
  return {
    sample: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      name.map((text) => ({ text, free: [text] })),
      fc.constantFrom("1", "/[/]a'/g", '"a"', "`a`", "{}.a").map((text) => ({ text: `(${text})`, free: [] })),
      fc
        .tuple(inner, inner, gap, fc.constantFrom("+", "/", "?.[0] /", ".b <", "&&", "in"))
        .map(([left, right, space, sign]) => ({
          text: `(${left.text}${space} ${sign} ${space}${right.text})`,
          free: [...left.free, ...right.free],
        })),
      fc.tuple(inner, name, gap).map(([body, bound, space]) => ({
        text: `((${space}${bound}${space}) => ${space}${body.text})`,
        free: without(body.free, bound),
      })),
      fc.tuple(inner, inner, name, name).map(([body, value, bound, key]) => ({
        text: `(function ({ ${key}: ${bound} = ${value.text} }) { var c2; return ${body.text} })`,
        free: without([...body.free, ...value.free], bound),
      })),
      fc.tuple(inner, inner, name).map(([first, after, bound]) => ({
        text: `(() => { { const ${bound} = ${first.text} } return ${after.text} })()`,
        free: [...without(first.free, bound), ...after.free],
      })),
      fc.tuple(inner, name, name).map(([value, key, short]) => ({
        text: `({ ${key}: ${value.text}, ${short}, ${key}() { return ${value.text} } })`,
        free: [...value.free, short],
      })),
      fc.tuple(inner, inner).map(([one, two]) => ({
        text: `\`a \${${one.text}} ' \${${two.text}}\``,
        free: [...one.free, ...two.free],
      })),
    ),
  };
});

it("finds the free names of any expression put together from parts", () => {
  fc.assert(
    fc.property(sample, ({ text, free }) => {
      const found = freeNames(`() => ${text}`, acorn);
      expect("names" in found ? found.names.toSorted() : found.problem).toEqual([...new Set(free)].sort());
    }),
    { numRuns: 500 },
  );
});

it("never throws, whatever the text", () => {
  const piece = fc.constantFrom(
    ..."() => { } [ ] ( ) , ; : ? = => / ` ${ ... . ?. in of let a b ' \\ \n # 0 function for(".split(" "),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 30 }),
      (pieces) => {
        freeNames(`() => ${pieces.join(" ")}`, acorn);
      },
    ),
    { numRuns: propertyRuns(2000) },
  );
});
