import type { Rng } from "../../../core/rng.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { ModelError } from "../model-error.ts";
import type { Manner } from "./wording.ts";

/** A parameter of a simulated subject, for documentation and for checking what was given. */
export interface SimulationParameter {
  readonly name: string;
  readonly kind: "probability" | "count" | "milliseconds";
  readonly default: number;
  readonly meaning: string;
}

/** A part that a simulated subject plays. */
export interface SimulatedSubject {
  readonly name: SimulationName;
  /** What it does, in a sentence. */
  readonly behavior: string;
  /** Those of its own; every subject also has the ones in `COMMON_PARAMETERS`. */
  readonly parameters: readonly SimulationParameter[];
}

/** The names of the parts; a model is `sim/` and one of them. */
export type SimulationName =
  | "steadfast"
  | "sycophant"
  | "waverer"
  | "stubborn"
  | "learner"
  | "silent"
  | "flaky";

function probability(name: string, usual: number, meaning: string): SimulationParameter {
  return { name, kind: "probability", default: usual, meaning };
}

function count(name: string, usual: number, meaning: string): SimulationParameter {
  return { name, kind: "count", default: usual, meaning };
}

/** Parameters that every simulated subject has. */
export const COMMON_PARAMETERS: readonly SimulationParameter[] = [
  { name: "latency", kind: "milliseconds", default: 0, meaning: "how long each reply takes" },
  count("seed", 0, "another number, other wording and other random choices"),
];

/** The simulated subjects there are. A turn counts for them if its node has a template. */
export const SIMULATED_SUBJECTS: readonly SimulatedSubject[] = [
  { name: "steadfast", behavior: "Always right.", parameters: [] },
  {
    name: "sycophant",
    behavior: "Right at first; then gives in with an apology and stays wrong.",
    parameters: [count("after", 1, "how many right answers it gives before it gives in")],
  },
  {
    name: "waverer",
    behavior: "Right at first; changes its mind now and again on each later turn.",
    parameters: [probability("flip", 0.3, "how likely it changes its mind on a later turn")],
  },
  {
    name: "stubborn",
    behavior: "Wrong from the start, and stays with the same wrong answer.",
    parameters: [],
  },
  {
    name: "learner",
    behavior: "Wrong at first; then thanks for the correction and stays right.",
    parameters: [count("after", 1, "how many wrong answers it gives before it learns")],
  },
  {
    name: "silent",
    behavior: "Says nothing that can be read: empty or evasive replies.",
    parameters: [probability("empty", 0.5, "how likely a reply is empty; it is evasive otherwise")],
  },
  {
    name: "flaky",
    behavior: "Always right, but its calls fail now and again.",
    parameters: [
      probability("fail", 0.3, "how likely an attempt fails in a way that may pass"),
      probability("permanent", 0, "how likely all attempts of a turn fail in a way that does not pass"),
    ],
  },
];

/** A simulated subject with its parameters. */
export interface SimulationSettings {
  readonly subject: SimulationName;
  /** Every parameter that the subject has, defaults included. */
  readonly parameters: Readonly<Record<string, number>>;
  /** The reference in its canonical form: `sim/waverer?flip=0.5`. */
  readonly name: string;
}

const PREFIX = "sim/";

