import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { openStore, runScenarios } from "elenchus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CAPITAL } from "../../../../test/capital-scenario.ts";
import { capturedTerminal } from "../../../../test/captured-terminal.ts";
import { packageVersion } from "../../project/package-files.ts";
import { doctor } from "./doctor.ts";

/** Looks like no key that a pattern would know. */
const KEY = "planted-Key-7f3e91aa";

/** Lists of models as servers give them. */
const LISTS: Readonly<Record<string, string>> = {
  listed: JSON.stringify({ data: [{ id: "llama3.2:latest" }, { id: "large-model" }] }),
  google: JSON.stringify({ models: [{ name: "models/large-model" }] }),
  paged: JSON.stringify({ data: [{ id: "a" }], has_more: true }),
  empty: JSON.stringify({ data: [] }),
};
const LISTED = Object.fromEntries(Object.keys(LISTS).map((name) => [name, 200]));

const root = mkdtempSync(join(tmpdir(), "elenchus-doctor-"));
let server: Server;
let url: string;
let closedUrl: string;
const seen: string[] = [];

/** Answers by the first part of the path; `/ok` wants the key, in one of the ways in which it may come. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { authorization, "x-api-key": anthropic, "x-goog-api-key": google } = request.headers;
    const { "anthropic-version": version, "x-team": team } = request.headers;
    const given = [
      authorization,
      anthropic && `x-api-key ${anthropic} ${version}`,
      google && `google ${google}`,
    ];
    seen.push([request.method, request.url, ...given.filter(Boolean), team].filter(Boolean).join(" "));
    const [, place = ""] = (request.url ?? "").split("/");
    if (place === "hang") return;
    if (place === "moved") response.setHeader("location", `${url}/ok/models`);
    const statuses: Readonly<Record<string, number>> = { open: 200, moved: 302, ...LISTED };
    const hasKey = given.some((value) => value?.includes(KEY));
    const status =
      place === "ok" ? (hasKey ? 200 : 401) : place === "ok-google" ? (hasKey ? 200 : 400) : undefined;
    response.writeHead(status ?? statuses[place] ?? Number(place));
    response.end(LISTS[place] ?? `You sent ${given.join(" ")}.`);
  });
  const gone = createServer();
  for (const one of [server, gone]) await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closedUrl = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise((resolve) => gone.close(resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true });
});

let made = 0;
function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, `${++made}`);
  for (const [name, text] of Object.entries({ ".git/HEAD": "", ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

interface Asked {
  readonly config?: unknown;
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly online?: boolean;
  readonly timeLimitMs?: number;
  /** False if nobody has consented to what the project file asks for. */
  readonly trusts?: boolean;
}

/** What doctor says in a project, on lines that are wide enough for everything; the key must never be among it. */
async function told(asked: Asked = {}): Promise<{ readonly code: number; readonly text: string }> {
  const { config, environment = {}, online = false, timeLimitMs = 20_000, trusts = true } = asked;
  const files = config === undefined ? {} : { "elenchus.config.json": JSON.stringify(config) };
  const folder = asked.folder ?? folderWith(files);
  // An Ollama that happens to run on this machine must make no difference.
  const terminal = capturedTerminal(folder, {
    environment: { OLLAMA_HOST: closedUrl, ...environment },
    width: 400,
  });
  const settings = { flags: [], sets: [], trusts };
  const code = await doctor({ settings, offline: !online, timeLimitMs }, terminal);
  const { text } = terminal.output;
  expect(terminal.messages.text).toBe("");
  for (let start = 0; start + 6 <= KEY.length; start++)
    expect(text).not.toContain(KEY.slice(start, start + 6));
  return { code, text };
}

test("without a project, nothing is broken and no key is needed", async () => {
  const { code, text } = await told();
  expect(code).toBe(0);
  expect(text).toContain(`Program
  ✓ Node ${process.versions.node}
  ✓ elenchus ${packageVersion()}

Project
  · none, so defaults apply (to create one: elenchus init)

Store
  ✓ .elenchus/elenchus.db: does not exist yet; the first run creates it

Subjects and judges
  ! no subject is configured: name one with --subject, or under subjects in the project file
  ✓ judge self (each subject's own model reads what rules leave)

Providers
  · openai <https://api.openai.com/v1>: OPENAI_API_KEY is not set
`);
  expect(text).toContain(
    "· google <https://generativelanguage.googleapis.com/v1beta>: GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY is not set",
  );
  expect(text).toContain("openai-compatible has no base URL. Set OPENAI_COMPATIBLE_BASE_URL.\n");
  expect(text).toMatch(/\n✓ No problems; see the warnings marked with !\.\n$/);
  expect(text).not.toContain("Tool servers");
});

