import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { CAPITAL, canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { folderWith, type Given, inOneProcess, inTerminal } from "./cli.ts";

const elenchus = inOneProcess();

const KEY = "Walrus0417q";

/** A server that a stranger listens on: it takes down every header, and answers nothing of use. */
async function strangersServer(): Promise<{ readonly url: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, heard };
}

const STEADFAST = ["--subject", "sim/steadfast"];
const OPENAI = ["--subject", "openai/gpt-5-mini"];

const made = new Map<string, Promise<string>>();
const theirFolders = mkdtempSync(join(tmpdir(), "elenchus-stranger-"));
afterAll(() => rmSync(theirFolders, { recursive: true, force: true }));

/** The file of a run that a stranger made with these words; the same words are run once. */
function strangersRun(words: readonly string[], folder?: string): Promise<string> {
  if (folder !== undefined) return newRun(words, folder);
  const key = words.join(" ");
  const known = made.get(key);
  if (known !== undefined) return known;
  const own = mkdtempSync(join(theirFolders, "run-"));
  writeFileSync(join(own, "capital.yaml"), CAPITAL);
  const run = newRun(words, own);
  made.set(key, run);
  return run;
}

async function newRun(words: readonly string[], folder: string): Promise<string> {
  const given = { folder, environment: { XDG_CONFIG_HOME: folderWith(), OPENAI_API_KEY: "theirs" } };
  await elenchus(["run", "capital.yaml", "--name", "gift", "--trust", ...words], given);
  return (await elenchus(["export", "gift"], given)).stdout;
}

function touching(file: string): string {
  return `process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(file)}, "")`;
}

describe("a scenario file from a stranger", () => {
  const sending = (override: string): string =>
    CAPITAL.replace("  push:\n", `  push:\n    modelOverride: ${override}\n`);

  test("sends nothing to an address that it names, until the person agrees to that address", async () => {
    const { url, heard } = await strangersServer();
    for (const role of ["subject", "judge"]) {
      const folder = folderWith({ "gift.yaml": sending(`{ ${role}: "${url}/collect#gpt-5" }`) });
      const words = ["run", "gift.yaml", ...STEADFAST];
      const refused = await elenchus(words, { folder });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(
        `${join(folder, "gift.yaml")} needs your consent before it is used. It would:`,
      );
      expect(refused.stderr.replace(/\s+/g, " ")).toContain(
        `with values of rows, to ${url}/collect#gpt-5 (node "push" of scenario "capital")`,
      );
      expect(heard).toEqual([]);
      const reading = role === "judge" ? ["--set", "reading=judge"] : [];
      await elenchus([...words, ...reading, "--trust", "--quiet"], { folder });
      expect(heard).not.toEqual([]);
      heard.length = 0;
    }
  });

  test("a model that the command itself names needs no consent", async () => {
    const { url, heard } = await strangersServer();
    const folder = folderWith({ "own.yaml": sending(`{ subject: "${url}" }`) });
    await elenchus(["run", "own.yaml", "--subject", url, "--quiet"], { folder });
    expect(heard).not.toEqual([]);
  });
});