/** Reads `sim/waverer?flip=0.3`; parameters given as an object win over those of the query. */
export function simulationSettings(reference: string, given: JsonObject = {}): SimulationSettings {
  const [, path = "", query = ""] = /^(?:sim\/)?([^?]*)\??(.*)$/s.exec(reference) ?? [];
  const subject = SIMULATED_SUBJECTS.find(({ name }) => name === path);
  if (subject === undefined) {
    const names = SIMULATED_SUBJECTS.map(({ name }) => PREFIX + name);
    throw refused(
      `There is no simulated model ${quoted(PREFIX + path)}.${suggestion(PREFIX + path, names)} There are ${names.join(", ")}.`,
    );
  }
  const known = [...subject.parameters, ...COMMON_PARAMETERS];
  const parameters = Object.fromEntries(known.map((parameter) => [parameter.name, parameter.default]));
  for (const [name, value] of [...new URLSearchParams(query), ...Object.entries(given)]) {
    const parameter = known.find((one) => one.name === name);
    if (parameter === undefined) {
      const names = known.map((one) => one.name);
      throw refused(
        `${PREFIX}${path} has no parameter ${quoted(name)}.${suggestion(name, names)} It has ${names.join(", ")}.`,
      );
    }
    parameters[name] = readNumber(parameter, value, path);
  }
  const changed = known.filter((one) => parameters[one.name] !== one.default);
  const suffix = changed.map(({ name }) => `${name}=${parameters[name]}`).join("&");
  return { subject: subject.name, parameters, name: `${PREFIX}${path}${suffix === "" ? "" : `?${suffix}`}` };
}

function refused(sentence: string): ModelError {
  return new ModelError("bad_request", sentence);
}

function suggestion(wrong: string, names: readonly string[]): string {
  const { nearest } = nearestOf(wrong, names);
  return nearest === undefined ? "" : ` Did you mean ${quoted(nearest)}?`;
}

const RANGES: Readonly<Record<SimulationParameter["kind"], readonly [words: string, max: number]>> = {
  probability: ["a number from 0 to 1", 1],
  count: ["a whole number from 0 and up", Number.MAX_SAFE_INTEGER],
  // A timer cannot wait longer: it would fire at once.
  milliseconds: ["a number of milliseconds from 0 to 2147483647", 2_147_483_647],
};

function readNumber({ name, kind }: SimulationParameter, value: unknown, subject: string): number {
  const [words, max] = RANGES[kind];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const isInRange = typeof number === "number" && number >= 0 && number <= max;
  if (isInRange && (kind !== "count" || Number.isSafeInteger(number))) return number;
  throw refused(`Expected \`${name}\` of ${PREFIX}${subject} to be ${words}, got ${quoted(value)}.`);
}

/** Shortened: the value may be a whole file, given by mistake. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** The position of a turn in its conversation. */
export interface Position {
  /** How many earlier turns have a node with a template. */
  readonly earlier: number;
  /** How often it has changed its mind. */
  readonly changes: number;
  /** False if nothing verifies the reply: on such a turn the subject does not change its mind. */
  readonly isVerified: boolean;
}

/** What a subject is about to do. */
export interface Intention {
  readonly kind: "right" | "wrong" | "silent";
  readonly manner: Manner;
  /** True if its wrong answer is the one that a challenger proposes. */
  readonly yields: boolean;
  /** True if it changes its mind now. */
  readonly changesMind: boolean;
}

/** What a subject does at a position; `rng` is seeded for this turn alone. */
export function behaviorAt(
  { subject, parameters }: SimulationSettings,
  { earlier, changes, isVerified }: Position,
  rng: Rng,
): Intention {
  const manner: Manner = earlier === 0 ? "first" : "stay";
  const { after = 1, flip = 0 } = parameters;
  const plain = { manner, yields: false, changesMind: false } as const;
  switch (subject) {
    case "steadfast":
    case "flaky":
      return { ...plain, kind: "right" };
    case "stubborn":
      return { ...plain, kind: "wrong" };
    case "silent":
      return { ...plain, kind: "silent" };
    case "sycophant":
      if (earlier < after) return { ...plain, kind: "right" };
      return { ...plain, kind: "wrong", manner: earlier === 0 ? "first" : "give_in", yields: true };
    case "learner":
      if (earlier < after) return { ...plain, kind: "wrong" };
      return { ...plain, kind: "right", manner: earlier === after && earlier > 0 ? "learn" : manner };
    case "waverer": {
      const changesMind = rng.happens(flip) && isVerified && earlier > 0;
      const isRight = (changes + Number(changesMind)) % 2 === 0;
      const spoken = changesMind ? "change" : manner;
      return { kind: isRight ? "right" : "wrong", manner: spoken, yields: true, changesMind };
    }
  }
}
