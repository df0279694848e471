import { createServer } from "node:net";
import { parseScenario, type RunEvent, runScenarios, type ScenarioDefinition } from "elenchus";
import { chain } from "./chain.ts";
import { report } from "./measure.ts";
import { type ServerFaults, serve } from "./served.ts";

// Few calls a second, so that waiting decides and not the processor, which other programs may use as well.
const DELAY = 250;
const PLACES = 24;
const TURNS = 5;
const CONVERSATIONS = 96;
const CALLS = CONVERSATIONS * TURNS;
const RETRY_AFTER = 200;
const RATE = 40;
/** Each ratio is the median of so many, each to a run alone just before it. */
const PAIRS = 3;

/** How long a run takes, what was lost, and how many calls the server answered. */
interface Held {
  readonly ms: number;
  readonly lost: number;
  readonly answered: number;
}

type Providers = Readonly<Record<string, { readonly baseUrl: string }>>;
type Ended = Extract<RunEvent, { type: "conversation-end" }>;

/** Runs with one subject, or until the conversations of one of several subjects are over. */
async function hold(options: {
  readonly scenarios: ScenarioDefinition | readonly ScenarioDefinition[];
  readonly providers: Providers;
  readonly watched: (event: Ended) => boolean;
  readonly replicates: number;
  readonly places?: number;
  readonly onTurn?: (turns: number) => void;
  readonly over?: AbortController;
}): Promise<Omit<Held, "answered">> {
  const { scenarios, providers, watched, replicates, places = PLACES, onTurn } = options;
  const { over = new AbortController() } = options;
  const run = runScenarios({
    allowUnread: true,
    signal: over.signal,
    scenarios,
    providers,
    subjects: Object.keys(providers).map((name) => `${name}/subject`),
    replicates,
    concurrency: places,
    environment: {},
  });
  let [left, lost, turns, ms] = [replicates, 0, 0, 0];
  const start = performance.now();
  for await (const event of run) {
    if (event.type === "turn-end") onTurn?.(++turns);
    if (event.type !== "conversation-end" || !watched(event) || left === 0) continue;
    if (event.status !== "completed") lost++;
    if (--left > 0) continue;
    ms = performance.now() - start;
    // A stop would wait for calls that are never answered.
    over.abort();
  }
  return { ms, lost };
}

async function alone(faults: ServerFaults = {}, awayMs = 0): Promise<Held> {
  const served = await serve(DELAY, faults);
  let isAway = false;
  const held = await hold({
    scenarios: chain(TURNS),
    providers: { healthy: { baseUrl: `${served.origin}/v1` } },
    watched: () => true,
    replicates: CONVERSATIONS,
    onTurn: (turns) => {
      if (awayMs === 0 || isAway || turns < CALLS / 3) return;
      isAway = true;
      void served.away(awayMs);
    },
  });
  const { answered } = await served.counts();
  served.stop();
  return { ...held, answered };
}

function reportRatio(what: string, ratio: number, goal: number): void {
  report(what, `×${ratio.toFixed(2)}`, { text: `≥ ×${goal}`, met: ratio >= goal });
}

function reportLost({ lost, answered }: Held): void {
  report("  lost, and answered more than once", `${lost}, ${answered - CALLS}`, {
    text: "0, 0",
    met: lost === 0 && answered === CALLS,
  });
}