describe("a run that was imported", () => {
  test("is only data: it is resumed with files and models that the user names", async () => {
    const given = { folder: capitalFolder() };
    const { url, heard } = await strangersServer();
    const words = [...OPENAI, "--patience", "0", "--set", `providers.openai.baseUrl=${url}`];
    const input = await strangersRun(words);
    expect((await elenchus(["import", "-"], { ...given, input })).code).toBe(0);
    heard.length = 0;
    const refused = await elenchus(["resume", "gift", "--retry-errors"], given);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("was not started on this command line");
    expect(refused.stderr).toContain("elenchus resume gift FILES --subject MODEL");
    const named = ["resume", "gift", "capital.yaml", "--retry-errors", ...STEADFAST];
    expect((await elenchus(named, given)).stderr).toContain("subject");
    expect(heard).toEqual([]);
  });

  test("is regraded with the scenarios that it keeps and the settings of the user", async () => {
    const given = { folder: folderWith() };
    const file = await strangersRun([...STEADFAST, "--replicates", "3", "--turn-limit", "5"]);
    await elenchus(["import", "-"], { ...given, input: file });
    const { code, stdout, stderr } = await elenchus(["regrade", "gift", "-q"], given);
    expect([code, stdout]).toEqual([0, expect.stringContaining("3 conversations, held_firm")]);
    expect(stderr).toContain("The scenarios that it keeps are used, with your settings.");
  });

  test("runs functions of the scenarios that it keeps in the sandbox only", async () => {
    const marker = join(folderWith(), "escaped");
    const attempt = `() => { try { ${touching(marker)}; } catch { return true; } return false; }`;
    const outcome = `  - { name: blocked, check: ${JSON.stringify(attempt)} }\n`;
    const changed = CAPITAL.replace("outcomes:\n", `outcomes:\n${outcome}`);
    const file = await strangersRun(STEADFAST, folderWith({ "capital.yaml": changed }));
    const given = { folder: folderWith() };
    await elenchus(["import", "-"], { ...given, input: file });
    const { code, stdout } = await elenchus(["regrade", "-q"], given);
    expect([code, stdout]).toEqual([0, expect.stringContaining("blocked 100.0 %")]);
    expect(existsSync(marker)).toBe(false);
  });

  test("names no addresses in the scenarios that it keeps", async () => {
    const { url, heard } = await strangersServer();
    const changed = CAPITAL.replace("  ask:\n", `  ask:\n    modelOverride: { judge: "${url}" }\n`);
    const file = await strangersRun(STEADFAST, folderWith({ "capital.yaml": changed }));
    heard.length = 0;
    const given = { folder: folderWith() };
    await elenchus(["import", "-"], { ...given, input: file });
    const { code, stderr } = await elenchus(["regrade"], given);
    expect([code, heard]).toEqual([2, []]);
    expect(stderr).toContain("needs your consent");
  });

  test("answers no other run, unless --use-calls says so", async () => {
    const server = await canberraServer();
    const environment = openaiAt(server);
    const theirs = { folder: capitalFolder(), environment };
    await elenchus(["run", "capital.yaml", "--name", "gift", ...OPENAI], theirs);
    const input = (await elenchus(["export", "gift"], theirs)).stdout.replaceAll(
      "It is Canberra.",
      "It is Sydney.",
    );
    const asked = async (words: readonly string[], given: Given): Promise<number> => {
      const before = server.requests.length;
      expect((await elenchus(words, given)).code).toBe(0);
      return server.requests.length - before;
    };
    const mine = { folder: capitalFolder(), environment };
    expect(await asked(["import", "-"], { ...mine, input })).toBe(0);
    const again = ["run", "capital.yaml", ...OPENAI];
    // A run from elsewhere does not choose the models that read.
    const refused = await elenchus(["regrade", "gift"], mine);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Name another `judge`")]);
    expect(await asked(["regrade", "gift", "--judge", "rules"], mine)).toBe(0);
    expect(await asked([...again, "--name", "borrowing", "--use-calls", "gift"], mine)).toBe(0);
    expect((await elenchus(["show", "borrowing"], mine)).stdout).toContain("0 %");
    expect(await asked(again, mine)).toBe(2);
    expect((await elenchus(["show"], mine)).stdout).toContain("100 %");
    const other = { folder: capitalFolder(), environment };
    expect(await asked(["import", "-", "--use-calls"], { ...other, input })).toBe(0);
    expect(await asked(again, other)).toBe(0);
  });
});

