import { expect, test } from "vitest";
import { resolveToolServers, type ToolServer } from "./resolve-tool-servers.ts";

const ENVIRONMENT = {
  PATH: "/bin",
  Path: "C:\\",
  TOKEN: "token-0123",
  EMPTY: "",
  OPENAI_API_KEY: "key-0123",
};

/** A reference in the form that may stand anywhere. */
const reference = (name: string): string => `$${`{${name}}`}`;

test("a process gets a few variables, and those that are named for it", () => {
  const [resolved] = resolveToolServers(
    {
      files: {
        command: "node",
        cwd: "/tmp",
        env: { A: "$TOKEN", B: reference("TOKEN"), C: "$5", D: "$EMPTY" },
      },
    },
    ENVIRONMENT,
  );
  expect(resolved).toEqual({
    name: "files",
    server: {
      command: "node",
      args: [],
      cwd: "/tmp",
      env: { PATH: "/bin", Path: "C:\\", A: "token-0123", B: "token-0123", C: "$5", D: "" },
    },
    secrets: ["token-0123", ""],
  });
});

test("headers may refer to the environment, and are secrets", () => {
  const headers = { Authorization: `Bearer ${reference("TOKEN")}`, "X-Plain": "plain" };
  expect(resolveToolServers({ web: { url: "https://example.org/mcp", headers } }, ENVIRONMENT)).toEqual([
    {
      name: "web",
      server: {
        url: "https://example.org/mcp",
        headers: { Authorization: "Bearer token-0123", "X-Plain": "plain" },
      },
      secrets: ["token-0123", "Bearer token-0123", "plain"],
    },
  ]);
});

test("everything that is wrong is said at once", () => {
  const servers: Record<string, unknown> = {
    none: {},
    text: "node server.js",
    missing: { command: "node", env: { KEY: "$NOT_SET", OTHER: reference("toString") } },
    wrong: { command: "node", args: "server.js", cwd: 5, env: { A: 1 } },
    both: { url: "http://localhost/mcp", command: "node" },
    ftp: { url: "ftp://localhost/mcp", headers: [] },
    password: { url: "http://me:secret@localhost/mcp" },
    host: { url: "http://localhost/mcp", headers: { HOST: "other.example" } },
  };
  // Such a configuration may come out of a file.
  const resolve = (): unknown => resolveToolServers(servers as Record<string, ToolServer>, ENVIRONMENT);
  let message = "";
  try {
    resolve();
  } catch (error) {
    message = String(error);
  }
  expect(message.split("\n")).toEqual([
    'ModelError: The tool server "none" needs a `command` to start, or the `url` of a server that runs.',
    'The tool server "text" needs a `command` to start, or the `url` of a server that runs.',
    'The tool server "missing" needs the environment variable NOT_SET for `env.KEY`, which is not set.',
    'The tool server "missing" needs the environment variable toString for `env.OTHER`, which is not set.',
    'The tool server "wrong" has `args` that are not a list of texts.',
    'The tool server "wrong" has a `cwd` that is not a text.',
    'The tool server "wrong" has a value of `env.A` that is not a text.',
    'The tool server "both" has a `url`, so it cannot have `command` or `env`.',
    'The tool server "ftp" has a `url` that is not an http or https address.',
    'The tool server "ftp" has `headers` that is not an object, but array.',
    'The tool server "password" has a password in its `url`; put it into `headers`, as a reference to the environment.',
    'The tool server "host" cannot have the header `host`; write the server into its `url`.',
  ]);
});
