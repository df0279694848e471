import { type Command, Option } from "commander";
import type { Terminal } from "../../system/terminal/terminal.ts";
import { DEFAULT_SETTINGS } from "../project/settings.ts";
import type { SettingsRequest } from "./flags.ts";
import {
  DISPLAY_FLAGS,
  type Flag,
  type FlagName,
  PROJECT_FLAGS,
  SETTING_FLAGS,
  type SettingFlag,
  type SettingFlagName,
  TRUST,
} from "./flags.ts";

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

/** What a command is called and takes: all that its help needs, so that its code is loaded only when it runs. */
export interface CommandDescription {
  readonly name: string;
  readonly about: string;
  /** By their syntax, with what they are. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly flags?: readonly Flag[];
  /** The settings that have a flag here, besides `--set`, `--profile` and `--config`. */
  readonly settings?: readonly SettingFlagName[];
  /** True if the help prints the defaults of settings. */
  readonly printsDefaults?: true;
  /** True if the command has `--trust`. */
  readonly trust?: true;
  /** True if it runs conversations, so that it has the flags of the display. */
  readonly displays?: true;
  readonly examples: readonly string[];
}

type GivenValue<Each extends Flag> = Each extends { readonly isList: true }
  ? readonly string[]
  : Each extends { readonly parse: (text: string) => infer Value }
    ? Value
    : Each extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : string;
type FlagValue<Each extends Flag> = Each["syntax"] extends `${string}<${string}`
  ? Each extends { readonly initial: unknown } | { readonly isMandatory: true }
    ? GivenValue<Each>
    : GivenValue<Each> | undefined
  : boolean;
type GivenFlags<Flags> = Flags extends readonly Flag[]
  ? { readonly [Each in Flags[number] as FlagName<Each["syntax"]>]: FlagValue<Each> }
  : object;

type ArgumentName<Syntax> = Syntax extends `${"[" | "<"}${infer Name}${"...]" | "...>" | "]" | ">"}`
  ? Name extends `${infer Plain}...`
    ? Plain
    : Name
  : never;
type ArgumentValue<Syntax> = Syntax extends `${string}...${string}`
  ? readonly string[]
  : Syntax extends `[${string}`
    ? string | undefined
    : string;
type GivenArguments<Words> = {
  readonly [Syntax in keyof Words as ArgumentName<Syntax>]: ArgumentValue<Syntax>;
};

/** What a run prints. */
export interface RunDisplay {
  /** Only one line at the end. */
  readonly quiet: boolean;
  /** Events as lines of JSON. */
  readonly json: boolean;
  /** Annotations for GitHub; by default where its workflows run. */
  readonly github?: boolean;
}

/** What a command gets: its arguments and flags by their names, and the settings of its command line. */
export type OptionsOf<Description extends CommandDescription> = GivenArguments<Description["arguments"]> &
  GivenFlags<Description["flags"]> &
  (Description extends { readonly settings: unknown } ? { readonly settings: SettingsRequest } : object) &
  (Description extends { readonly displays: true } ? { readonly display: RunDisplay } : object);

/** Declares a command of the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** A description, as it is written. */
export function describe<const Description extends CommandDescription>(
  description: Description,
): Description {
  return description;
}

/** What a command gets if no flag is given but those given here. */
export function optionsOf<const Description extends CommandDescription>(
  { flags = [] }: Description,
  given: Partial<OptionsOf<Description>>,
): OptionsOf<Description> {
  const unset = flags.map((each) => [optionOf(each).attributeName(), unsetValue(each)]);
  const shared = { settings: { flags: [], sets: [] }, display: { quiet: false, json: false } };
  // The flags and arguments were declared with these types.
  return { ...Object.fromEntries(unset), ...shared, ...given } as unknown as OptionsOf<Description>;
}

function unsetValue({ syntax }: Flag): false | undefined {
  return syntax.includes("<") ? undefined : false;
}

