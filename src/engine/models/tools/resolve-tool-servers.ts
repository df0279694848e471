import type { Environment } from "../../../core/environment.ts";
import { isRecord, ownValue, typeName, type UnknownRecord } from "../../../core/values/json.ts";
import { secretArguments, secretDataValues, secretQueryValues } from "../../../system/secrets/secret-data.ts";
import { ModelError } from "../model-error.ts";

/** A tool server that can be used as it is: no references to the environment are left. */
export interface ResolvedServer {
  readonly name: string;
  /** Of a process, `env` is all that it will see. */
  readonly server: ToolServer;
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
}

/** Checks a configuration and looks up what it refers to; throws one error with everything that is wrong. */
export function resolveToolServers(
  servers: Readonly<Record<string, ToolServer>>,
  environment: Environment,
): readonly ResolvedServer[] {
  const problems: string[] = [];
  const resolved = Object.entries(servers).map(([name, server]) => {
    const reading = new Reading(name, environment, problems);
    const read = reading.server(server);
    return { name, server: read, secrets: [...new Set(reading.secrets)] };
  });
  if (problems.length > 0) throw new ModelError("tool", problems.join("\n"));
  return resolved;
}

const WHOLE_REFERENCE = /^\$([A-Za-z_]\w*)$/;
const REFERENCE = /\$\{([^{}]*)\}/g;

/** The variables of the environment that a value refers to. */
export function variablesIn(value: string): readonly string[] {
  const whole = WHOLE_REFERENCE.exec(value)?.[1];
  return whole === undefined ? [...value.matchAll(REFERENCE)].map(([, name = ""]) => name) : [whole];
}

/** Reads one server of a configuration, which may come from a file and hold anything. */
class Reading {
  readonly secrets: string[] = [];
  readonly #name: string;
  readonly #environment: Environment;
  readonly #problems: string[];

  constructor(name: string, environment: Environment, problems: string[]) {
    this.#name = name;
    this.#environment = environment;
    this.#problems = problems;
  }

  server(value: unknown): ToolServer {
    if (isRecord(value) && typeof value.url === "string") return this.#endpoint(value.url, value);
    if (isRecord(value) && typeof value.command === "string" && value.command !== "")
      return this.#process(value.command, value);
    this.#problem("needs a `command` to start, or the `url` of a server that runs");
    return { command: "" };
  }

  #process(command: string, value: UnknownRecord): ToolProcess {
    const { args, cwd } = value;
    if (args !== undefined && !isTexts(args)) this.#problem("has `args` that are not a list of texts");
    if (cwd !== undefined && typeof cwd !== "string") this.#problem("has a `cwd` that is not a text");
    if ("url" in value || "headers" in value)
      this.#problem("has a `command`, so it cannot have `url` or `headers`");
    const env = { ...minimalEnvironment(this.#environment), ...this.#values("env", value.env, false) };
    if (isTexts(args)) this.secrets.push(...secretArguments(args));
    return {
      command,
      args: isTexts(args) ? args : [],
      env,
      ...(typeof cwd === "string" ? { cwd } : {}),
    };
  }

  #endpoint(url: string, value: UnknownRecord): ToolEndpoint {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
      this.#problem("has a `url` that is not an http or https address");
    else if (parsed.username !== "" || parsed.password !== "")
      this.#problem("has a password in its `url`; put it into `headers`, as a reference to the environment");
    if ("command" in value || "env" in value)
      this.#problem("has a `url`, so it cannot have `command` or `env`");
    if (isRecord(value.headers) && Object.keys(value.headers).some((name) => /^host$/i.test(name)))
      this.#problem("cannot have the header `host`; write the server into its `url`");
    this.secrets.push(...secretQueryValues(url));
    return { url, headers: this.#values("headers", value.headers, true) };
  }

  /** Every header may be a key; of variables, only those that come out of the environment. */
  #values(key: "env" | "headers", values: unknown, secret: boolean): Readonly<Record<string, string>> {
    if (values === undefined) return {};
    if (!isRecord(values)) {
      this.#problem(`has \`${key}\` that is not an object, but ${typeName(values)}`);
      return {};
    }
    const read: Record<string, string> = {};
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== "string") this.#problem(`has a value of \`${key}.${name}\` that is not a text`);
      else {
        read[name] = this.#text(value, `${key}.${name}`);
        if (secret) this.secrets.push(read[name]);
        else this.secrets.push(...secretDataValues({ [name]: read[name] }));
      }
    }
    return read;
  }

  #text(value: string, place: string): string {
    const whole = WHOLE_REFERENCE.exec(value)?.[1];
    if (whole !== undefined) return this.#variable(whole, place);
    return value.replace(REFERENCE, (_, name: string) => this.#variable(name, place));
  }

  #variable(name: string, place: string): string {
    const value = ownValue(this.#environment, name);
    if (typeof value === "string") {
      this.secrets.push(value);
      return value;
    }
    this.#problem(`needs the environment variable ${name} for \`${place}\`, which is not set`);
    return "";
  }

  #problem(what: string): void {
    this.#problems.push(`The tool server "${this.#name}" ${what}.`);
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** What programs need to run at all, on Unix and on Windows. Proxies are not among them: they may hold passwords. */
const PASSED_ON: readonly string[] = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_CACHE_HOME",
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/** The part of an environment that any child process may see: no keys, no tokens. */
export function minimalEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    // Windows does not mind the case of names.
    if (value !== undefined && PASSED_ON.includes(name.toUpperCase())) passed[name] = value;
  }
  return passed;
}

/** A tool server that the run starts as a process and talks to over its standard input and output. */
export interface ToolProcess {
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Variables besides the few that every process gets. A value may refer to a variable of the run's own environment:
   * `"$NAME"` as a whole, or `"${NAME}"` anywhere in it.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder it is started in. */
  readonly cwd?: string;
}

/** A tool server that runs elsewhere and is reached over streamable HTTP. */
export interface ToolEndpoint {
  readonly url: string;
  /** Sent with every request; a value may refer to the environment as in `ToolProcess.env`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that offers tools over MCP, as the configuration of a run names it. */
export type ToolServer = ToolProcess | ToolEndpoint;
