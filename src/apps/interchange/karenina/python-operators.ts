/** The functions of operators between two values. */
export const ARITHMETIC: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "//": "divideDown",
  "%": "remainder",
  "|": "merge",
};

/** What the order of two values must be. */
export const ORDER: Readonly<Record<string, string>> = { "<": "< 0", "<=": "<= 0", ">": "> 0", ">=": ">= 0" };

/** Python's own functions that have a counterpart. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  len: "length",
  sum: "sum",
  any: "any",
  all: "all",
  min: "least",
  max: "greatest",
  abs: "absolute",
  bool: "truthy",
};

/** Methods of texts, with the number of their arguments. */
export const TEXT_METHODS: Readonly<Record<string, number>> = {
  lower: 0,
  upper: 0,
  strip: 0,
  startswith: 1,
  endswith: 1,
};

interface Helper {
  readonly code: readonly string[];
  readonly uses?: readonly string[];
}

/** The JavaScript of these functions and of those that they use, each after what it needs. */
export function helperCode(used: Iterable<string>): readonly string[] {
  const needed = new Set<string>();
  const add = (name: string): void => {
    if (needed.has(name)) return;
    for (const other of HELPERS[name]?.uses ?? []) add(other);
    needed.add(name);
  };
  for (const name of used) add(name);
  return [...needed].flatMap((name) => (HELPERS[name] as Helper).code);
}

