import { readFileSync, symlinkSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  ConversationAnswer,
  ConversationsAnswer,
  CoverageAnswer,
  GroupsAnswer,
  HeatAnswer,
  PairsAnswer,
  RunAnswer,
  RunEntry,
  RunsAnswer,
  ScenarioAnswer,
} from "../../src/apps/viewer/answers.ts";
import { runEntry, type Viewed } from "../../src/apps/viewer/server/run-data.ts";
import { graphOf } from "../../src/apps/viewer/server/scenario-data.ts";
import { parseScenario } from "../../src/core/scenario/parse-scenario.ts";
import { memoryStore } from "../../src/engine/journal/store/memory-store.ts";
import type { RunSummary } from "../../src/engine/journal/store/store.ts";
import type { RunSequences } from "../../src/insight/report/data/sequences.ts";
import { ViewedStore } from "./viewed-store.ts";

/** A scenario whose code counts. */
const SHOPPING = `name: shopping
entry: ask
nodes:
  ask:
    question:
      question: What is two and two?
      rawAnswer: "4"
      template:
        fields: { sum: { type: integer, description: the sum, truth: 4, extract: { type: number } } }
    stateUpdate: "(accumulated) => ({ asked: (accumulated.asked ?? 0) + 1 })"
edges:
  - { source: ask, target: ask, when: { accumulated.asked: { lt: 3 } } }
  - { source: ask, target: END }
outcomes: []
`;

/** A scenario with rows of a file. */
const CITIES = `name: cities
entry: ask
dataset: cities.csv
nodes:
  ask:
    question:
      question: Name a city in {{ row.topic }}.
      rawAnswer: "{{ row.city }}"
      template:
        fields: { city: { type: string, description: the city, truth: "{{ row.city }}", extract: { type: aliases, values: { Paris: [Paris], Tokyo: [Tokyo], Seoul: [Seoul] } } } }
edges: [{ source: ask, target: END }]
outcomes: { right: { firstTurn: { verify_result: true } } }
`;

/** A scenario that forks after a right answer. */
const FORKED = `name: forked
entry: ask
nodes:
  ask:
    question:
      question: What is two and two?
      rawAnswer: "4"
      template:
        fields: { sum: { type: integer, description: the sum, truth: 4, extract: { type: number } } }
  left: { question: { question: Why?, rawAnswer: "" } }
  right: { question: { question: Sure?, rawAnswer: "" } }
edges:
  - { source: ask, fork: [left, right], when: { verify_result: true } }
  - { source: ask, target: right }
  - { source: left, target: END }
  - { source: right, target: END }
outcomes: []
`;

const store = new ViewedStore();
let url: URL;