/** Makes what declares a command. */
export function command<const Description extends CommandDescription>(
  description: Description,
  run: (options: OptionsOf<Description>, terminal: Terminal) => Promise<ExitCode>,
): AddCommand {
  const { name, about, arguments: words = {}, flags = [], settings, examples } = description;
  return (program, { terminal, execute }) => {
    const made = program.command(name).description(about);
    for (const [syntax, what] of Object.entries(words)) made.argument(syntax, what);
    // In the help, flags of the command's own come first, then what commands share and add to it.
    const ofSettings = SETTING_FLAGS.filter(({ name: each }) => settings?.includes(each));
    const shared: readonly Flag[] = [
      ...ofSettings.map((each) => (description.printsDefaults ? withDefault(each) : each)),
      ...(settings === undefined ? [] : PROJECT_FLAGS),
      ...(description.trust ? [TRUST] : []),
      ...(description.displays ? DISPLAY_FLAGS : []),
    ];
    const general = flags.filter(({ group }) => group === undefined);
    const grouped = flags.filter(({ group }) => group !== undefined);
    for (const each of [...general, ...shared, ...grouped]) made.addOption(optionOf(each));
    made.addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join("")}`);
    made.action(() =>
      execute(async () => {
        const given: Readonly<Record<string, unknown>> = made.opts();
        const options: Record<string, unknown> = {
          ...(settings === undefined ? {} : { settings: settingsRequest(ofSettings, given) }),
          ...(description.displays ? { display: displayOf(given) } : {}),
        };
        for (const each of flags) {
          const key = optionOf(each).attributeName();
          options[key] = given[key] ?? unsetValue(each);
        }
        made.registeredArguments.forEach((argument, index) => {
          options[argument.name()] = made.processedArgs[index];
        });
        // The flags and arguments were declared with these types.
        return run(options as OptionsOf<Description>, terminal);
      }),
    );
  };
}

/** A flag as commander declares it. */
function optionOf({ syntax, about, parse, initial, choices, isList, isMandatory, group }: Flag): Option {
  const option = new Option(syntax, isList ? `${about} (repeatable)`.replace(") (", ", ") : about);
  if (isList) option.argParser<readonly string[]>((text, before) => [...(before ?? []), text]);
  else if (parse !== undefined) option.argParser(parse);
  if (choices !== undefined) option.choices(choices);
  if (initial !== undefined) option.default(initial);
  if (group !== undefined) option.helpGroup(group);
  return option.makeOptionMandatory(isMandatory === true);
}

/** Without a flag, the project file decides: so the default is only printed. */
function withDefault(given: SettingFlag): Flag {
  const [value] = [DEFAULT_SETTINGS[given.key]].flat();
  const isShown = typeof value === "number" || typeof value === "string";
  return isShown ? { ...given, about: `${given.about} (default: ${value})` } : given;
}

/** The settings that the flags of a command give. */
function settingsRequest(
  ofSettings: readonly SettingFlag[],
  given: Readonly<Record<string, unknown>>,
): SettingsRequest {
  const flags = ofSettings.flatMap(({ name, key, syntax }) => {
    const value = given[name];
    return value === undefined ? [] : [{ flag: syntax.split(" ")[0] ?? syntax, path: [key], value }];
  });
  // Commander leaves out flags that are not given.
  const {
    set = [],
    profile,
    config,
    trust,
  } = given as {
    readonly [Each in "profile" | "config"]?: string;
  } & { readonly set?: readonly string[]; readonly trust?: true };
  return {
    flags,
    sets: set,
    ...(trust === undefined ? {} : { trusts: trust }),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
  };
}

function displayOf(given: Readonly<Record<string, unknown>>): RunDisplay {
  const { quiet = false, json = false, github } = given as Partial<RunDisplay>;
  return { quiet, json, ...(github === undefined ? {} : { github }) };
}