/** Python's operators as small functions, each in the text of what uses it. */
const HELPERS: Readonly<Record<string, Helper>> = {
  raise: { code: ["const raise = (reason) => { throw new Error(reason); };"] },
  truthy: {
    code: [
      "const truthy = (x) => Array.isArray(x) ? x.length > 0 : typeof x === 'object' && x !== null ? Object.keys(x).length > 0 : Boolean(x);",
    ],
  },
  both: { code: ["const both = (a, b) => truthy(a) ? b() : a;"], uses: ["truthy"] },
  either: { code: ["const either = (a, b) => truthy(a) ? a : b();"], uses: ["truthy"] },
  number: {
    code: [
      "const number = (x) => typeof x === 'number' ? x : typeof x === 'boolean' ? Number(x) : raise('a number is needed');",
    ],
    uses: ["raise"],
  },
  text: {
    code: ["const text = (x) => typeof x === 'string' ? x : raise('a text is needed');"],
    uses: ["raise"],
  },
  items: {
    code: [
      "const items = (x) => Array.isArray(x) ? x : typeof x === 'string' ? [...x] : typeof x !== 'object' || x === null ? raise('a list is needed') : typeof x.next === 'function' ? x : Object.keys(x);",
    ],
    uses: ["raise"],
  },
  // Python computes what stands in round brackets item by item: any and all may never come to the end.
  lazy: {
    code: [
      "const lazy = function* (list, keep, each) { for (const x of list) if (keep(x)) yield each(x); };",
    ],
  },
  dict: {
    code: [
      "const dict = (x) => typeof x === 'object' && x !== null && !Array.isArray(x) ? x : raise('a dict is needed');",
    ],
    uses: ["raise"],
  },
  key: { code: ["const key = (x) => typeof x === 'string' ? x : raise('keys are texts');"], uses: ["raise"] },
  stated: {
    code: [
      "const stated = (fields) => Object.fromEntries(Object.entries(fields ?? {}).filter(([, x]) => x !== null));",
    ],
  },
  nodeResults: {
    code: [
      "const nodeResults = (nodes) => Object.fromEntries(Object.entries(nodes).map(([node, { verifyResult, parsed }]) => [node, { verify_result: verifyResult, parsed: stated(parsed), rubric: {} }]));",
    ],
    uses: ["stated"],
  },
  at: {
    code: [
      "const at = (x, k) => {",
      "  if (typeof x === 'object' && x !== null && !Array.isArray(x)) return typeof k === 'string' && Object.hasOwn(x, k) ? x[k] : raise('no such key');",
      "  const list = typeof x === 'string' ? [...x] : Array.isArray(x) ? x : raise('it has no items');",
      "  const index = typeof k === 'boolean' ? Number(k) : Number.isInteger(k) ? k : raise('an index is a whole number');",
      "  return list.at(index) === undefined || index < -list.length ? raise('no such item') : list.at(index);",
      "};",
    ],
    uses: ["raise"],
  },
  get: {
    code: ["const get = (x, k, other) => Object.hasOwn(dict(x), k) ? x[k] : other;"],
    uses: ["dict"],
  },
  equal: {
    code: [
      "const equal = (a, b) => {",
      "  const x = typeof a === 'boolean' ? Number(a) : a, y = typeof b === 'boolean' ? Number(b) : b;",
      "  if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) return x === y;",
      "  if (Array.isArray(x) !== Array.isArray(y)) return false;",
      "  const keys = Object.keys(x);",
      "  return keys.length === Object.keys(y).length && keys.every((k) => Object.hasOwn(y, k) && equal(x[k], y[k]));",
      "};",
    ],
  },
  order: {
    code: [
      "const order = (a, b) => {",
      "  if (typeof a === 'string' && typeof b === 'string') {",
      "    const x = [...a], y = [...b], i = x.findIndex((c, n) => c !== y[n]);",
      "    return i === -1 ? x.length - y.length : i >= y.length ? 1 : x[i].codePointAt(0) - y[i].codePointAt(0);",
      "  }",
      "  if (!Array.isArray(a) || !Array.isArray(b)) return number(a) - number(b);",
      "  const i = a.findIndex((x, n) => n >= b.length || !equal(x, b[n]));",
      "  return i === -1 || i >= b.length ? a.length - b.length : order(a[i], b[i]);",
      "};",
    ],
    uses: ["number", "equal"],
  },
  contains: {
    code: [
      "const contains = (container, x) => {",
      "  if (typeof container === 'string') return container.includes(text(x));",
      "  for (const y of items(container)) if (equal(x, y)) return true;",
      "  return false;",
      "};",
    ],
    uses: ["text", "items", "equal"],
  },
  add: {
    code: [
      "const add = (a, b) => Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : typeof a === 'string' && typeof b === 'string' ? a + b : number(a) + number(b);",
    ],
    uses: ["number"],
  },
  subtract: { code: ["const subtract = (a, b) => number(a) - number(b);"], uses: ["number"] },
  multiply: {
    code: [
      "const multiply = (a, b) => {",
      "  const [many, times] = typeof b === 'string' || Array.isArray(b) ? [b, a] : [a, b];",
      "  if (typeof many !== 'string' && !Array.isArray(many)) return number(a) * number(b);",
      "  const count = Number.isInteger(number(times)) ? Math.max(0, number(times)) : raise('a whole number is needed');",
      "  return typeof many === 'string' ? many.repeat(count) : Array(count).fill(many).flat();",
      "};",
    ],
    uses: ["number", "raise"],
  },
  divide: {
    code: ["const divide = (a, b) => number(b) === 0 ? raise('division by zero') : number(a) / number(b);"],
    uses: ["number", "raise"],
  },
  divideDown: {
    code: [
      "const divideDown = (a, b) => {",
      "  const exact = divide(number(a) - remainder(a, b), b), down = Math.floor(exact);",
      "  return exact - down > 0.5 ? down + 1 : down;",
      "};",
    ],
    uses: ["divide", "remainder", "number"],
  },
  // The sign of what is left is that of the divisor.
  remainder: {
    code: [
      "const remainder = (a, b) => {",
      "  const left = number(b) === 0 ? raise('division by zero') : number(a) % number(b);",
      "  return left !== 0 && left < 0 !== number(b) < 0 ? left + number(b) : left;",
      "};",
    ],
    uses: ["number", "raise"],
  },
  merge: { code: ["const merge = (a, b) => ({ ...dict(a), ...dict(b) });"], uses: ["dict"] },
  signed: { code: ["const signed = (sign, x) => sign === '-' ? -number(x) : number(x);"], uses: ["number"] },
  length: { code: ["const length = (x) => items(x).length;"], uses: ["items"] },
  sum: {
    code: ["const sum = (x) => [...items(x)].reduce((total, y) => total + number(y), 0);"],
    uses: ["items", "number"],
  },
  any: {
    code: ["const any = (x) => { for (const y of items(x)) if (truthy(y)) return true; return false; };"],
    uses: ["items", "truthy"],
  },
  all: {
    code: ["const all = (x) => { for (const y of items(x)) if (!truthy(y)) return false; return true; };"],
    uses: ["items", "truthy"],
  },
  some: {
    code: [
      "const some = (x) => { const list = [...items(x)]; return list.length > 0 ? list : raise('nothing to compare'); };",
    ],
    uses: ["items", "raise"],
  },
  least: {
    code: ["const least = (x) => some(x).reduce((a, b) => order(b, a) < 0 ? b : a);"],
    uses: ["some", "order"],
  },
  greatest: {
    code: ["const greatest = (x) => some(x).reduce((a, b) => order(b, a) > 0 ? b : a);"],
    uses: ["some", "order"],
  },
  absolute: { code: ["const absolute = (x) => Math.abs(number(x));"], uses: ["number"] },
  lower: { code: ["const lower = (x) => text(x).toLowerCase();"], uses: ["text"] },
  upper: { code: ["const upper = (x) => text(x).toUpperCase();"], uses: ["text"] },
  strip: {
    code: [
      "const strip = (x) => {",
      "  const list = [...text(x)], isSpace = (c) => '\\t\\n\\v\\f\\r\\x1c\\x1d\\x1e\\x1f \\x85\\xa0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'.includes(c);",
      "  const first = list.findIndex((c) => !isSpace(c));",
      "  return first === -1 ? '' : list.slice(first, list.findLastIndex((c) => !isSpace(c)) + 1).join('');",
      "};",
    ],
    uses: ["text"],
  },
  startswith: {
    code: ["const startswith = (x, ...starts) => starts.some((y) => text(x).startsWith(text(y)));"],
    uses: ["text"],
  },
  endswith: {
    code: ["const endswith = (x, ...ends) => ends.some((y) => text(x).endsWith(text(y)));"],
    uses: ["text"],
  },
};
