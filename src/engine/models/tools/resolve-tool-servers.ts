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
  const resolved = Object.entries(servers).map(([name, server]) =>
    resolvedServer(name, server, {
      environment,
      problem: (what) => problems.push(`The tool server "${name}" ${what}.`),
    }),
  );
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

interface Resolving {
  readonly environment: Environment;
  /** Says what is wrong, as the end of a sentence. */
  readonly problem: (what: string) => void;
}

/** Reads one server of a configuration, which may come from a file and hold anything. */
function resolvedServer(name: string, value: unknown, { environment, problem }: Resolving): ResolvedServer {
  const secrets = new Set<string>();
  const variable = (variableName: string, place: string): string => {
    const found = ownValue(environment, variableName);
    if (typeof found !== "string") {
      problem(`needs the environment variable ${variableName} for \`${place}\`, which is not set`);
      return "";
    }
    secrets.add(found);
    return found;
  };
  const filled = (text: string, place: string): string => {
    const whole = WHOLE_REFERENCE.exec(text)?.[1];
    if (whole !== undefined) return variable(whole, place);
    return text.replace(REFERENCE, (_, variableName: string) => variable(variableName, place));
  };
  const values = (key: "env" | "headers", given: unknown = {}): Readonly<Record<string, string>> => {
    if (!isRecord(given)) problem(`has \`${key}\` that is not an object, but ${typeName(given)}`);
    const read: Record<string, string> = {};
    for (const [entry, text] of isRecord(given) ? Object.entries(given) : []) {
      if (typeof text !== "string") problem(`has a value of \`${key}.${entry}\` that is not a text`);
      else read[entry] = filled(text, `${key}.${entry}`);
    }
    // Every header may be a key; of variables, only those that look like one, or come out of the environment.
    for (const secret of key === "headers" ? Object.values(read) : secretDataValues(read))
      secrets.add(secret);
    return read;
  };
  const endpoint = ({ headers, ...others }: UnknownRecord, url: string): ToolEndpoint => {
    const { protocol, username, password } = URL.canParse(url) ? new URL(url) : new URL("none:");
    if (!/^https?:$/.test(protocol)) problem("has a `url` that is not an http or https address");
    else if (username !== "" || password !== "")
      problem("has a password in its `url`; put it into `headers`, as a reference to the environment");
    if ("command" in others || "env" in others) problem("has a `url`, so it cannot have `command` or `env`");
    if (isRecord(headers) && Object.keys(headers).some((header) => /^host$/i.test(header)))
      problem("cannot have the header `host`; write the server into its `url`");
    for (const secret of secretQueryValues(url)) secrets.add(secret);
    return { url, headers: values("headers", headers) };
  };
  const started = ({ args = [], cwd, env, ...others }: UnknownRecord, command: string): ToolProcess => {
    const hasTexts = Array.isArray(args) && args.every((word) => typeof word === "string");
    const words: readonly string[] = hasTexts ? args : [];
    if (!hasTexts) problem("has `args` that are not a list of texts");
    if (cwd !== undefined && typeof cwd !== "string") problem("has a `cwd` that is not a text");
    if ("url" in others || "headers" in others)
      problem("has a `command`, so it cannot have `url` or `headers`");
    for (const secret of secretArguments(words)) secrets.add(secret);
    const all = { ...minimalEnvironment(environment), ...values("env", env) };
    return { command, args: words, env: all, ...(typeof cwd === "string" ? { cwd } : {}) };
  };
  const { url, command } = isRecord(value) ? value : {};
  let server: ToolServer = { command: "" };
  if (isRecord(value) && typeof url === "string") server = endpoint(value, url);
  else if (isRecord(value) && typeof command === "string" && command !== "") server = started(value, command);
  else problem("needs a `command` to start, or the `url` of a server that runs");
  return { name, server, secrets: [...secrets] };
}

/** What programs need to run at all, on Unix and on Windows. Proxies are not among them: they may hold passwords. */
const PASSED_ON: ReadonlySet<string> = new Set(
  [
    "PATH HOME LANG LC_ALL LC_CTYPE LOGNAME SHELL TERM TMPDIR TZ USER XDG_CACHE_HOME",
    "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR",
  ].flatMap((names) => names.split(" ")),
);

/** The part of an environment that any child process may see: no keys, no tokens. */
function minimalEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    // Windows does not mind the case of names.
    value !== undefined && PASSED_ON.has(name.toUpperCase()) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
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
