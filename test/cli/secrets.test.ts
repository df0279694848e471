import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ModelServer, startModelServer } from "../model-servers/model-server.ts";
import { OPENAI } from "../model-servers/openai-server.ts";
import { capitalFolder } from "./capital-file.ts";
import { type Ended, elenchus as elenchusApart, type Given, inOneProcess, start } from "./cli.ts";

const oneProcess = inOneProcess();

/** Commands that only tell what is stored share a process, which never got to know the secrets of a run; all others get their own. */
function elenchus(words: readonly string[], given: Given): Promise<Ended> {
  const isTelling = ["list", "show", "export", "why-miss"].includes(words[0] ?? "");
  return isTelling ? oneProcess(words, given) : elenchusApart(words, given);
}

/**
 * Texts that must never be seen again. They look like nothing in particular, so that no pattern finds them, and are too short to be
 * broken into lines.
 */
const KEY = "Walrus0417q";
const HEADER = "Ocelot2290v";
const PLANTED = [KEY, HEADER];

const PROJECT = `subjects: openai/gpt-5-mini
providers:
  openai: { headers: { x-team-key: ${HEADER} } }
`;

const RUN = ["run", "capital.yaml"];

/** A provider that says Canberra, and tells when it is asked. */
async function provider(): Promise<ModelServer & { asked(): Promise<void> }> {
  let wake = (): void => {};
  const server = await startModelServer({
    ...OPENAI,
    answer(path, body, served) {
      wake();
      return OPENAI.answer(path, body, { ...served, text: "It is Canberra." });
    },
  });
  onTestFinished(() => server.close());
  const asked = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  return Object.assign(server, { asked });
}

/** A project whose provider wants two secrets, and all that is ever printed in it. */
async function project(server: ModelServer): Promise<{
  readonly given: Given;
  readonly type: (words: readonly string[], input?: string) => Promise<Ended>;
  readonly printed: () => string;
}> {
  const environment = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: KEY };
  const given = { folder: capitalFolder({ "elenchus.config.yaml": PROJECT }), environment };
  let printed = "";
  return {
    given,
    printed: () => printed,
    async type(words, input) {
      const ended = await elenchus(words, { ...given, ...(input === undefined ? {} : { input }) });
      printed += ended.stdout + ended.stderr;
      return ended;
    },
  };
}

/** The files below a folder that hold a text, in whatever form; the project file is where a person put it. */
function filesWith(folder: string, texts: readonly string[]): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => {
    const path = join(folder, name);
    if (name === "elenchus.config.yaml" || !statSync(path).isFile()) return false;
    return formsIn(readFileSync(path, "latin1"), texts).length > 0;
  });
}

/** A text in the forms that are masked. */
function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [
    text,
    encodeURIComponent(text),
    bytes.toString("base64").replace(/=+$/, "").slice(0, -1),
    // With one and two bytes before it, base64 is another text.
    ...[1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString("base64")
        .replace(/=+$/, "")
        .slice(shift + 1, -1),
    ),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
  ];
}

/** The forms in which texts are in what was printed or stored. */
function formsIn(searched: string, texts: readonly string[]): readonly string[] {
  return texts.flatMap(formsOf).filter((form) => searched.includes(form));
}

/** Every command that tells something of what is stored or configured. */
const TELLING: readonly (readonly string[])[] = [
  ["list"],
  ["list", "--json"],
  ["show"],
  ["show", "--json"],
  ["show", "--failures"],
  ["why-miss"],
  ["doctor"],
  ["doctor", "--offline"],
  [...RUN, "--explain-config"],
  ["export"],
  ["export", "--format", "csv", "--table", "turns"],
  ["export", "--format", "csv", "--table", "conversations"],
  ["export", "--format", "json", "--table", "outcomes"],
];

/** Of them, those that tell all that is stored. */
const TELLING_ALL: typeof TELLING = [
  ["list", "--json"],
  ["show", "--json"],
  ["show", "--failures"],
  ["export"],
];