test("a project in order is fine", async () => {
  const { code, text } = await told({
    config: { subjects: "sim/steadfast", profile: "ci", profiles: { ci: { seed: 1 }, nightly: {} } },
  });
  expect(text).toContain("✓ elenchus.config.json, profiles: ci, nightly; in use: ci\n");
  expect(text).toContain("✓ subject sim/steadfast\n");
  expect([code, text.split("\n").at(-2)]).toEqual([0, "✓ Everything is fine."]);
});

test("a project file that is wrong ends it, with all its mistakes", async () => {
  const { code, text } = await told({ config: { replicates: 0, subject: "sim/steadfast" } });
  expect(code).toBe(2);
  expect(text.match(/✗ elenchus\.config\.json:/g)).toHaveLength(2);
  expect(text).toMatch(/\n✗ 2 problems\. First: elenchus\.config\.json:1:\d+/);
  expect(text).not.toContain("Providers");
});

test("models that cannot be used are told one by one", async () => {
  const { code, text } = await told({
    config: {
      subjects: ["sim/nobody", "opnai/gpt", { model: "openai/gpt-5-mini", name: "mini" }, "sim/flaky"],
      judges: [{ panel: ["anthropic/claude", "rules"] }],
    },
  });
  expect(code).toBe(2);
  expect(text).toContain('✗ subject sim/nobody: There is no simulated model "sim/nobody"');
  expect(text).toContain(
    '✗ subject opnai/gpt: There is no provider "opnai" for opnai/gpt. Did you mean "openai"?',
  );
  expect(text).toContain(
    "✗ subject mini (openai/gpt-5-mini): openai/gpt-5-mini needs a key. Set OPENAI_API_KEY.",
  );
  expect(text).toContain("✓ subject sim/flaky\n");
  expect(text).toContain("✗ judge panel of anthropic/claude, rules: anthropic/claude needs a key.");
  // Also where a key is missing: both are in use.
  expect(text).toContain("✗ openai <https://api.openai.com/v1>: OPENAI_API_KEY is not set");
  expect(text).toContain("✗ anthropic <https://api.anthropic.com/v1>: ANTHROPIC_API_KEY is not set");
  expect(text).toContain("\n✗ 6 problems. First: subject sim/nobody: There is no");
});

