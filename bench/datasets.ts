import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { END, question, renderText, runScenarios, Scenario, type ScenarioDefinition } from "elenchus";
import { functionModel } from "elenchus/models";
import { cpuTime } from "./measure.ts";

const ROWS = 100_000;

function asking(text: string): ScenarioDefinition {
  return new Scenario("bench")
    .addNode("ask", { question: question({ question: text, rawAnswer: "" }) })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
}

interface Measured {
  readonly microseconds: number;
  readonly firstCallMs: number;
  readonly heapMb: number;
}

async function held(options: Partial<Parameters<typeof runScenarios>[0]>, text: string): Promise<Measured> {
  globalThis.gc?.();
  const start = performance.now();
  const cpu = cpuTime();
  let [firstCallMs, heap] = [0, 0];
  const subject = functionModel(
    () => {
      if (firstCallMs === 0) firstCallMs = performance.now() - start;
      return "yes";
    },
    { name: "instant", price: null },
  );
  const run = runScenarios({ scenarios: asking(text), subjects: subject, keepResults: false, ...options });
  let ended = 0;
  for await (const event of run) {
    if (event.type !== "conversation-end") continue;
    if (++ended % 10_000 === 0) heap = Math.max(heap, process.memoryUsage().heapUsed);
  }
  if (ended !== ROWS) throw new Error(`${ended} conversations`);
  return { microseconds: ((cpuTime() - cpu) / ROWS) * 1000, firstCallMs, heapMb: heap / 1e6 };
}

/** The round that took least: what others did meanwhile is no part of it. */
function least(rounds: readonly Measured[]): Measured {
  return rounds.reduce((best, round) => (round.microseconds < best.microseconds ? round : best));
}

/** 100,000 rows with one turn each, against as many replicates of a scenario without rows; and rendering one question. */
export async function benchDatasets(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-"));
  try {
    const file = join(folder, "rows.csv");
    const lines = Array.from(
      { length: ROWS },
      (_, n) => `q${n},"What is ${n} plus ${n + 1}, really?",${2 * n + 1}`,
    );
    writeFileSync(file, ["id,question,answer", ...lines].join("\n"));
    const rounds: [Measured[], Measured[]] = [[], []];
    for (let round = 0; round < 4; round++) {
      rounds[0].push(await held({ replicates: ROWS }, "What is 1 plus 1?"));
      rounds[1].push(await held({ dataset: { file, id: "id" } }, "{{ row.question }} Answer with a number."));
    }
    const [without, rows] = [least(rounds[0]), least(rounds[1])];
    const ratio = rows.microseconds / without.microseconds;
    const say = ({ microseconds, firstCallMs, heapMb }: Measured): string =>
      `${microseconds.toFixed(1)} µs CPU a conversation, first call after ${firstCallMs.toFixed(0)} ms, heap ${heapMb.toFixed(0)} MB at most`;
    console.log(`Datasets: ${ROWS} conversations of one turn, instant model`);
    console.log(`  without rows  ${say(without)}`);
    console.log(`  rows of a CSV ${say(rows)} (${ratio.toFixed(2)} ×, at most 1.30)`);
    const scope = {
      row: { q: "What?", options: ["a", "b", "c", "d"], n: 3 },
      variant: { style: "short" },
      visit: 0,
    };
    for (const [name, text] of [
      ["paths only", "Question: {{ row.q }}\nWith {{ row.n }} parts.\nAnswer {{ variant.style }}."],
      [
        "with filters",
        "Question: {{ row.q | upcase }}\n{{ row.options | letters }}\nAnswer {{ variant.style }}.",
      ],
    ] as const) {
      for (let index = 0; index < 20_000; index++) renderText(text, scope);
      const start = performance.now();
      for (let index = 0; index < 50_000; index++) renderText(text, scope);
      const each = ((performance.now() - start) / 50_000) * 1000;
      console.log(`  rendering a question, ${name}: ${each.toFixed(1)} µs (at most 15)`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