describe("keys in the environment and in headers", () => {
  test("reach the provider, and nothing and nobody else", async () => {
    const server = await provider();
    const { given, type, printed } = await project(server);
    expect((await type([...RUN, "--name", "fine", "--record", "calls.jsonl", "--debug"])).code).toBe(0);
    expect(server.requests.map(({ headers }) => [headers.authorization, headers["x-team-key"]])).toEqual([
      [`Bearer ${KEY}`, HEADER],
      [`Bearer ${KEY}`, HEADER],
    ]);
    for (const words of TELLING) await type(words);
    await type(["export", "--output", "run.jsonl"]);
    await type(["export", "--format", "cassette", "--output", "again.jsonl"]);
    await type([...RUN, "--fresh", "--json"]);
    for (const secret of PLANTED) expect(printed()).not.toContain(secret);
    expect(filesWith(given.folder, PLANTED)).toEqual([]);
    // The search finds what is there.
    expect(filesWith(given.folder, ["It is Canberra."])).toContain("calls.jsonl");
    expect(filesWith(given.folder, ["It is Canberra."])).toContain(join(".elenchus", "elenchus.db"));
  });

  test("are not told by a provider that repeats them", async () => {
    const server = await provider();
    const { given, type, printed } = await project(server);
    const basic = Buffer.from(`user:${KEY}`).toString("base64");
    const message = `Wrong key ${KEY} (${basic}) for team ${HEADER}, see https://example.com/?k=${KEY}`;
    server.next({ status: 401, message });
    const words = [...RUN, "--debug", "--github", "--junit", "results.xml", "--name", "refused"];
    const refused = await type([...words, "--record", "calls.jsonl"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("refused the key (401): Wrong key [redacted]");
    for (const telling of TELLING_ALL) await type(telling);
    server.next({ raw: `<p>${message}</p>`, type: "text/html", rawStatus: 401 });
    expect((await type(["resume", "refused", "--retry-errors", "--json"])).code).toBe(2);
    expect((await type(["resume", "refused", "--retry-errors", "--debug"])).code).toBe(0);
    for (const telling of TELLING_ALL) await type(telling);
    for (const secret of [...PLANTED, basic]) expect(printed()).not.toContain(secret);
    expect(filesWith(given.folder, [...PLANTED, basic])).toEqual([]);
  });

  test("are in no file while a run goes on, and in none that a killed one leaves behind", async () => {
    const server = await provider();
    const { given, type } = await project(server);
    server.next({}, "stall");
    const first = server.asked();
    const child = start([...RUN, "--name", "killed"], given);
    const gone = new Promise((resolve) => child.on("close", resolve));
    await first;
    await server.asked();
    expect(filesWith(given.folder, PLANTED)).toEqual([]);
    child.kill("SIGKILL");
    await gone;
    const files = readdirSync(join(given.folder, ".elenchus"));
    expect(files).toContain("elenchus.db-wal");
    expect(filesWith(given.folder, PLANTED)).toEqual([]);
    expect((await type(["resume"])).code).toBe(0);
    expect(filesWith(given.folder, PLANTED)).toEqual([]);
  });
});

describe("secrets on the command line", () => {
  const PASSWORD = "Lemur8805z";

  test("a user name and a password in a URL are refused, and not repeated", async () => {
    const server = await provider();
    const { given, type } = await project(server);
    const url = `${server.url.replace("://", `://user:${PASSWORD}@`)}/v1/chat/completions`;
    const { code, stderr } = await type([...RUN, "--subject", url, "--debug"]);
    expect(code).toBe(2);
    expect(stderr).toContain("contains a user name or password");
    const explained = await type([...RUN, "--subject", url, "--explain-config"]);
    expect(stderr + explained.stdout).not.toContain(PASSWORD);
    expect(filesWith(given.folder, [PASSWORD])).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test.each([
    [
      "in the query of a URL",
      (url: string) => ["--subject", `${url}/v1/chat/completions?api_key=${PASSWORD}`],
    ],
    ["in a header", () => ["--set", `providers.openai.headers.x-api-key=${PASSWORD}`]],
  ])("%s: sent, and neither printed nor kept; such a run cannot be resumed", async (_, flags) => {
    const server = await provider();
    const { given, type, printed } = await project(server);
    server.next({ status: 401, message: `Wrong key ${PASSWORD}` });
    const refused = await type([
      ...RUN,
      ...flags(server.url),
      "--name",
      "refused",
      "--record",
      "calls.jsonl",
    ]);
    expect(refused.code).toBe(2);
    for (const telling of TELLING_ALL) await type(telling);
    await type([...RUN, ...flags(server.url), "--explain-config"]);
    const resumed = await type(["resume", "refused", "--retry-errors"]);
    expect(resumed.code).toBe(2);
    expect(resumed.stderr).toContain("a secret on the command line, which is never stored");
    expect(printed()).not.toContain(PASSWORD);
    expect(filesWith(given.folder, [PASSWORD])).toEqual([]);
    const [request] = server.requests;
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(request?.headers) + request?.query).toContain(PASSWORD);
  });
});

describe("forty secrets that everything repeats", () => {
  /** Random, and the same each time. */
  const random = (name: string): string => createHash("sha512").update(name).digest("base64url").slice(0, 24);
  const secret = (name: string): string => `${random(name)}`;
  const named = (count: number, name: string): readonly string[] =>
    Array.from({ length: count }, (_, index) => secret(`${name} ${index}`));
  const KEYED = named(8, "key");
  const UNNAMED = named(8, "unnamed");
  const BEARERS = named(4, "bearer");
  const COOKIES = named(2, "cookie");
  const QUERY = named(4, "query");
  const VARIABLES = named(5, "variable");
  const ARGUMENTS = named(2, "argument");
  const [PROVIDER_KEY = "", JUDGE_KEY = "", PROXY = "", BASIC = ""] = named(4, "own");
  const TOKEN = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify({ sub: secret("jwt") })).toString("base64url")}.${secret("signature")}`;
  const PREFIXED = [`sk-proj-${secret("project")}`, `ghp_${secret("github")}`];
  const ALL = [
    ...KEYED,
    ...UNNAMED,
    ...BEARERS,
    ...COOKIES,
    ...QUERY,
    ...VARIABLES,
    ...ARGUMENTS,
    PROVIDER_KEY,
    JUDGE_KEY,
    PROXY,
    BASIC,
    TOKEN,
    ...PREFIXED,
  ];
  const HEADERS: Readonly<Record<string, string>> = {
    ...Object.fromEntries(KEYED.map((value, index) => [`x-api-key-${index}`, value])),
    ...Object.fromEntries(UNNAMED.map((value, index) => [`x-thing-${index}`, value])),
    ...Object.fromEntries(BEARERS.map((value, index) => [`x-forward-${index}`, `Bearer ${value}`])),
    cookie: `theme=dark; session=${COOKIES[0]}; other=${COOKIES[1]}`,
    "x-caller": TOKEN,
    "x-first": PREFIXED[0] ?? "",
    "x-second": PREFIXED[1] ?? "",
    "x-third": `Basic ${Buffer.from(`me:${BASIC}`).toString("base64")}`,
  };
  const QUERY_TEXT = QUERY.map((value, index) => `${index % 2 === 0 ? "token" : "p"}${index}=${value}`).join(
    "&",
  );

  /** What a server can say of what it was sent: in every form, and as JSON inside JSON. */
  const echo = (values: readonly string[]): string =>
    values
      .flatMap((value) => [
        value,
        encodeURIComponent(value),
        ...["", "1", "22"].map((before) => Buffer.from(before + value).toString("base64")),
        Buffer.from(value).toString("hex"),
        Buffer.from(value).toString("hex").toUpperCase(),
        JSON.stringify(JSON.stringify({ text: value })),
      ])
      .join(" | ");

  /** An MCP server, as small as can be, that repeats its variables and words in its list of tools and its results. */
  const TOOLS = `import { createInterface } from "node:readline";
const said = JSON.stringify([process.env, process.argv.slice(2)]);
const forms = [said, Buffer.from(said).toString("base64"), Buffer.from(said).toString("hex")].join(" ");
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "look", description: forms, inputSchema: { type: "object", description: forms } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: forms }], structuredContent: { env: process.env, forms } }),
};
console.error(forms);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error: { code: -32601, message: forms } } : { result }) }));
}
`;

  test("are in no file that a finished run leaves, and in no output", async () => {
    expect(new Set(ALL).size).toBe(40);
    let asked = 0;
    const seen: string[] = [];
    const server = createServer(async (request, response) => {
      const body = JSON.parse((await text(request)) || "{}") as {
        readonly input?: unknown;
        readonly messages?: unknown;
      };
      seen.push(JSON.stringify(request.headers) + request.url);
      asked++;
      const headers = {
        "x-echo": echo(ALL).slice(0, 8000),
        "content-type": "application/json",
      };
      if (asked % 4 === 2) {
        response
          .writeHead(asked === 2 ? 500 : 400, headers)
          .end(JSON.stringify({ error: { message: echo(ALL), type: echo(ALL) } }));
        return;
      }
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const isFirst = !JSON.stringify(body).includes("look-1") && !pathname.includes("chat");
      const toolCalls = isFirst ? [{ id: "look-1", name: "look", input: { [ALL[0] ?? ""]: echo(ALL) } }] : [];
      const reasoning = { text: echo(ALL), signature: echo(ALL) };
      const served = { text: `It is Canberra. ${echo(ALL)}`, toolCalls, reasoning };
      response
        .writeHead(200, headers)
        .end(JSON.stringify(OPENAI.answer(pathname, { model: "m", ...body }, served)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const folder = capitalFolder({
      "server.mjs": TOOLS,
      "elenchus.config.yaml": JSON.stringify({
        subjects: ["openai/gpt-5-mini", `${url}/v1/chat/completions?${QUERY_TEXT}`, "house/other"],
        judges: "rules",
        providers: {
          openai: { headers: HEADERS },
          house: { kind: "openai-compatible", baseUrl: `${url}/v1`, apiKeyVariable: "HOUSE_KEY" },
        },
        tools: {
          echo: {
            command: process.execPath,
            args: ["server.mjs", "--token", ARGUMENTS[0], `--api-key=${ARGUMENTS[1]}`],
            env: Object.fromEntries(VARIABLES.map((_, index) => [`V${index}`, `\${V${index}_VALUE}`])),
          },
        },
      }),
    });
    const environment = {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: PROVIDER_KEY,
      HOUSE_KEY: JUDGE_KEY,
      HTTP_PROXY: `http://me:${PROXY}@127.0.0.1:9`,
      NO_PROXY: "127.0.0.1",
      ...Object.fromEntries(VARIABLES.map((value, index) => [`V${index}_VALUE`, value])),
    };
    const given = { folder, environment };
    let printed = "";
    const type = async (...words: readonly string[]): Promise<Ended> => {
      const ended = await elenchus(words, given);
      printed += ended.stdout + ended.stderr;
      return ended;
    };
    const flags = [
      "--trust",
      "--name",
      "forty",
      "--debug",
      "--json",
      "--junit",
      "results.xml",
      "--record",
      "calls.jsonl",
    ];
    const run = await type(...RUN, ...flags, "--replicates", "2");
    expect([run.code, run.stderr.slice(0, 300)]).toEqual([expect.any(Number), expect.any(String)]);
    for (const words of TELLING) await type(...words);
    await type("export", "--output", "run.jsonl");
    await type("export", "--format", "cassette", "--output", "again.jsonl");
    await type("run", "capital.yaml", "--trust", "--replay", "calls.jsonl", "--json");
    await type("resume", "forty", "--retry-errors", "--json");
    await type("regrade", "forty", "--json");

    // They were sent, and what was repeated is there but for them.
    const sent = seen.join("\n");
    const unsent = ALL.filter(
      (value) => !sent.includes(value) && ![...VARIABLES, ...ARGUMENTS, PROXY, BASIC].includes(value),
    );
    expect(unsent).toEqual([]);
    expect(printed).toContain("It is Canberra. [redacted]");
    expect(printed).toContain("look-1");

    expect(formsIn(printed, ALL)).toEqual([]);
    expect(filesWith(folder, ALL)).toEqual([]);
  });
});