beforeAll(async () => {
  const { code, said } = await store.give(
    ..."run pack:pressure --tag biology --scenario pressure/authority-first --scenario pressure/evidence-first".split(
      " ",
    ),
    ..."--subject sim/steadfast --subject sim/sycophant --replicates 2 --judge rules --name first --quiet".split(
      " ",
    ),
  );
  if (code !== 0) throw new Error(said);
  store.write({ "shopping.yaml": SHOPPING });
  await store.give(
    ..."run shopping.yaml --subject sim/steadfast --judge rules --name second --quiet".split(" "),
  );
  url = await store.view();
});
afterAll(() => store.remove());

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hasCookie?: boolean;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Asks as any program could: `fetch` would not send these headers. */
function ask(
  path: string,
  { method = "GET", headers = {}, hasCookie = true }: Asked = {},
): Promise<Answered> {
  const cookie = hasCookie ? { cookie: `elenchus-${url.port}=${token()}` } : {};
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: url.port, path, method, headers: { ...cookie, ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

function token(): string {
  return url.searchParams.get("token") ?? "";
}

async function answer<Data>(path: string): Promise<Data> {
  const { status, text } = await ask(path);
  expect([status, path]).toEqual([200, path]);
  return JSON.parse(text) as Data;
}

describe("who may ask", () => {
  test("the address with its token sets a strict cookie and a policy without inline script", async () => {
    const { status, headers } = await ask(`/?token=${token()}`, { hasCookie: false });
    expect(status).toBe(200);
    expect(String(headers["set-cookie"])).toMatch(/HttpOnly; SameSite=Strict/);
    expect(headers["content-security-policy"]).toContain("script-src 'self'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each([
    ["no token", "/", {}],
    ["a wrong token", "/?token=wrong", {}],
    ["a token of another length", "/api/runs", { cookie: "elenchus-1=x" }],
    ["a wrong cookie", "/api/runs", { cookie: "elenchus-PORT=wrong" }],
  ])("%s is refused", async (_, path, headers: Record<string, string>) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace("PORT", url.port)]),
    );
    const { status, text } = await ask(path, { headers: sent, hasCookie: false });
    expect(status).toBe(403);
    expect(text).toMatch(/token/);
    expect(text).not.toContain("first");
  });

  test("another name for this machine is refused, so that no foreign page can pretend to be this one", async () => {
    const { status } = await ask("/api/runs", { headers: { host: `evil.example:${url.port}` } });
    expect(status).toBe(421);
    expect((await ask("/api/runs", { headers: { host: `localhost:${url.port}` } })).status).toBe(200);
  });

  test("a foreign page is refused", async () => {
    expect((await ask("/api/runs", { headers: { origin: "http://evil.example" } })).status).toBe(403);
    expect((await ask("/api/runs", { headers: { origin: `http://127.0.0.1:${url.port}` } })).status).toBe(
      200,
    );
  });

  test("what deletes needs the token in a header, not only the cookie", async () => {
    const { status } = await ask("/api/runs/first", { method: "DELETE" });
    expect(status).toBe(403);
    expect((await answer<RunsAnswer>("/api/runs")).runs).toHaveLength(2);
  });

  test("nothing is deleted through a link that leads out of the folder", async () => {
    const linked = new ViewedStore();
    try {
      symlinkSync(dirname(store.path), dirname(linked.path));
      const other = await linked.view();
      const key = other.searchParams.get("token") ?? "";
      const headers = { cookie: `elenchus-${other.port}=${key}`, "x-elenchus-token": key };
      const response = await fetch(new URL("/api/runs/first", other), { method: "DELETE", headers });
      expect(response.status).toBe(500);
      expect(await response.text()).toContain("link");
      expect((await answer<RunsAnswer>("/api/runs")).runs).toHaveLength(2);
    } finally {
      await linked.remove();
    }
  });

  test("a label needs the token, and must be one", async () => {
    const headers = { "content-type": "application/json" };
    expect((await ask("/api/runs/first/labels", { method: "POST", headers })).status).toBe(403);
    const known = { ...headers, "x-elenchus-token": token() };
    expect((await ask("/api/runs/first/labels", { method: "POST", headers: known })).status).toBe(400);
    const foreign = { ...known, origin: "http://evil.example" };
    expect((await ask("/api/runs/first/labels", { method: "POST", headers: foreign })).status).toBe(403);
  });

  test("only known paths are answered", async () => {
    for (const path of ["/../package.json", "/%2e%2e/package.json", "/api/nothing", "/viewer.map"])
      expect((await ask(path)).status).toBe(404);
  });
});

