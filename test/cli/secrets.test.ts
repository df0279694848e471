import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ModelServer, startModelServer } from "../model-servers/model-server.ts";
import { OPENAI } from "../model-servers/openai-server.ts";
import { capitalFolder } from "./capital-file.ts";
import { type Ended, elenchus, type Given, start } from "./cli.ts";

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

/** The files below a folder that hold a text, also as base64; the project file is where a person put it. */
function filesWith(folder: string, texts: readonly string[]): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => {
    const path = join(folder, name);
    if (name === "elenchus.config.yaml" || !statSync(path).isFile()) return false;
    return texts.some((text) => holds(readFileSync(path), text));
  });
}

function holds(bytes: Buffer, text: string): boolean {
  return [text, encodeURIComponent(text), Buffer.from(text).toString("base64")].some((form) =>
    bytes.includes(form),
  );
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
    for (const telling of TELLING) await type(telling);
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
    expect(stderr).toContain("holds a user name or password");
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
    ["in a header of a cookie", () => ["--set", `providers.openai.headers.cookie=${PASSWORD}`]],
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
    expect(resumed.stderr).toContain("a secret on the command line, which is never kept");
    expect(printed()).not.toContain(PASSWORD);
    expect(filesWith(given.folder, [PASSWORD])).toEqual([]);
    const [request] = server.requests;
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(request?.headers) + request?.query).toContain(PASSWORD);
  });
});