describe("providers are asked for their models", () => {
  const provider = (path: string, more: object = {}): object => ({
    baseUrl: path.startsWith("http") ? path : `${url}/${path}`,
    apiKeyVariable: "MY_SERVICE",
    ...more,
  });
  const environment = { MY_SERVICE: ` ${KEY}\n` };

  async function providerLine(
    config: object,
    asked: Asked = {},
  ): Promise<readonly [number, string | undefined]> {
    const { code, text } = await told({
      config: { providers: { mine: config } },
      environment,
      online: true,
      ...asked,
    });
    return [code, /^ {2}(. mine <.*)$/m.exec(text)?.[1]];
  }

  test("with the key as each protocol has it, and then without", async () => {
    for (const [config, path, header] of [
      [provider("ok", { kind: "openai" }), "/ok/models", `Bearer ${KEY}`],
      [provider("ok/v1/"), "/ok/v1/models", `Bearer ${KEY}`],
      [provider("ok", { kind: "anthropic" }), "/ok/models", `x-api-key ${KEY} 2023-06-01`],
      [provider("ok-google", { kind: "google" }), "/ok-google/models", `google ${KEY}`],
      [provider("ok?v=2", { headers: { "X-Team": "blue" } }), "/ok/models?v=2", `Bearer ${KEY} blue`],
    ] as const) {
      seen.length = 0;
      const [code, line] = await providerLine(config);
      expect(line).toMatch(/^✓ mine <http.*>: MY_SERVICE is set, reachable, key accepted$/);
      expect([code, seen[0]]).toEqual([0, `GET ${path} ${header}`]);
      expect(seen[1]).not.toContain(KEY);
    }
  });

  test("a list that is open to everybody says nothing about the key", async () => {
    expect(await providerLine(provider("open"))).toEqual([
      0,
      `✓ mine <${url}/open>: MY_SERVICE is set, reachable; only a call can tell whether the key is right`,
    ]);
    const [, line] = await providerLine(provider("open", { apiKeyVariable: null }));
    expect(line).toBe(`✓ mine <${url}/open>: needs no key, reachable`);
  });

  test("a model that a server does not list is named, with the nearest that it does", async () => {
    const warnings = async (path: string, ...models: readonly string[]): Promise<readonly string[]> => {
      const config = {
        providers: { mine: provider(path) },
        subjects: models.map((model) => `mine/${model}`),
      };
      const { code, text } = await told({ config, environment: { MY_SERVICE: KEY }, online: true });
      expect(code).toBe(0);
      return text.split("\n").filter((line) => line.includes("does not list"));
    };
    expect(await warnings("listed", "llama3.2", "large-model")).toEqual([]);
    expect(await warnings("listed", "large-modle", "llama3.2")).toEqual([
      "  ! mine does not list the model large-modle: it lists 2 models. Did you mean mine/large-model?",
    ]);
    expect(await warnings("google", "large-model")).toEqual([]);
    expect(await warnings("empty", "any")).toEqual([
      "  ! mine does not list the model any: it lists 0 models.",
    ]);
    // Without a whole list, nothing can be said.
    expect(await warnings("paged", "b")).toEqual([]);
    expect(await warnings("open", "b")).toEqual([]);
  });

  test("what it may answer", async () => {
    const answers: Readonly<Record<string, readonly [number, string]>> = {
      "401": [2, "✗ key refused (status 401)"],
      "403": [2, "✗ key refused (status 403)"],
      "404": [0, "! answers with status 404"],
      "429": [0, "! answers with status 429"],
      "503": [2, "✗ answers with status 503"],
      moved: [0, "! answers with status 302"],
    };
    for (const [path, [expected, words]] of Object.entries(answers)) {
      const [code, line] = await providerLine(provider(path));
      const [mark, ...rest] = words.split(" ");
      expect([code, line]).toEqual([
        expected,
        `${mark} mine <${url}/${path}>: MY_SERVICE is set, ${rest.join(" ")}`,
      ]);
    }
    expect(await providerLine(provider("hang"), { timeLimitMs: 200 })).toEqual([
      2,
      `✗ mine <${url}/hang>: MY_SERVICE is set, not reachable: it did not answer within 0.2 s`,
    ]);
    expect(await providerLine(provider("400", { kind: "google" }))).toEqual([
      2,
      expect.stringContaining("key refused (status 400)"),
    ]);
    expect((await providerLine(provider("401", { apiKeyVariable: null })))[1]).toContain(
      "wants a key (status 401)",
    );
  });

  test("servers that are not there", async () => {
    expect(await providerLine(provider(closedUrl))).toEqual([
      2,
      `✗ mine <${closedUrl}>: MY_SERVICE is set, not reachable: it refused the connection`,
    ]);
  });

  test("a key that no header can hold is not quoted", async () => {
    const [code, line] = await providerLine(provider("ok"), {
      environment: { MY_SERVICE: `${KEY}\n${KEY}` },
    });
    expect([code, line]).toEqual([2, expect.stringContaining("has characters that HTTP does not allow")]);
  });

  test("of those that are not configured, what is wrong is only worth a look", async () => {
    const openai = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/401` };
    const { code, text } = await told({ environment: openai, online: true });
    expect(code).toBe(0);
    expect(text).toContain(
      `! openai <${url}/401> (from OPENAI_BASE_URL): OPENAI_API_KEY is set, key refused (status 401)\n`,
    );
    expect(text).toContain(
      `· ollama <${closedUrl}/v1> (from OLLAMA_HOST): needs no key, not reachable: it refused the connection\n`,
    );
    const used = await told({ environment: openai, online: true, config: { subjects: "openai/gpt-5-mini" } });
    expect([used.code, used.text]).toEqual([2, expect.stringContaining(`✗ openai <${url}/401>`)]);
  });

  test("an address that is none, and secrets in one", async () => {
    const wrong = await told({ environment: { OPENAI_BASE_URL: "elsewhere", MY_SERVICE: KEY } });
    expect(wrong.text).toContain("OPENAI_BASE_URL is not an http or https URL.\n");
    const [, line] = await providerLine(provider(`open?api_key=${KEY}`, { apiKeyVariable: null }));
    expect(line).toContain(`<${url}/open?api_key=[redacted]>: needs no key, reachable`);
  });
});

describe("the store", () => {
  async function storeLine(folder: string): Promise<readonly [number, string | undefined]> {
    const { code, text } = await told({ folder });
    return [code, /^Store\n {2}(.*)$/m.exec(text)?.[1]];
  }

  test("with runs", async () => {
    const folder = folderWith();
    const store = await openStore(join(folder, ".elenchus/elenchus.db"));
    for (const run of ["one", "two"])
      await runScenarios({ scenarios: CAPITAL, subjects: "sim/steadfast", store, run }).results;
    expect(await storeLine(folder)).toEqual([
      0,
      expect.stringMatching(/^✓ \.elenchus\/elenchus\.db: 2 runs$/),
    ]);
    await store.close();
  });

  test("that is none or damaged", async () => {
    expect(await storeLine(folderWith({ ".elenchus/elenchus.db": "shopping list" }))).toEqual([
      2,
      expect.stringMatching(/^✗ .*elenchus\.db is not a store: it is not a database\./),
    ]);
    const folder = folderWith();
    const path = join(folder, ".elenchus/elenchus.db");
    await (await openStore(path)).close();
    const database = new Database(path);
    database.pragma("journal_mode = DELETE");
    database.exec("DROP TABLE run");
    database.close();
    const [code, line] = await storeLine(folder);
    expect([code, line]).toEqual([2, expect.stringMatching(/^✗ The store .* cannot be used: /)]);
  });
});

test("tool servers are named, without what they are told in secret, and not started", async () => {
  const tools = {
    files: { command: "./no-such-program", args: ["-y", "--token", KEY, `--api-key=${KEY}`, "/data"] },
    search: {
      url: `https://example.com/mcp?key=${KEY}`,
      headers: { Authorization: "Bearer $SEARCH_SECRET" },
    },
    mail: { command: "mail", env: { MAIL_PASSWORD: "$MAIL_PASSWORD" } },
  };
  const { code, text } = await told({ config: { tools }, environment: { SEARCH_SECRET: KEY } });
  expect(code).toBe(2);
  expect(text).toContain(`Tool servers (MCP)
  ✓ files: ./no-such-program (not started)
  ✓ search: https://example.com (not called)
  ✗ The tool server "mail" needs the environment variable MAIL_PASSWORD for \`env.MAIL_PASSWORD\`, which is not set.
`);
});

