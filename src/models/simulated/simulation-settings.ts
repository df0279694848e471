import { nearestOf } from "../../core/schema/nearest-name.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { ModelError } from "../model-error.ts";
import {
  COMMON_PARAMETERS,
  SIMULATED_SUBJECTS,
  type SimulatedSubject,
  type SimulationName,
  type SimulationParameter,
} from "./simulated-subjects.ts";

/** Which part is played, and with which parameters. */
export interface SimulationSettings {
  readonly subject: SimulationName;
  /** Every parameter that the subject has, defaults included. */
  readonly parameters: Readonly<Record<string, number>>;
  /** What was asked for, in one way of writing: `sim/waverer?flip=0.5`. */
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

/** Shortened, so that a whole file given by mistake does not fill the report. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
