/**
 * The program that prepares a fresh JavaScript world inside the sandbox before any source from outside is compiled:
 * it takes away clock, chance and code from text, freezes everything that two calls could share, and returns the two
 * functions through which the outside works. Nothing in it can change afterwards, so it may rely on the builtins.
 *
 * Answers are texts: `v` and JSON, `u` for undefined, `t` and what was thrown, `r` and why a result is no data, `m` for
 * too much memory.
 */
export const REALM_PROGRAM = `(() => {
const { parse, stringify } = JSON;
const { apply, construct, ownKeys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty } = Reflect;
const { freeze, keys } = Object;
const { isArray } = Array;
const { isFinite } = Number;
const sourceOf = Function.prototype.toString;
const EngineError = InternalError;
const LONGEST_MESSAGE = 500;
const DEEPEST = 100;

// No clock, and everywhere the same time zone.
const NativeDate = Date;
const dates = NativeDate.prototype;
const { parse: parseDate, UTC } = NativeDate;
const { getTimezoneOffset } = dates;
const noClock = () => { throw new TypeError("there is no clock here; give the date a value"); };
const ZONE = /(?:^[-+]?\\d+(?:-\\d\\d(?:-\\d\\d)?)?|z|utc|gmt|[-+]\\d\\d:?\\d\\d)\\s*(?:\\(.*\\))?\\s*$/i;
const parseUtc = (text) => {
  const time = parseDate(text);
  return ZONE.test(text) ? time : time - apply(getTimezoneOffset, new NativeDate(time), []) * 60000;
};
const SafeDate = function Date(...values) {
  if (new.target === undefined || values.length === 0) noClock();
  let time = values[0];
  if (values.length > 1) time = UTC(...values);
  else if (time instanceof NativeDate) time = time.getTime();
  else if (typeof time === "string") time = parseUtc(time);
  return construct(NativeDate, [time], new.target);
};
SafeDate.prototype = dates;
SafeDate.UTC = UTC;
SafeDate.parse = (text) => parseUtc(String(text));
SafeDate.now = noClock;
for (const part of ["Date", "Day", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"]) {
  dates["get" + part] = dates["getUTC" + part];
  if (part !== "Day") dates["set" + part] = dates["setUTC" + part];
}
dates.getTimezoneOffset = () => 0;
for (const name of ["toString", "toLocaleString", "toDateString", "toLocaleDateString", "toTimeString", "toLocaleTimeString"])
  dates[name] = dates.toUTCString;
delete dates.getYear;
delete dates.setYear;
dates.constructor = SafeDate;
globalThis.Date = SafeDate;

// Random numbers that follow from the seed of the call.
let seed, a, b, c, d;
const next = () => {
  const t = (a + b + d) | 0;
  d = (d + 1) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = (c << 21) | (c >>> 11);
  c = (c + t) | 0;
  return t >>> 0;
};
const start = () => {
  [a, b, c, d] = seed;
  seed = undefined;
  for (let round = 0; round < 12; round++) next();
};
Math.random = () => {
  if (seed !== undefined) start();
  return ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
};

// No code from text.
const instances = [
  function () {}, function* () {}, async function () {}, async function* () {}, () => {},
  (function* () {})(), (async function* () {})(), [].values(), "".matchAll(/a/g), ""[Symbol.iterator](),
  new Map().entries(), new Set().values(), [].values().map(() => 1), Iterator.from({ next() {} }),
  (function () { return arguments; })(),
];
const NoFunction = function Function() { throw new TypeError("code cannot be made from text here"); };
NoFunction.prototype = Function.prototype;
for (let index = 0; index < 4; index++)
  defineProperty(getPrototypeOf(instances[index]), "constructor", { value: NoFunction });
globalThis.Function = NoFunction;
for (const name of ["eval", "InternalError", "WeakRef", "FinalizationRegistry", "performance", "console"])
  delete globalThis[name];

// An object may have a key that its frozen prototype has too, as it can where nothing is frozen.
const allowOverride = (prototype) => {
  for (const key of ownKeys(prototype)) {
    const { value, configurable } = getOwnPropertyDescriptor(prototype, key);
    if (!configurable || value === undefined) continue;
    defineProperty(prototype, key, {
      get: () => value,
      set(own) {
        if (this === prototype) throw new TypeError("'" + String(key) + "' is read-only");
        defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true });
      },
    });
  }
};
for (const owner of [Object, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError])
  allowOverride(owner.prototype);
allowOverride(EngineError.prototype);

const freezeAll = (roots) => {
  const waiting = [...roots];
  const seen = new Set();
  while (waiting.length > 0) {
    const value = waiting.pop();
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
    seen.add(value);
    freeze(value);
    waiting.push(getPrototypeOf(value));
    for (const key of ownKeys(value)) {
      const property = getOwnPropertyDescriptor(value, key);
      waiting.push(property.value, property.get, property.set);
    }
  }
};

const REFUSED = {};
let refusal;
const refuse = (what) => {
  refusal = what;
  throw REFUSED;
};
const KINDS = [[Promise, "a promise"], [NativeDate, "a Date"], [Map, "a Map"], [Set, "a Set"],
  [RegExp, "a regular expression"], [Error, "an error"]];
const kindOf = (value) => {
  for (let index = 0; index < KINDS.length; index++) if (value instanceof KINDS[index][0]) return KINDS[index][1];
  return "an instance of a class";
};
const { prototype: plainObject } = Object;
const { prototype: plainArray } = Array;
const write = (value, above) => {
  switch (typeof value) {
    case "string": return stringify(value);
    case "boolean": return value ? "true" : "false";
    case "number": return isFinite(value) ? stringify(value) : refuse(String(value));
    case "object": break;
    default: return refuse("a " + typeof value);
  }
  if (value === null) return "null";
  for (let index = 0; index < above.length; index++) if (above[index] === value) refuse("something that contains itself");
  if (above.length >= DEEPEST) refuse("something nested more than " + DEEPEST + " levels deep");
  above.push(value);
  const prototype = getPrototypeOf(value);
  let text = "";
  if (isArray(value)) {
    if (prototype !== plainArray) refuse(kindOf(value));
    const { length } = value;
    for (let index = 0; index < length; index++) {
      const item = value[index];
      text += (index === 0 ? "" : ",") + (item === undefined ? "null" : write(item, above));
    }
    text = "[" + text + "]";
  } else {
    if (prototype !== plainObject && prototype !== null) refuse(kindOf(value));
    const names = keys(value);
    for (let index = 0; index < names.length; index++) {
      const item = value[names[index]];
      if (item === undefined) continue;
      text += (text === "" ? "" : ",") + stringify(names[index]) + ":" + write(item, above);
    }
    text = "{" + text + "}";
  }
  above.pop();
  return text;
};

const describe = (thrown) => {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown).slice(0, LONGEST_MESSAGE);
  } catch {
    return "something that cannot be shown";
  }
};
const answer = (thrown) => {
  const isMemory = thrown instanceof EngineError &&
    (thrown.message === "out of memory" || thrown.message === "string too long");
  return isMemory ? "m" : "t" + describe(thrown);
};

const call = (fn, text) => {
  let value;
  try {
    const values = parse(text);
    seed = values.shift();
    value = apply(fn, undefined, values);
  } catch (thrown) {
    return answer(thrown);
  }
  if (value === undefined) return "u";
  try {
    return "v" + write(value, []);
  } catch (thrown) {
    return thrown === REFUSED ? "r" + refusal : answer(thrown);
  }
};

// Says how a value is written, if it is a plain function, and keeps it from remembering anything.
const admit = (fn) => {
  if (typeof fn !== "function") return "";
  const text = apply(sourceOf, fn, []);
  if (getPrototypeOf(fn) !== Function.prototype || text.startsWith("class")) return "";
  freeze(fn);
  if (fn.prototype !== undefined) freeze(fn.prototype);
  return text;
};

freezeAll([globalThis, ...instances, call, admit]);
return [call, admit];
})()`;
