import { type Command, InvalidArgumentError, Option } from "commander";
import type { Terminal } from "../../system/terminal/terminal.ts";

/** How a command ends: success, a threshold was missed, the user must fix something, interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

/** The signals that stop a process: Ctrl-C, `kill`, and a closed terminal. */
export const STOP_SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** True if the value of the variable `CI` means a CI. */
export function isCi(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}

/** What every command is declared with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Runs the action of a command; its result becomes the exit code. */
  readonly execute: (action: () => Promise<ExitCode>) => Promise<void>;
}

/** Declares a command of the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** A flag, in the syntax of commander. `Name` and `Value` say what a command gets. */
export interface Flag<Name extends string = string, Value = unknown> {
  readonly syntax: string;
  readonly about: string;
  // A method, so that flags of all types are flags.
  parse?(text: string, before: Value | undefined): Value;
  readonly initial?: Value;
  readonly choices?: readonly Value[];
  /** The heading in the help of the command. */
  readonly group?: string;
  readonly isMandatory?: boolean;
  /** For the compiler only. */
  readonly "~name"?: Name;
  readonly "~value"?: Value;
}

type Word<Text extends string> = Text extends `${infer First} ${string}` ? First : Text;
type Long<Syntax extends string> = Syntax extends `${string}--${infer Rest}` ? Word<Rest> : never;
type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;
type FlagName<Syntax extends string> =
  Long<Syntax> extends `no-${infer Name}` ? Camel<Name> : Camel<Long<Syntax>>;
type FlagValue<Syntax extends string> = Syntax extends `${string}<${string}` ? string | undefined : boolean;

type FlagParts<Value> = Omit<Flag<string, Value>, "syntax" | "about" | "~name" | "~value">;

/** A flag without a parser: a text, or true if it is given. */
export function flag<const Syntax extends string>(
  syntax: Syntax,
  about: string,
  parts: Pick<Flag, "group"> = {},
): Flag<FlagName<Syntax>, FlagValue<Syntax>> {
  return { syntax, about, ...parts };
}

/** A flag whose text is parsed, or which may be given several times. */
export function valueFlag<const Syntax extends string, const Value>(
  syntax: Syntax,
  about: string,
  parts: FlagParts<Value> & { readonly initial: Value },
): Flag<FlagName<Syntax>, Value>;
export function valueFlag<const Syntax extends string, const Value>(
  syntax: Syntax,
  about: string,
  parts: FlagParts<Value>,
): Flag<FlagName<Syntax>, Value | undefined>;
export function valueFlag(syntax: string, about: string, parts: FlagParts<unknown>): Flag {
  return { syntax, about, ...parts };
}

/** A flag that may be given several times. */
export function listFlag<const Syntax extends string>(
  syntax: Syntax,
  about: string,
  parts: Pick<Flag, "group"> = {},
): Flag<FlagName<Syntax>, readonly string[] | undefined> {
  return {
    syntax,
    about: `${about} (repeatable)`,
    parse: (text, before) => [...(before ?? []), text],
    ...parts,
  };
}

type Argument<Syntax extends string> = Syntax extends `${"[" | "<"}${infer Name}...${"]" | ">"}`
  ? { readonly [Key in Name]: readonly string[] }
  : Syntax extends `[${infer Name}]`
    ? { readonly [Key in Name]: string | undefined }
    : Syntax extends `<${infer Name}>`
      ? { readonly [Key in Name]: string }
      : never;

type Both<Union> = (Union extends unknown ? (part: Union) => void : never) extends (part: infer All) => void
  ? All
  : never;

/** What the flags of a command give. */
export type GivenBy<Flags extends readonly Flag[]> = {
  readonly [Each in Flags[number] as Each extends Flag<infer Name, unknown>
    ? Name
    : never]: Each extends Flag<string, infer Value> ? Value : never;
};

type GivenArguments<Arguments> = Both<
  { [Syntax in keyof Arguments & string]: Argument<Syntax> }[keyof Arguments & string]
>;

/** A command, described once: its arguments and flags with their help, and what it does. */
export interface CommandParts<Arguments extends object, Flags extends readonly Flag[], More> {
  readonly name: string;
  readonly about: string;
  /** By their syntax, with what they are; a default is a list of both. */
  readonly arguments?: Arguments;
  readonly flags?: Flags;
  /** Declares flags that several commands share; returns what reads them from what commander has parsed. */
  readonly shared?: (command: Command) => (given: Readonly<Record<string, unknown>>) => More;
  readonly examples: readonly string[];
  /** Runs the command; its code is loaded only then. `fail` ends it as a usage error. */
  readonly run: (
    given: GivenArguments<Arguments> & GivenBy<Flags> & More,
    terminal: Terminal,
    fail: (message: string) => never,
  ) => Promise<ExitCode>;
}

/** Makes what declares a command. */
export function command<
  const Arguments extends Readonly<Record<string, string | readonly [string, string]>>,
  const Flags extends readonly Flag[],
  More extends object,
>({
  name,
  about,
  arguments: words,
  flags,
  shared,
  examples,
  run,
}: CommandParts<Arguments, Flags, More>): AddCommand {
  return (program, { terminal, execute }) => {
    const made = program.command(name).description(about);
    for (const [syntax, what] of Object.entries(words ?? {}))
      if (typeof what === "string") made.argument(syntax, what);
      else made.argument(syntax, what[0], what[1]);
    // In the help, flags of the command's own come first, then what commands share and add to it.
    const [general, grouped] = [false, true].map((isGrouped) =>
      (flags ?? []).filter(({ group }) => (group !== undefined) === isGrouped),
    );
    for (const each of general ?? []) made.addOption(optionOf(each));
    const read = shared?.(made);
    for (const each of grouped ?? []) made.addOption(optionOf(each));
    made.addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join("")}`);
    made.action(() =>
      execute(async () => {
        const given: Record<string, unknown> = { ...made.opts() };
        const own: Record<string, unknown> = {};
        for (const { syntax, parse } of flags ?? []) {
          const key = optionOf({ syntax, about: "" }).attributeName();
          own[key] = given[key] ?? (parse === undefined && !syntax.includes("<") ? false : undefined);
        }
        made.registeredArguments.forEach((argument, index) => {
          own[argument.name()] = made.processedArgs[index];
        });
        // The flags and arguments were declared with these types.
        const all = { ...own, ...read?.(given) } as Parameters<typeof run>[0];
        return run(all, terminal, (message) => made.error(`error: ${message}`));
      }),
    );
  };
}

/** A flag as commander declares it. */
export function optionOf({ syntax, about, parse, initial, choices, group, isMandatory }: Flag): Option {
  const option = new Option(syntax, about);
  if (parse !== undefined) option.argParser(parse);
  if (choices !== undefined) option.choices(choices as readonly string[]);
  if (initial !== undefined) option.default(initial);
  if (group !== undefined) option.helpGroup(group);
  return option.makeOptionMandatory(isMandatory === true);
}

/** The names in a list with commas. */
export function commaList(value: string): readonly string[] {
  return value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Parses an option that is a whole number from `least` up to `most`. */
export function wholeNumber(
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} and up` : `${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number from ${range}.`);
  };
}