/** A port on which nobody listens. */
async function deadOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 1}`;
}

/** What the source strings of a scenario do in each of its turns, with the same number of calls each. */
const SOURCES = {
  good: "() => ({})",
  endless: "() => { for (;;); }",
  // The engine cannot interrupt a builtin: only the end of its thread does.
  uninterruptible: "() => ({ at: new Array(4e9).indexOf(1) })",
  // Below the limit of one call, in every turn.
  heavy: "() => { let sum = 0; for (let n = 0; n < 6e5; n++) sum += n; return { sum }; }",
  greedy: "() => { const all = []; for (;;) all.push(new Array(1000).fill(1)); }",
} as const;

/** A chain as long as that of the others, whose nodes run a source string. */
function sourceScenario(stateUpdate: string): ScenarioDefinition {
  const names = Array.from({ length: TURNS }, (_, index) => `n${index}`);
  return parseScenario({
    name: "evil",
    entry: "n0",
    nodes: Object.fromEntries(
      names.map((name) => [name, { question: { question: "Again?", rawAnswer: "Yes" }, stateUpdate }]),
    ),
    edges: names.map((source, index) => ({ source, target: names[index + 1] ?? "END" })),
  });
}

export async function benchFaults(): Promise<void> {
  console.log(
    `faults (${CONVERSATIONS} conversations of ${TURNS} turns, ${PLACES} at a time, a server that takes ${DELAY} ms)`,
  );
  // The first run also loads and compiles.
  await alone();
  const undisturbed = await alone();
  report("undisturbed", `${(CALLS / (undisturbed.ms / 1000)).toFixed(0)} calls/s`);
  for (const refuse of [0.01, 0.02, 0.1, 0.2]) {
    const held = await alone({ refuse });
    const percent = `${refuse * 100} % refused by chance, retry-after-ms: ${RETRY_AFTER}`;
    const ratio = undisturbed.ms / held.ms;
    // A place whose call is refused waits as the server asks; no client is quicker with as many places.
    const possible = DELAY / (DELAY + (refuse / (1 - refuse)) * RETRY_AFTER * 1.05);
    report(percent, `×${ratio.toFixed(2)} of undisturbed`);
    reportRatio("  of what the server would accept", ratio / possible, 0.8);
    reportLost(held);
  }
  const limited = await alone({ rate: RATE });
  reportRatio(`a limit of ${RATE} requests a second, of that limit`, CALLS / (limited.ms / 1000) / RATE, 0.8);
  reportLost(limited);
  await benchSlowNode();
  await benchNeighbours();
  for (const seconds of [3, 30, 120]) {
    const held = await alone({}, seconds * 1000);
    const ratio = (undisturbed.ms + seconds * 1000) / held.ms;
    reportRatio(`away for ${seconds} s: undisturbed and that time, against it`, ratio, 0.8);
    reportLost(held);
  }
}

/** Two quick nodes and a slow one: without limits, with a time limit that the slow one exceeds, and with a budget. */
export async function benchSlowNode(): Promise<void> {
  for (const [name, options] of [
    ["a node of 15 s after two of 0.2 s", {}],
    ["  with a time limit of 5 s", { timeouts: { callMs: 5_000 } }],
    [
      "  with a time limit of 5 s and a budget of 100 calls",
      { timeouts: { callMs: 5_000 }, budget: { calls: 100 } },
    ],
  ] as const) {
    const served = await serve(200, { slow: { text: "Question 2?", delay: 15_000 } });
    const records = await runScenarios({
      allowUnread: true,
      scenarios: chain(3),
      providers: { server: { baseUrl: `${served.origin}/v1` } },
      subjects: "server/subject",
      replicates: 60,
      environment: {},
      ...options,
    }).results;
    const { answered } = await served.counts();
    served.stop();
    const reported = records.reduce((sum, { spending }) => sum + spending.calls, 0);
    report(`${name}: calls at the server, reported`, `${answered}, ${reported}`, {
      text: "equal",
      met: answered === reported,
    });
  }
}

/** The median ratio of the time alone to the time beside others. */
async function besideOthers(alone: () => Promise<number>, beside: () => Promise<number>): Promise<number> {
  const ratios: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const before = await alone();
    ratios.push(before / (await beside()));
  }
  return ratios.sort((one, other) => one - other)[Math.floor(PAIRS / 2)] as number;
}

export async function benchNeighbours(): Promise<void> {
  const served = await serve(DELAY);
  const silent = await serve(DELAY, { silent: true });
  const refusing = await serve(DELAY, { rate: 0.001 });
  const healthy = { healthy: { baseUrl: `${served.origin}/v1` } };
  const watched = ({ cell }: Pick<Ended, "cell">) => cell.subject.startsWith("healthy");
  const options = { scenarios: chain(TURNS), watched, replicates: CONVERSATIONS };
  const aloneMs = async (): Promise<number> => (await hold({ ...options, providers: healthy })).ms;
  for (const [name, origin] of [
    ["a dead subject", await deadOrigin()],
    ["a subject that never answers", silent.origin],
    ["a subject that always refuses", refusing.origin],
  ] as const) {
    const providers = { bad: { baseUrl: `${origin}/v1` }, ...healthy };
    const ratio = await besideOthers(aloneMs, async () => (await hold({ ...options, providers })).ms);
    reportRatio(`beside ${name}, of its speed alone`, ratio, 0.9);
  }
  for (const server of [silent, refusing]) server.stop();
  await benchEvilScenarios(healthy);
  served.stop();
}

/**
 * Scenarios with evil source strings, beside a healthy one. On an account of its own, an evil scenario shares nothing with the others
 * but this process and its sandbox. On one account it may take its share of the places, as a good one with as many calls does.
 */
export async function benchEvilScenarios(healthy: Providers): Promise<void> {
  const watched = ({ cell }: Pick<Ended, "cell">) => cell.scenario !== "evil";
  const options = { scenarios: chain(TURNS), providers: healthy, watched, replicates: CONVERSATIONS / 2 };
  const whole = { ...options, replicates: CONVERSATIONS };
  const apart = await serve(DELAY);
  const besideApart = (source: string) => async (): Promise<number> => {
    const over = new AbortController();
    const providers = { other: { baseUrl: `${apart.origin}/v1` } };
    const other = { ...whole, scenarios: sourceScenario(source), providers, watched: () => false, over };
    const neighbour = hold(other);
    const { ms } = await hold(whole);
    over.abort();
    await neighbour;
    return ms;
  };
  const aloneMs = async (): Promise<number> => (await hold(whole)).ms;
  const evilApart = besideApart(SOURCES.endless);
  reportRatio("beside an evil scenario, of its speed alone", await besideOthers(aloneMs, evilApart), 0.9);
  const goodApart = besideApart(SOURCES.good);
  reportRatio("  of its speed beside a good one", await besideOthers(goodApart, evilApart), 0.9);
  apart.stop();
  const half = async (): Promise<number> => (await hold({ ...options, places: PLACES / 2 })).ms;
  const beside = (source: string) => async (): Promise<number> =>
    (await hold({ ...options, scenarios: [sourceScenario(source), chain(TURNS)] })).ms;
  const { good, ...evil } = SOURCES;
  for (const [name, source] of Object.entries(evil)) {
    const ratio = await besideOthers(beside(good), beside(source));
    reportRatio(`  on one account, ${name}: of beside a good one`, ratio, 0.9);
  }
  const share = await besideOthers(half, beside(SOURCES.endless));
  reportRatio("  on one account, endless: of alone with half the places", share, 0.9);
}
