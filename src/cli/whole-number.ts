import { InvalidArgumentError } from "commander";

/** Reads an option that is a whole number from `least` and up. */
export function wholeNumber(least: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== "" && Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} and up.`);
  };
}