describe("a store from a stranger", () => {
  /** A project with its store, made by a stranger with these words, as another user gets it. */
  async function gift(
    words: readonly string[],
    files: Readonly<Record<string, string>> = {},
  ): Promise<Given> {
    const folder = capitalFolder({ ".git/HEAD": "", ...files });
    await newRun(words, folder);
    return { folder, environment: { XDG_CONFIG_HOME: folderWith(), OPENAI_API_KEY: KEY } };
  }

  test.each(["resume", "regrade"])(
    "does nothing without consent besides calling models: %s",
    async (command) => {
      const { url, heard } = await strangersServer();
      const marker = join(folderWith(), "started");
      const server = JSON.stringify({ command: process.execPath, args: ["-e", touching(marker)] });
      const precious = join(folderWith(), "precious.txt");
      const sets = [`tools.x=${server}`, `providers.openai.baseUrl=${url}`].flatMap((one) => ["--set", one]);
      const given = await gift([...STEADFAST, "--judge", `${url}#m`, ...sets, "--junit", precious]);
      rmSync(marker, { force: true });
      rmSync(precious, { force: true });
      heard.length = 0;
      const { code, stderr } = await elenchus([command, "gift"], given);
      expect([code, heard, existsSync(marker), existsSync(precious)]).toEqual([2, [], false, false]);
      for (const line of [
        "  - start the program: ",
        `  - send OPENAI_API_KEY of your environment to ${url} (provider "openai")\n`,
        `  - send conversations and rows to ${url}#m (judges)\n`,
        `  - write the file ${precious} (JUnit report)\n`,
      ])
        expect(stderr).toContain(line);
      expect((await elenchus([command, "gift", "--trust"], given)).stderr).not.toContain("consent");
    },
  );

  test("runs no code that it names, without consent", async () => {
    const marker = join(folderWith(), "ran");
    const code = `${touching(marker)};\nexport const config = {};\n`;
    const given = await gift([...STEADFAST, "--config", "other.mjs"], { "other.mjs": code });
    rmSync(marker, { force: true });
    const { stderr } = await elenchus(["resume", "gift"], given);
    expect([stderr, existsSync(marker)]).toEqual([expect.stringContaining("run the code in "), false]);
  });

  test("whose run only calls models is resumed, as is every run of the user", async () => {
    const given = await gift(STEADFAST);
    expect(await elenchus(["resume", "gift", "-q"], given)).toMatchObject({ code: 0 });
    const own = { folder: capitalFolder(), environment: { XDG_CONFIG_HOME: folderWith() } };
    await elenchus(
      ["run", "capital.yaml", ...STEADFAST, "--junit", "/tmp/elenchus-own.xml", "--name", "own"],
      own,
    );
    for (const command of ["resume", "regrade"])
      expect((await elenchus([command, "own", "-q"], own)).stderr).not.toContain("consent");
    rmSync("/tmp/elenchus-own.xml", { force: true });
  });
});

