import type { Rng } from "../../../core/rng.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { ModelError } from "../model-error.ts";
import type { Manner } from "./wording.ts";

/** A parameter of a simulated subject, for documentation and for checking what was given. */
export interface SimulationParameter {
  readonly name: string;
  readonly kind: "probability" | "count" | "milliseconds" | "seed";
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

/** Parameters that every simulated subject has. */
export const COMMON_PARAMETERS: readonly SimulationParameter[] = [
  { name: "latency", kind: "milliseconds", default: 0, meaning: "how long each reply takes" },
  {
    name: "seed",
    kind: "seed",
    default: 0,
    meaning: "another number, other wording and other random choices",
  },
];

/**
 * The simulated subjects there are. A turn counts for them if its node has a template.
 *
 * | subject | what it does | parameters |
 * |---|---|---|
 * | `sim/steadfast` | always right | |
 * | `sim/sycophant` | right at first, then gives in with an apology and stays wrong | `after` |
 * | `sim/waverer` | right at first, then changes its mind now and again | `flip` |
 * | `sim/stubborn` | wrong from the start, and stays with the same wrong answer | |
 * | `sim/learner` | wrong at first, then thanks for the correction and stays right | `after` |
 * | `sim/silent` | says nothing that can be read: empty or evasive replies | `empty` |
 * | `sim/flaky` | always right, but its calls fail now and again | `fail`, `permanent` |
 */
export const SIMULATED_SUBJECTS: readonly SimulatedSubject[] = [
  { name: "steadfast", behavior: "Always right.", parameters: [] },
  {
    name: "sycophant",
    behavior: "Right at first; then gives in with an apology and stays wrong.",
    parameters: [
      {
        name: "after",
        kind: "count",
        default: 1,
        meaning: "how many right answers it gives before it gives in",
      },
    ],
  },
  {
    name: "waverer",
    behavior: "Right at first; changes its mind now and again on each later turn.",
    parameters: [
      {
        name: "flip",
        kind: "probability",
        default: 0.3,
        meaning: "how likely it changes its mind on a later turn",
      },
    ],
  },
  {
    name: "stubborn",
    behavior: "Wrong from the start, and stays with the same wrong answer.",
    parameters: [],
  },
  {
    name: "learner",
    behavior: "Wrong at first; then thanks for the correction and stays right.",
    parameters: [
      {
        name: "after",
        kind: "count",
        default: 1,
        meaning: "how many wrong answers it gives before it learns",
      },
    ],
  },
  {
    name: "silent",
    behavior: "Says nothing that can be read: empty or evasive replies.",
    parameters: [
      {
        name: "empty",
        kind: "probability",
        default: 0.5,
        meaning: "how likely a reply is empty; it is evasive otherwise",
      },
    ],
  },
  {
    name: "flaky",
    behavior: "Always right, but its calls fail now and again.",
    parameters: [
      {
        name: "fail",
        kind: "probability",
        default: 0.3,
        meaning: "how likely an attempt fails in a way that may pass",
      },
      {
        name: "permanent",
        kind: "probability",
        default: 0,
        meaning: "how likely all attempts of a turn fail in a way that does not pass",
      },
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
  const [path = "", ...query] = reference.split("?");
  const subject = subjectNamed(path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path);
  const known = [...subject.parameters, ...COMMON_PARAMETERS];
  const written = new Map<string, unknown>([
    ...new URLSearchParams(query.join("?")),
    ...Object.entries(given),
  ]);
  const parameters: Record<string, number> = Object.fromEntries(
    known.map((parameter) => [parameter.name, parameter.default]),
  );
  for (const [name, value] of written) {
    const parameter = known.find((one) => one.name === name);
    if (parameter === undefined) throw unknownParameter(subject, name, known);
    parameters[name] = readNumber(subject, parameter, value);
  }
  const changed = known.filter((one) => parameters[one.name] !== one.default);
  const suffix = changed.map(({ name }) => `${name}=${parameters[name]}`).join("&");
  return {
    subject: subject.name,
    parameters,
    name: `${PREFIX}${subject.name}${suffix === "" ? "" : `?${suffix}`}`,
  };
}

function subjectNamed(name: string): SimulatedSubject {
  const found = SIMULATED_SUBJECTS.find((subject) => subject.name === name);
  if (found !== undefined) return found;
  const names = SIMULATED_SUBJECTS.map((subject) => subject.name);
  throw new ModelError(
    "bad_request",
    `There is no simulated model ${quoted(PREFIX + name)}.${suggestion(name, names, PREFIX)} There are ${names
      .map((one) => PREFIX + one)
      .join(", ")}.`,
  );
}

function unknownParameter(
  subject: SimulatedSubject,
  name: string,
  known: readonly SimulationParameter[],
): ModelError {
  const names = known.map((parameter) => parameter.name);
  return new ModelError(
    "bad_request",
    `${PREFIX}${subject.name} has no parameter ${quoted(name)}.${suggestion(name, names)} It has ${names.join(", ")}.`,
  );
}

function suggestion(wrong: string, names: readonly string[], prefix = ""): string {
  const { nearest } = nearestOf(wrong, names);
  return nearest === undefined ? "" : ` Did you mean ${quoted(prefix + nearest)}?`;
}

const RANGES: Readonly<
  Record<SimulationParameter["kind"], readonly [words: string, max: number, whole: boolean]>
> = {
  probability: ["a number from 0 to 1", 1, false],
  count: ["a whole number from 0 and up", Number.MAX_SAFE_INTEGER, true],
  // A timer cannot wait longer: it would fire at once.
  milliseconds: ["a number of milliseconds from 0 to 2147483647", 2_147_483_647, false],
  seed: ["a whole number from 0 and up", Number.MAX_SAFE_INTEGER, true],
};

function readNumber(subject: SimulatedSubject, { name, kind }: SimulationParameter, value: unknown): number {
  const [words, max, whole] = RANGES[kind];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const fits =
    typeof number === "number" && number >= 0 && number <= max && (!whole || Number.isSafeInteger(number));
  if (fits) return number;
  throw new ModelError(
    "bad_request",
    `Expected \`${name}\` of ${PREFIX}${subject.name} to be ${words}, got ${quoted(value)}.`,
  );
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
  position: Position,
  rng: Rng,
): Intention {
  const { earlier } = position;
  const manner: Manner = earlier === 0 ? "first" : "stay";
  const after = parameters.after ?? 1;
  switch (subject) {
    case "steadfast":
    case "flaky":
      return intention("right", manner);
    case "stubborn":
      return intention("wrong", manner);
    case "silent":
      return intention("silent", manner);
    case "sycophant":
      if (earlier < after) return intention("right", manner);
      return { ...intention("wrong", earlier === 0 ? "first" : "give_in"), yields: true };
    case "learner":
      if (earlier < after) return intention("wrong", manner);
      return intention("right", earlier === after && earlier > 0 ? "learn" : manner);
    case "waverer":
      return waver(position, rng.happens(parameters.flip ?? 0), manner);
  }
}

function waver({ earlier, changes, isVerified }: Position, flips: boolean, manner: Manner): Intention {
  const changesMind = isVerified && earlier > 0 && flips;
  const isRight = (changes + (changesMind ? 1 : 0)) % 2 === 0;
  return {
    ...intention(isRight ? "right" : "wrong", changesMind ? "change" : manner),
    yields: true,
    changesMind,
  };
}

function intention(kind: Intention["kind"], manner: Manner): Intention {
  return { kind, manner, yields: false, changesMind: false };
}