test("secrets and escape codes in names and messages do not get through", async () => {
  const subjects = [{ model: "sim/steadfast", name: `mine ${KEY} \u001b[2J` }, `http://x:${KEY}@127.0.0.1/`];
  const { text } = await told({ config: { subjects }, environment: { OPENAI_API_KEY: KEY } });
  expect(text).toContain("subject mine [redacted] \ufffd[2J (sim/steadfast)\n");
  expect(text).not.toContain("\u001b");
});

test("without consent, no key goes to an address of the project file, and nothing is asked there", async () => {
  const before = seen.length;
  const config = {
    subjects: "openai/gpt-5-mini",
    providers: { openai: { baseUrl: `${url}/ok` }, house: { apiKeyVariable: "HOUSE", baseUrl: `${url}/ok` } },
    tools: { files: { command: "serve", args: ["a b"] } },
  };
  const environment = { OPENAI_API_KEY: KEY, HOUSE: KEY };
  const { code, text } = await told({ config, environment, online: true, trusts: false });
  expect([code, seen.slice(before)]).toEqual([2, []]);
  const advice = "If you want this: elenchus doctor --trust\n";
  for (const effect of [
    `send OPENAI_API_KEY of your environment to ${url}/ok (provider "openai")`,
    `send HOUSE of your environment to ${url}/ok (provider "house")`,
  ])
    expect(text).toContain(`✗ elenchus.config.json needs your consent to ${effect}. ${advice}`);
  expect(text).toMatch(/✗ elenchus\.config\.json needs your consent to start the program: serve 'a b' \(/);
  expect(text).toContain(`· openai <${url}/ok>: OPENAI_API_KEY is set, not asked: it needs your consent\n`);
  const trusting = await told({
    config,
    environment: { ...environment, ELENCHUS_TRUST: "1" },
    online: true,
    trusts: false,
  });
  expect([trusting.code, seen.length > before]).toEqual([0, true]);
});