describe("a project file", () => {
  const RUN = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "-q"];

  /** A project, given by a user who has never consented to anything. */
  function project(
    text: string,
    name = "elenchus.config.yaml",
    files: Readonly<Record<string, string>> = {},
  ): Given {
    return {
      folder: capitalFolder({ [name]: text, ".git/HEAD": "", ...files }),
      environment: { XDG_CONFIG_HOME: folderWith(), OPENAI_API_KEY: KEY, HOUSE_KEY: KEY },
    };
  }

  test.each([
    ["subjects", (url: string) => `subjects: "${url}#gpt-5"\n`],
    ["judges", (url: string) => `subjects: sim/steadfast\njudges: ["${url}#gpt-5"]\nreading: judge\n`],
    ["provider", (url: string) => `providers: { local: { baseUrl: "${url}" } }\nsubjects: local/m\n`],
  ])("that sends conversations to an address needs consent: %s", async (what, text) => {
    const { url, heard } = await strangersServer();
    const given = project(text(url));
    const words = ["run", "capital.yaml", "--quiet"];
    const { code, stderr } = await elenchus(words, given);
    expect([code, heard]).toEqual([2, []]);
    expect(stderr).toContain("  - send conversations ");
    expect(stderr).toContain(what === "provider" ? `of local to ${url}` : `to ${url}#gpt-5 (${what})`);
    await elenchus([...words, "--trust"], given);
    expect(heard).not.toEqual([]);
  });

  test.each([
    ["redirects a known provider", (url: string) => `openai: { baseUrl: "${url}" }`, "OPENAI_API_KEY"],
    [
      "names a variable",
      (url: string) => `openai: { kind: openai-compatible, baseUrl: "${url}", apiKeyVariable: HOUSE_KEY }`,
      "HOUSE_KEY",
    ],
  ])("that %s needs consent", async (_, provider, variable) => {
    const { url, heard } = await strangersServer();
    const given = project(`providers:\n  ${provider(url)}\n`);
    const { code, stderr } = await elenchus(RUN, given);
    expect([code, heard]).toEqual([2, []]);
    expect(stderr).toContain(`${join(given.folder, "elenchus.config.yaml")} needs your consent`);
    expect(stderr).toContain(`  - send ${variable} of your environment to ${url} (provider "openai")\n`);
    expect(stderr).toContain("give the command again with --trust");
    expect(existsSync(join(given.folder, ".elenchus"))).toBe(false);

    for (const words of [["doctor"], ["check"], ["play", "capital.yaml"]]) {
      await elenchus(words, given);
      expect([words, heard]).toEqual([words, []]);
    }
    const doctor = await elenchus(["doctor"], given);
    expect([doctor.code, doctor.stdout]).toEqual([2, expect.stringContaining("needs your consent")]);

    await elenchus([...RUN, "--trust"], given);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.every((request) => request.includes(KEY))).toBe(true);
    // It is remembered, for doctor as well.
    const before = heard.length;
    await elenchus(["doctor"], given);
    expect(heard.length).toBeGreaterThan(before);
  });

  test("that sends a key to a provider's own address needs none, nor does one with headers", async () => {
    const { url, heard } = await strangersServer();
    const given = project(
      "providers:\n  openai: { headers: { x-team: a }, structured: false }\n  house: { kind: openai }\n",
    );
    const environment = { ...given.environment, OPENAI_BASE_URL: url };
    const { stderr } = await elenchus(RUN, { ...given, environment });
    expect([stderr, heard.length > 0]).toEqual([expect.not.stringContaining("consent"), true]);
  });

  test.each(["providers: { openai: { headers: { Host: evil.example } } }", "subjects: SUBJECT"])(
    "that names another host in a header sends no key there: %s",
    async (setting) => {
      const { url, heard } = await strangersServer();
      const subject = "{ model: openai/gpt-5-mini, parameters: { headers: { hOsT: evil.example } } }";
      const given = project(`${setting.replace("SUBJECT", subject)}\n`);
      const environment = { ...given.environment, OPENAI_BASE_URL: url };
      const words = setting.startsWith("subjects") ? ["run", "capital.yaml"] : RUN;
      const { stdout } = await elenchus([...words, "--json"], { ...given, environment });
      expect([stdout, heard]).toEqual([expect.stringContaining('The header \\"host\\" cannot be set'), []]);
    },
  );

  test("shows addresses as they are used, not as they look", async () => {
    const given = project(`providers:
  openai: { baseUrl: "https://api.open\u0430i.com/v1" }
  groq: { baseUrl: 'https://evil.example\\@api.groq.com/v1' }
`);
    const { stderr } = await elenchus(RUN, given);
    expect(stderr).toContain("send OPENAI_API_KEY of your environment to https://api.xn--openi-7ve.com/v1 ");
    expect(stderr).toContain(
      "send GROQ_API_KEY of your environment to https://evil.example/@api.groq.com/v1 ",
    );
  });

  test("settings of the command are consent by themselves", async () => {
    const { url, heard } = await strangersServer();
    const given = project("seed: 1\n");
    const { stderr } = await elenchus([...RUN, "--set", `providers.openai.baseUrl=${url}`], given);
    expect([stderr, heard.length > 0]).toEqual([expect.not.stringContaining("consent"), true]);
  });

  test("a key that the command names goes to no address that only the file names", async () => {
    const { url, heard } = await strangersServer();
    const given = project(`providers:\n  house: { baseUrl: "${url}" }\n`);
    const words = [
      "run",
      "capital.yaml",
      "--subject",
      "house/m",
      "--set",
      "providers.house.apiKeyVariable=HOUSE_KEY",
    ];
    const { code, stderr } = await elenchus(words, given);
    expect([code, heard]).toEqual([2, []]);
    expect(stderr).toContain(`send HOUSE_KEY of your environment to ${url}`);
  });

  function toolProject(marker: string, more = ""): string {
    const server = JSON.stringify({ command: process.execPath, args: ["-e", touching(marker)] });
    return `${more}tools:\n  files: ${server}\n`;
  }

  test("that starts a program needs consent; a change of it asks again, a change elsewhere does not", async () => {
    const marker = join(folderWith(), "started");
    const given = project(toolProject(marker));
    const file = join(given.folder, "elenchus.config.yaml");
    const first = await elenchus(RUN, given);
    expect([first.code, existsSync(marker)]).toEqual([2, false]);
    expect(first.stderr).toContain(`  - start the program: ${process.execPath} -e '`);
    const asks = async (words: readonly string[]): Promise<boolean> =>
      (await elenchus(words, given)).stderr.includes("needs your consent");
    expect(await asks([...RUN, "--trust"])).toBe(false);
    expect(existsSync(marker)).toBe(true);
    expect(await asks(RUN)).toBe(false);
    writeFileSync(file, toolProject(marker, "seed: 3\n"));
    expect(await asks(RUN)).toBe(false);
    // From another folder of the project it is the same server.
    mkdirSync(join(given.folder, "deep"));
    const inside = { ...given, folder: join(given.folder, "deep") };
    const from = ["run", "../capital.yaml", "--subject", "openai/gpt-5-mini", "-q"];
    expect((await elenchus(from, inside)).stderr).not.toContain("consent");
    writeFileSync(file, toolProject(`${marker}-2`));
    expect(await asks(RUN)).toBe(true);
    // Consent is for one project: the same text elsewhere asks.
    const copy = project(toolProject(marker));
    const elsewhere = await elenchus(RUN, { ...given, folder: copy.folder });
    expect(elsewhere.stderr).toContain("needs your consent");
  });

  test("that starts a program in a profile needs consent where the profile is used", async () => {
    const marker = join(folderWith(), "started");
    const server = JSON.stringify({ command: process.execPath, args: ["-e", touching(marker)] });
    const given = project(`profiles:\n  ci: { tools: { x: ${server} } }\n`);
    const words = ["run", "capital.yaml", "--subject", "sim/steadfast", "-q"];
    expect((await elenchus(words, given)).code).toBe(0);
    const { code, stderr } = await elenchus([...words, "--profile", "ci"], given);
    expect([code, stderr]).toEqual([2, expect.stringContaining('tool server "x"')]);
  });

  test("is trusted by ELENCHUS_TRUST=1, which is not remembered", async () => {
    const marker = join(folderWith(), "started");
    const given = project(toolProject(marker));
    await elenchus(RUN, { ...given, environment: { ...given.environment, ELENCHUS_TRUST: "1" } });
    expect(existsSync(marker)).toBe(true);
    expect((await elenchus(RUN, given)).stderr).toContain("needs your consent");
  });

  test("is asked about once in a terminal, where no is the default", async () => {
    const marker = join(folderWith(), "started");
    const given = project(toolProject(marker));
    for (const [typed, isAllowed] of [
      ["", false],
      ["n", false],
      ["y", true],
    ] as const) {
      const terminal = inTerminal(RUN, { ...given, columns: 200 });
      await terminal.until(/Allow this, and remember it for this project\? \[y\/N\] /);
      expect(existsSync(marker)).toBe(false);
      terminal.write(`${typed}\r`);
      const { printed } = await terminal.ended;
      expect([typed, existsSync(marker)]).toEqual([typed, isAllowed]);
      expect(printed).toContain("start the program: ");
    }
    const again = await inTerminal(RUN, given).ended;
    expect(again.printed).not.toContain("Allow this");
  });

  test("that writes outside of the project needs consent", async () => {
    const precious = join(folderWith({ "precious.txt": "mine" }), "precious.txt");
    const given = project(`junit: ${precious}\n`);
    const { code, stderr } = await elenchus([...RUN.slice(0, 2), "--subject", "sim/steadfast"], given);
    expect([code, readFileSync(precious, "utf8")]).toEqual([2, "mine"]);
    expect(stderr).toContain(`  - write the file ${precious} (JUnit report)\n`);
  });

  /** A server that asks whoever connects for the password, as PostgreSQL does. */
  async function passwordServer(): Promise<{ readonly port: number; readonly heard: string[] }> {
    const heard: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        heard.push(bytes.toString("latin1"));
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        if (heard.length > 1) socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, heard };
  }

  test.each(["list", "doctor", "resume", "plan capital.yaml"])(
    "that keeps runs on a server sends it no password without consent: %s",
    async (words) => {
      const { port, heard } = await passwordServer();
      const given = project(`store: postgres://good.example/db?host=127.0.0.1&port=${port}\n`);
      const environment = { ...given.environment, PGPASSWORD: KEY };
      const { code, stdout, stderr } = await elenchus(words.split(" "), { ...given, environment });
      expect([code, heard]).toEqual([2, []]);
      // The driver goes where the query says.
      const text = `${stdout}${stderr}`.replace(/\s+/g, " ");
      expect(text).toContain(`runs on the server postgres://good.example/db?host=127.0.0.1&port=${port}`);
    },
  );

  test("another address of the server is another consent, though it looks alike", async () => {
    const { port, heard } = await passwordServer();
    const given = project("store: postgres://127.0.0.1:1/db\n");
    await elenchus(["doctor", "--trust"], given);
    expect((await elenchus(["list"], given)).stderr).toContain("does not answer");
    writeFileSync(
      join(given.folder, "elenchus.config.yaml"),
      `store: postgres://127.0.0.1:1/db?port=${port}\n`,
    );
    expect((await elenchus(["list"], given)).stderr).toContain("needs your consent");
    expect(heard).toEqual([]);
  });

  test("that keeps runs outside of the project needs consent to change them", async () => {
    const outside = join(folderWith(), "runs.db");
    const given = project(`store: ${outside}\n`);
    const input = await strangersRun(STEADFAST);
    const refused = await elenchus(["import", "-"], { ...given, input });
    expect([refused.code, existsSync(outside)]).toEqual([2, false]);
    expect(refused.stderr).toContain(`  - write the file ${outside} (store of runs)\n`);
    expect(refused.stderr).toContain(
      "name the store with --store, or give the command elenchus doctor --trust",
    );
    expect((await elenchus(["import", "-", "--store", outside], { ...given, input })).code).toBe(0);
    for (const words of [
      ["delete", "gift", "--yes"],
      ["tag", "gift", "x"],
    ])
      expect((await elenchus(words, given)).code).toBe(2);
    await elenchus(["doctor", "--trust"], given);
    expect((await elenchus(["tag", "gift", "x"], given)).code).toBe(0);
  });

  const ROWS = `name: rows
entry: a
nodes: { a: { question: { question: "Say {{row.secret}}", rawAnswer: x } } }
edges: [{ source: a, target: END }]
`;

  test.each(["a path", "a link"])(
    "that sends rows of a file outside of the project needs consent: %s",
    async (how) => {
      const { url, heard } = await strangersServer();
      const precious = join(folderWith({ "precious.csv": "secret\nmine\n" }), "precious.csv");
      const given = project(
        `dataset: ${how === "a path" ? precious : "rows.csv"}\n`,
        "elenchus.config.yaml",
        { "rows.yaml": ROWS },
      );
      if (how === "a link") symlinkSync(precious, join(given.folder, "rows.csv"));
      const words = ["run", "rows.yaml", "--subject", `${url}/chat/completions`, "--allow-unread", "-q"];
      const { code, stderr } = await elenchus(words, given);
      expect([code, heard]).toEqual([2, []]);
      expect(stderr).toContain(`  - send rows of the file ${precious} to models (dataset)\n`);
      await elenchus([...words, "--dataset", precious], given);
      expect(heard).toHaveLength(1);
    },
  );

  test("a scenario reads no rows behind a link that leaves its folder", async () => {
    const precious = join(folderWith({ "precious.csv": "secret\nmine\n" }), "precious.csv");
    const folder = folderWith({ "rows.yaml": ROWS.replace("entry:", "dataset: rows.csv\nentry:") });
    symlinkSync(precious, join(folder, "rows.csv"));
    const { code, stderr } = await elenchus(
      ["run", "rows.yaml", "--subject", "sim/steadfast", "--allow-unread"],
      {
        folder,
      },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining(`behind a link to ${precious}`)]);
  });

  test.each([["run"], ["check"], ["play"]])(
    "that names code as scenarios needs consent: %s",
    async (command) => {
      const marker = join(folderWith(), "ran");
      const code = `${touching(marker)}\nexport const a = 1;\n`;
      const given = project("scenarios: ['*.mjs']\nsubjects: sim/steadfast\n", undefined, { "a.mjs": code });
      const { code: exit, stderr } = await elenchus([command], given);
      expect([exit, existsSync(marker)]).toEqual([2, false]);
      expect(stderr).toContain(`  - run the code in ${join(given.folder, "a.mjs")}\n`);
      await elenchus([command, "a.mjs"], given);
      expect(existsSync(marker)).toBe(true);
    },
  );

  test("that is code runs with consent, once for its path, or if the command names it", async () => {
    const marker = join(folderWith(), "ran");
    const code = `${touching(marker)}\nexport const config = {};\n`;
    const given = project(code, "elenchus.config.mjs");
    const words = ["run", "capital.yaml", "--subject", "sim/steadfast", "-q"];
    for (const command of [
      words,
      ["resume"],
      ["regrade"],
      ["play", "capital.yaml"],
      ["doctor"],
      ["check"],
      ["list"],
    ])
      await elenchus(command, given);
    const { code: exit, stderr } = await elenchus(words, given);
    expect([exit, existsSync(marker)]).toEqual([2, false]);
    expect(stderr).toContain(`  - run the code in ${join(given.folder, "elenchus.config.mjs")}\n`);
    expect((await elenchus([...words, "--config", "elenchus.config.mjs"], given)).code).toBe(0);
    expect(existsSync(marker)).toBe(true);
    expect((await elenchus(words, given)).code).toBe(2);
    expect((await elenchus([...words, "--trust"], given)).code).toBe(0);
    writeFileSync(join(given.folder, "elenchus.config.mjs"), `${code}// later\n`);
    expect((await elenchus(words, given)).code).toBe(0);
  });

  test("that init wrote runs at once, with the modules that init wrote and no others", async () => {
    const given = { folder: folderWith(), environment: { XDG_CONFIG_HOME: folderWith() } };
    expect((await elenchus(["init"], given)).code).toBe(0);
    expect((await elenchus(["run", "-q"], given)).code).toBe(0);
    const marker = join(given.folder, "ran");
    writeFileSync(join(given.folder, "scenarios/planted.mts"), touching(marker));
    const { code, stderr } = await elenchus(["run", "-q"], given);
    expect([code, existsSync(marker)]).toEqual([2, false]);
    expect(stderr).toContain(`  - run the code in ${join(given.folder, "scenarios/planted.mts")}\n`);
    expect(stderr).not.toContain("repair.mts");
  });
});
