/** The JavaScript of these functions and of those that they use, each after what it needs. */
export function helperCode(used: Iterable<string>): readonly string[] {
  const needed = new Set<string>();
  const add = (name: string): void => {
    const code = HELPERS.get(name);
    if (code === undefined || needed.has(code)) return;
    for (const [, other = ""] of code.matchAll(/(?:\.{3}|(?<![.\w]))(\w+)\(/g))
      if (other !== name) add(other);
    needed.add(code);
  };
  for (const name of used) add(name);
  return [...needed].flatMap((code) => code.split("\n"));
}

/**
 * Python's operators as small functions of the sandbox: a missing key raises, empty lists are false, texts and numbers have
 * no order, the sign of a remainder is that of the divisor. `lazy` is a loop in round brackets, which Python computes item by
 * item: `any` and `all` may never come to its end.
 */
const HELPERS: ReadonlyMap<string, string> = new Map(
  String.raw`
const raise = (reason) => { throw new Error(reason); };
const truthy = (x) => Array.isArray(x) ? x.length > 0 : typeof x === 'object' && x !== null ? Object.keys(x).length > 0 : Boolean(x);
const both = (a, b) => truthy(a) ? b() : a;
const either = (a, b) => truthy(a) ? a : b();
const number = (x) => typeof x === 'number' ? x : typeof x === 'boolean' ? Number(x) : raise('a number is needed');
const text = (x) => typeof x === 'string' ? x : raise('a text is needed');
const items = (x) => Array.isArray(x) ? x : typeof x === 'string' ? [...x] : typeof x !== 'object' || x === null ? raise('a list is needed') : typeof x.next === 'function' ? x : Object.keys(x);
const lazy = function* (list, keep, each) { for (const x of list) if (keep(x)) yield each(x); };
const dict = (x) => typeof x === 'object' && x !== null && !Array.isArray(x) ? x : raise('a dict is needed');
const key = (x) => typeof x === 'string' ? x : raise('keys are texts');
const stated = (fields) => Object.fromEntries(Object.entries(fields ?? {}).filter(([, x]) => x !== null));
const nodeResults = (nodes) => Object.fromEntries(Object.entries(nodes).map(([node, { verifyResult, parsed }]) => [node, { verify_result: verifyResult, parsed: stated(parsed), rubric: {} }]));
const at = (x, k) => {
  if (typeof x === 'object' && x !== null && !Array.isArray(x)) return typeof k === 'string' && Object.hasOwn(x, k) ? x[k] : raise('no such key');
  const list = typeof x === 'string' ? [...x] : Array.isArray(x) ? x : raise('it has no items');
  const index = typeof k === 'boolean' ? Number(k) : Number.isInteger(k) ? k : raise('an index is a whole number');
  return list.at(index) === undefined || index < -list.length ? raise('no such item') : list.at(index);
};
const get = (x, k, other) => Object.hasOwn(dict(x), k) ? x[k] : other;
const equal = (a, b) => {
  const x = typeof a === 'boolean' ? Number(a) : a, y = typeof b === 'boolean' ? Number(b) : b;
  if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) return x === y;
  if (Array.isArray(x) !== Array.isArray(y)) return false;
  const keys = Object.keys(x);
  return keys.length === Object.keys(y).length && keys.every((k) => Object.hasOwn(y, k) && equal(x[k], y[k]));
};
const order = (a, b) => {
  if (typeof a === 'string' && typeof b === 'string') {
    const x = [...a], y = [...b], i = x.findIndex((c, n) => c !== y[n]);
    return i === -1 ? x.length - y.length : i >= y.length ? 1 : x[i].codePointAt(0) - y[i].codePointAt(0);
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return number(a) - number(b);
  const i = a.findIndex((x, n) => n >= b.length || !equal(x, b[n]));
  return i === -1 || i >= b.length ? a.length - b.length : order(a[i], b[i]);
};
const contains = (container, x) => {
  if (typeof container === 'string') return container.includes(text(x));
  for (const y of items(container)) if (equal(x, y)) return true;
  return false;
};
const add = (a, b) => Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : typeof a === 'string' && typeof b === 'string' ? a + b : number(a) + number(b);
const subtract = (a, b) => number(a) - number(b);
const multiply = (a, b) => {
  const [many, times] = typeof b === 'string' || Array.isArray(b) ? [b, a] : [a, b];
  if (typeof many !== 'string' && !Array.isArray(many)) return number(a) * number(b);
  const count = Number.isInteger(number(times)) ? Math.max(0, number(times)) : raise('a whole number is needed');
  return typeof many === 'string' ? many.repeat(count) : Array(count).fill(many).flat();
};
const divide = (a, b) => number(b) === 0 ? raise('division by zero') : number(a) / number(b);
const remainder = (a, b) => {
  const left = number(b) === 0 ? raise('division by zero') : number(a) % number(b);
  return left !== 0 && left < 0 !== number(b) < 0 ? left + number(b) : left;
};
const merge = (a, b) => ({ ...dict(a), ...dict(b) });
const signed = (sign, x) => sign === '-' ? -number(x) : number(x);
const length = (x) => items(x).length;
const sum = (x) => [...items(x)].reduce((total, y) => total + number(y), 0);
const any = (x) => { for (const y of items(x)) if (truthy(y)) return true; return false; };
const all = (x) => { for (const y of items(x)) if (!truthy(y)) return false; return true; };
const some = (x) => { const list = [...items(x)]; return list.length > 0 ? list : raise('nothing to compare'); };
const least = (x) => some(x).reduce((a, b) => order(b, a) < 0 ? b : a);
const greatest = (x) => some(x).reduce((a, b) => order(b, a) > 0 ? b : a);
const lower = (x) => text(x).toLowerCase();
const upper = (x) => text(x).toUpperCase();
const strip = (x) => {
  const list = [...text(x)], isSpace = (c) => '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'.includes(c);
  const first = list.findIndex((c) => !isSpace(c));
  return first === -1 ? '' : list.slice(first, list.findLastIndex((c) => !isSpace(c)) + 1).join('');
};
const startswith = (x, ...starts) => starts.some((y) => text(x).startsWith(text(y)));
const endswith = (x, ...ends) => ends.some((y) => text(x).endsWith(text(y)));`
    .trim()
    .split(/\n(?=const )/)
    .map((code) => [code.slice("const ".length, code.indexOf(" =")), code]),
);