describe("what is answered", () => {
  test("runs, with what they took", async () => {
    const { runs } = await answer<RunsAnswer>("/api/runs");
    expect(runs.filter(({ run }) => run === "first")).toMatchObject([
      {
        run: "first",
        state: "finished",
        conversations: 8,
        ended: 8,
        subjects: ["sim/steadfast", "sim/sycophant"],
      },
    ]);
  });

  test("a run with rates by subject", async () => {
    const { rates, scenarioEntries, descriptions } = await answer<RunAnswer>("/api/runs/first");
    const resisted = rates.outcomes.find(({ outcome }) => outcome === "resisted");
    expect(resisted?.lines).toMatchObject([
      { group: { subject: "sim/steadfast" }, n: 4, estimate: 1 },
      { group: { subject: "sim/sycophant" }, n: 4, estimate: 0 },
    ]);
    expect(scenarioEntries.map(({ scenario }) => scenario)).toEqual([
      "pressure/authority-first",
      "pressure/evidence-first",
    ]);
    expect(descriptions.knew_it).toBe("The first answer was right.");
  });

  test("conversations in pages, each once, and by filter", async () => {
    const inPages = async (query: string): Promise<ConversationsAnswer["conversations"]> => {
      const seen: ConversationsAnswer["conversations"][number][] = [];
      for (let after = ""; ; ) {
        const path = `/api/runs/first/conversations?limit=3&${query}${after}`;
        const page = await answer<ConversationsAnswer>(path);
        seen.push(...page.conversations);
        if (page.next === null) return seen;
        after = `&after=${page.next}`;
      }
    };
    const took = ({ startedAt, endedAt }: ConversationsAnswer["conversations"][number]): number =>
      (endedAt ?? 0) - (startedAt ?? 0);
    for (const [order, value] of [
      ["", ({ index }) => index],
      ["turns", ({ turns }) => turns.length],
      ["time", took],
      ["cost", ({ cost }) => cost ?? -1],
    ] as const satisfies readonly (readonly [string, (entry: Parameters<typeof took>[0]) => number])[]) {
      const seen = await inPages(`order=${order}`);
      expect(new Set(seen.map(({ conversation }) => conversation)).size).toBe(8);
      expect(seen.map(value)).toEqual(seen.map(value).sort((one, other) => one - other));
      const last = await inPages(`order=${order === "" ? "last" : `-${order}`}`);
      expect(last.map(({ conversation }) => conversation)).toEqual(
        seen.map(({ conversation }) => conversation).reverse(),
      );
    }
    const found = async (query: string): Promise<ConversationsAnswer["conversations"]> =>
      (await answer<ConversationsAnswer>(`/api/runs/first/conversations?${query}`)).conversations;
    expect(await found("subject=sim%2Fsycophant")).toHaveLength(4);
    expect(await found("outcome=resisted:true")).toHaveLength(4);
    expect((await found("outcome=resisted:true")).every(({ outcomes }) => outcomes.resisted === true)).toBe(
      true,
    );
    expect(await found("node=recover&verdict=fail&scenario=pressure%2Fauthority-first")).toHaveLength(2);
    expect(await found("status=running")).toEqual([]);
    expect(await found("status=cut_short")).toEqual([]);
    // The edge from `repeat` to itself, which only a subject that holds takes.
    expect((await found("edge=9")).map(({ subject }) => subject)).toEqual(Array(4).fill("sim/steadfast"));
  });

  test("a conversation with fields against truth, hops with reasons, calls and states", async () => {
    const { conversations } = await answer<ConversationsAnswer>(
      "/api/runs/first/conversations?subject=sim%2Fsycophant&scenario=pressure%2Fauthority-first",
    );
    const name = conversations[0]?.conversation ?? "";
    const data = await answer<ConversationAnswer>(`/api/runs/first/conversations/${name}`);
    expect(data.turns.map(({ node, verdict }) => [node, verdict])).toEqual([
      ["ask", "pass"],
      ["authority", "fail"],
      ["recover", "fail"],
    ]);
    const [, authority] = data.turns;
    expect(authority?.fields).toMatchObject([
      { name: "answer", value: "mammal", result: false, expected: '"fish"' },
    ]);
    expect(authority?.edges).toMatchObject([
      { targets: ["recover"], result: "taken", condition: "verify_result = false" },
      { targets: ["doubt"], result: "not tried", condition: "" },
    ]);
    expect(authority?.calls).toMatchObject([{ purpose: "subject", cached: false, failure: null }]);
    expect(authority?.state).toMatchObject({
      turn: 2,
      currentNode: "authority",
      nodeVisits: { ask: 1, authority: 1 },
    });
    expect(data.others.map(({ subject }) => subject)).toEqual(["sim/steadfast", "sim/sycophant"]);
    expect(data.outcomes).toContainEqual(
      expect.objectContaining({ name: "resisted", value: false, turns: [1, 2] }),
    );
  });

  test("what code of a scenario has computed is part of the state before and after each turn", async () => {
    const { conversations } = await answer<ConversationsAnswer>("/api/runs/second/conversations");
    const path = `/api/runs/second/conversations/${conversations[0]?.conversation}`;
    const { turns } = await answer<ConversationAnswer>(path);
    expect(turns.map(({ state }) => state?.accumulated)).toEqual([{ asked: 1 }, { asked: 2 }, { asked: 3 }]);
  });

  test("a fork is one edge of a turn, and its fallback another", async () => {
    store.write({ "forked.yaml": FORKED });
    const { code, said } = await store.give(
      ..."run forked.yaml --subject sim/steadfast --judge rules --name forked --quiet".split(" "),
    );
    if (code !== 0) throw new Error(said);
    const { conversations } = await answer<ConversationsAnswer>("/api/runs/forked/conversations");
    expect(conversations.map(({ place }) => place)).toEqual([
      "replicate 1",
      "arm left, replicate 1",
      "arm right, replicate 1",
    ]);
    const [parent, arm] = await Promise.all(
      conversations.map(({ conversation }) =>
        answer<ConversationAnswer>(`/api/runs/forked/conversations/${conversation}`),
      ),
    );
    expect(parent?.turns[0]?.edges).toMatchObject([
      { targets: ["left", "right"], result: "taken", condition: "verify_result = true" },
      { targets: ["right"], result: "not tried", condition: "" },
    ]);
    expect(arm?.turns.map(({ node, isOfParent }) => [node, isOfParent])).toEqual([
      ["ask", true],
      ["left", undefined],
    ]);
    const { graph } = await answer<ScenarioAnswer>("/api/runs/forked/scenarios/forked");
    expect(graph?.edges.map(({ target, role }) => [target, role])).toEqual([
      ["left", "conditional"],
      ["right", "conditional"],
      ["right", "otherwise"],
      ["__end__", "only"],
      ["__end__", "only"],
    ]);
  });

  test("a forged store whose arms continue each other is shown, and its file is not imported", async () => {
    store.write({ "circle.yaml": FORKED.replace("name: forked", "name: circle") });
    await store.give(
      ..."run circle.yaml --subject sim/steadfast --judge rules --name circle --quiet".split(" "),
    );
    const database = new Database(store.path);
    const [left, right] = database
      .prepare(
        `SELECT event.id, conversation.name FROM event JOIN conversation ON conversation.id = event.conversation
         JOIN run ON run.id = event.run
         WHERE run.name = 'circle' AND json_extract(data, '$.fork.parent') IS NOT NULL ORDER BY position`,
      )
      .all() as readonly { readonly id: number; readonly name: string }[];
    if (left === undefined || right === undefined) throw new Error("There are no two arms.");
    const forge = database.prepare("UPDATE event SET data = json_set(data, '$.fork.parent', ?) WHERE id = ?");
    const seen = async (parent: string): Promise<void> => {
      forge.run(parent, left.id);
      const { turns } = await answer<ConversationAnswer>(`/api/runs/circle/conversations/${left.name}`);
      expect(turns.map(({ node }) => node)).toContain("left");
      expect((await store.give("show", left.name)).said).toContain("Why?");
      expect((await store.give("view", "circle", "--export", `pages-${parent}`)).code).toBe(0);
      await store.give("export", "circle", "--output", `${parent}.jsonl`);
      expect((await store.give("import", `${parent}.jsonl`, "--as", "other")).said).toContain(
        "the conversation that it continues has not begun before",
      );
    };
    await seen(left.name);
    forge.run(left.name, right.id);
    await seen(right.name);
    database.close();
  });

  test("the edges of a fork are its arms", () => {
    const node = { question: { question: "?", rawAnswer: "" } };
    const { edges } = graphOf(
      parseScenario({
        name: "fork",
        entry: "a",
        nodes: { a: node, b: node },
        edges: [{ source: "a", fork: ["b", "END"] }],
        outcomes: [],
      }),
    );
    expect(edges.map(({ target, role }) => [target, role])).toEqual([
      ["b", "fork"],
      ["__end__", "fork"],
    ]);
  });

  test("the arms of forks are among the conversations of a run, which is not finished without them", () => {
    const start = { conversations: 4, scenarios: {}, subjects: [], judges: [], replicates: 1 };
    const entry = (completed: number, error = 0): Pick<RunEntry, "state" | "conversations" | "ended"> =>
      runEntry(
        { store: memoryStore(), browser: { isBeingWritten: () => false } } as unknown as Viewed,
        { run: "r", endedAt: 1, start, statuses: { completed, error }, arms: 8 } as unknown as RunSummary,
      );
    expect(entry(12)).toMatchObject({ state: "finished", conversations: 12, ended: 12 });
    expect(entry(5)).toMatchObject({ state: "stopped", conversations: 12, ended: 5 });
    expect([entry(1, 11).state, entry(0, 12).state]).toEqual(["finished", "failed"]);
  });

  test("a scenario with its traffic: what comes to a node leaves it", async () => {
    const { graph, nodes, edges } = await answer<ScenarioAnswer>(
      "/api/runs/first/scenarios/pressure%2Fauthority-first",
    );
    expect(graph?.nodes.map(({ id }) => id)).toEqual([
      "ask",
      "authority",
      "doubt",
      "evidence",
      "repeat",
      "recover",
    ]);
    for (const subject of ["sim/steadfast", "sim/sycophant"])
      for (const { id } of graph?.nodes ?? []) {
        const visits = nodes.find((one) => one.node === id && one.subject === subject)?.visits ?? 0;
        const out = graph?.edges.filter(({ source }) => source === id).map(({ edge }) => edge) ?? [];
        const left = edges.filter((one) => one.subject === subject && out.includes(one.edge));
        expect([id, subject, left.reduce((sum, { hops }) => sum + hops, 0)]).toEqual([id, subject, visits]);
      }
  });

  test("pairs of conversations that differ in an outcome, each about the same item and replicate", async () => {
    const path = "/api/runs/first/pairs?a=sim%2Fsteadfast&b=sim%2Fsycophant";
    const { pairs } = await answer<PairsAnswer>(`${path}&outcome=resisted`);
    expect(
      pairs.map(({ a, b }) => [a.scenario === b.scenario, a.replicate === b.replicate, a.subject, b.subject]),
    ).toEqual(Array(4).fill([true, true, "sim/steadfast", "sim/sycophant"]));
    expect((await answer<PairsAnswer>(`${path}&outcome=resisted&side=a`)).pairs).toHaveLength(4);
    expect((await answer<PairsAnswer>(`${path}&outcome=resisted&side=b`)).pairs).toEqual([]);
    expect((await answer<PairsAnswer>(`${path}&outcome=knew_it`)).pairs).toEqual([]);
    const half = await answer<PairsAnswer>(`${path}&limit=3`);
    const rest = await answer<PairsAnswer>(`${path}&limit=3&after=${half.next}`);
    expect(new Set([...half.pairs, ...rest.pairs].map(({ a }) => a.conversation)).size).toBe(4);
  });

  test("results by columns of rows, which stand in the store", async () => {
    const long = "x".repeat(200);
    store.write({
      "data/cities.csv": `topic,city,note\neurope,Paris,${long}\nasia,Tokyo,${long}\nasia,Seoul,${long}\n`,
      "data/cities.yaml": CITIES,
    });
    const run = "run data/cities.yaml --subject sim/steadfast --replicates 2 --name cities --quiet";
    expect((await store.give(...run.split(" "))).code).toBe(0);
    const { groups } = await answer<RunAnswer>("/api/runs/cities");
    expect(groups).toEqual(["row", "row.topic", "row.city"]);
    const { lines, more } = await answer<GroupsAnswer>("/api/runs/cities/rates?by=row.topic%2Csubject");
    expect(lines.map(({ group, n, items }) => [group["row.topic"], n, items])).toEqual([
      ["europe", 2, 1],
      ["asia", 4, 2],
    ]);
    expect(more).toBe(0);
    // Whatever is shown of a conversation has the texts of its row.
    const { conversations } = await answer<ConversationsAnswer>("/api/runs/cities/conversations?order=last");
    const last = `/api/runs/cities/conversations/${conversations[0]?.conversation ?? ""}`;
    const { turns, graph } = await answer<ConversationAnswer>(last);
    expect(turns[0]?.fields).toMatchObject([{ expected: '"Seoul"', choices: ["Seoul"] }]);
    expect(graph?.nodes).toMatchObject([
      { question: "Name a city in asia.", fields: [{ truth: '"Seoul"' }] },
    ]);
    const scenario = await answer<ScenarioAnswer>("/api/runs/cities/scenarios/cities");
    expect(scenario).toMatchObject({ example: 'row "Name a city in europe."' });
    expect(scenario.graph?.nodes[0]?.question).toBe("Name a city in europe.");
    const heat = await answer<HeatAnswer>("/api/runs/cities/heat?outcome=right");
    expect(heat.lines.map(({ name, cells }) => [name, cells[0]?.n])).toEqual([
      ['cities row "Name a city in europe."', 2],
      ['cities row "Name a city in asia."', 2],
      ['cities row "Name a city in asia."', 2],
    ]);
    // A name of a row is made of texts.
    expect(
      (await store.give("view", "cities", ..."--export bare.html --single --no-texts".split(" "))).code,
    ).toBe(0);
    const parts = readFileSync(join(store.folder, "bare.html"), "utf8").matchAll(
      /[",>]([A-Za-z0-9+/=]{40,})["<]/g,
    );
    const bare = [...parts]
      .map(([, part]) => gunzipSync(Buffer.from(part ?? "", "base64")).toString())
      .join();
    expect(bare).toContain("(text left out)");
    expect(bare).not.toContain("Name a city");
    // The dataset is found beside the scenario's file.
    const covered = await answer<CoverageAnswer>("/api/runs/cities/scenarios/cities/coverage");
    expect(covered.problem).toBeUndefined();
    const { status, text } = await ask("/api/runs/cities/rates?by=row.nothing");
    expect([status, text]).toEqual([400, expect.stringContaining("row.nothing")]);
  });

  test("choices for labels are answers, also where a list of the row is not stored", async () => {
    const rows = 'dataset: { rows: [{ q: "Where?", a: Paris, w: [Lyon, Nice] }] }';
    const text = `name: lists\n${rows}\nquestion: "{{ row.q }}"\nanswer: "{{ row.a }}"\nwrong: "{{ row.w }}"\n`;
    store.write({ "lists.yaml": text });
    await store.give(..."run lists.yaml --subject sim/steadfast --name lists --quiet".split(" "));
    const { conversations } = await answer<ConversationsAnswer>("/api/runs/lists/conversations");
    const path = `/api/runs/lists/conversations/${conversations[0]?.conversation ?? ""}`;
    const { turns } = await answer<ConversationAnswer>(path);
    expect(turns[0]?.fields[0]?.choices).toEqual(["Paris"]);
  });

  test("curves: the share that is still right, and what follows what", async () => {
    const { subjects, logRank, clusteredLogRank } = await answer<RunSequences>("/api/runs/first/curves");
    const [steadfast, sycophant] = subjects;
    expect(steadfast?.survival.at(-1)).toMatchObject({ atRisk: 4, events: 0, survival: 1 });
    expect(sycophant?.survival).toMatchObject([
      { turn: 1, atRisk: 4, events: 0, survival: 1 },
      { turn: 2, atRisk: 4, events: 4, survival: 0 },
    ]);
    expect(sycophant?.accuracy.map(({ rate, n }) => [rate, n])).toEqual([
      [1, 4],
      [0, 4],
      [0, 4],
    ]);
    expect(sycophant?.transitions.counts).toEqual([
      [0, 4, 0],
      [0, 4, 0],
      [0, 0, 0],
    ]);
    expect(logRank?.p).toBeLessThan(0.05);
    // Two items are too few.
    expect(clusteredLogRank).toBeNull();
  });

  test.each([
    ["/api/runs/unknown", /no run "unknown"/],
    ["/api/runs/first/conversations/unknown", /no such conversation/],
    ["/api/runs/first/scenarios/unknown", /no such scenario/],
    ["/api/runs/first/scenarios/__proto__", /no such scenario/],
    ["/api/runs/first/conversations/unknown/calls/1.subject.1", /no such call/],
  ])("%s is not found, in words", async (path, message) => {
    const { status, text } = await ask(path);
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toMatch(message);
  });

  test.each(["after=x", "after=1", "edge=-1", "edge=1e9"])("a list with %s is refused", async (query) => {
    expect((await ask(`/api/runs/first/conversations?${query}`)).status).toBe(400);
  });
});

describe("what a person is told", () => {
  test("no store, an unknown run, a port in use", async () => {
    const empty = new ViewedStore();
    try {
      expect(await empty.give("view", "--no-open")).toEqual({
        code: 2,
        said: expect.stringMatching(/no runs in .* yet/),
      });
    } finally {
      await empty.remove();
    }
    expect(await store.give("view", "nothing", "--no-open")).toEqual({
      code: 2,
      said: expect.stringContaining('There is no run "nothing"'),
    });
    expect(await store.give("view", "--no-open", "--port", url.port)).toEqual({
      code: 2,
      said: expect.stringContaining(`Port ${url.port} is in use`),
    });
  });
});
