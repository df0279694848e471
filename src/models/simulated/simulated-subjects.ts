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
  { name: "seed", kind: "seed", default: 0, meaning: "another number, other wording and other chances" },
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
