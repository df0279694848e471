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
      "const items = (x) => Array.isArray(x) ? x : typeof x === 'string' ? [...x] : typeof x === 'object' && x !== null ? Object.keys(x) : raise('a list is needed');",
    ],
    uses: ["raise"],
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
      "const nodeResults = (nodes) => Object.fromEntries(Object.entries(nodes).map(([node, { verifyResult, parsed }]) => [node, { verify_result: verifyResult, parsed: stated(parsed) }]));",
    ],
    uses: ["stated"],
  },
  at: {
    code: [
      "const at = (x, k) => {",
      "  if (typeof x === 'object' && x !== null && !Array.isArray(x)) return typeof k === 'string' && Object.hasOwn(x, k) ? x[k] : raise('no such key');",
      "  const list = typeof x === 'string' ? [...x] : Array.isArray(x) ? x : raise('it has no items');",
      "  const index = Number.isInteger(k) ? k : raise('an index is a whole number');",
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
      "  return number(a) - number(b);",
      "};",
    ],
    uses: ["number"],
  },
  contains: {
    code: [
      "const contains = (container, x) => typeof container === 'string' ? container.includes(text(x)) : items(container).some((y) => equal(x, y));",
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
  divideDown: { code: ["const divideDown = (a, b) => Math.floor(divide(a, b));"], uses: ["divide"] },
  remainder: {
    code: ["const remainder = (a, b) => number(a) - number(b) * divideDown(a, b);"],
    uses: ["number", "divideDown"],
  },
  merge: { code: ["const merge = (a, b) => ({ ...dict(a), ...dict(b) });"], uses: ["dict"] },
  signed: { code: ["const signed = (sign, x) => sign === '-' ? -number(x) : number(x);"], uses: ["number"] },
  length: { code: ["const length = (x) => items(x).length;"], uses: ["items"] },
  sum: {
    code: ["const sum = (x) => items(x).reduce((total, y) => total + number(y), 0);"],
    uses: ["items", "number"],
  },
  any: { code: ["const any = (x) => items(x).some(truthy);"], uses: ["items", "truthy"] },
  all: { code: ["const all = (x) => items(x).every(truthy);"], uses: ["items", "truthy"] },
  least: {
    code: [
      "const least = (x) => items(x).length === 0 ? raise('nothing to compare') : items(x).reduce((a, b) => order(b, a) < 0 ? b : a);",
    ],
    uses: ["items", "order", "raise"],
  },
  greatest: {
    code: [
      "const greatest = (x) => items(x).length === 0 ? raise('nothing to compare') : items(x).reduce((a, b) => order(b, a) > 0 ? b : a);",
    ],
    uses: ["items", "order", "raise"],
  },
  absolute: { code: ["const absolute = (x) => Math.abs(number(x));"], uses: ["number"] },
  lower: { code: ["const lower = (x) => text(x).toLowerCase();"], uses: ["text"] },
  upper: { code: ["const upper = (x) => text(x).toUpperCase();"], uses: ["text"] },
  strip: { code: ["const strip = (x) => text(x).trim();"], uses: ["text"] },
  startswith: { code: ["const startswith = (x, y) => text(x).startsWith(text(y));"], uses: ["text"] },
  endswith: { code: ["const endswith = (x, y) => text(x).endsWith(text(y));"], uses: ["text"] },
};
