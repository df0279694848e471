import { gradeRecords } from "../../src/apps/public/index.ts";
import { rates } from "../../src/apps/public/report.ts";
import {
  bootstrapMean,
  clusteredMean,
  mean,
  passHatK,
  percentile,
  standardError,
} from "../../src/apps/public/statistics.ts";
import { memoryStore } from "../../src/apps/public/store.ts";
import { csv, Entries, json, limits, type Reproduced, verdictScenario } from "./entries.ts";

const KS = [1, 2, 3, 4] as const;

/** τ-bench, airline: 50 tasks with four trials each, graded as records; pass^k and pass@k are declared rates. */
export async function tauBench(folder: string): Promise<Reproduced> {
  const entries = new Entries("tau_bench");
  const rows = csv(folder, "tau_bench", "gpt-4o_airline_rewards.csv");
  const scenario = verdictScenario("tau/airline", ["task"], {
    outcomes: { reward: { firstTurn: { verify_result: true } } },
    rates: {
      ...Object.fromEntries(KS.map((k) => [`pass_hat_${k}`, { of: "reward", passHat: k }])),
      ...Object.fromEntries(KS.map((k) => [`pass_at_${k}`, { of: "reward", passAt: k }])),
    },
  });
  const store = memoryStore();
  const records = rows.map(({ task_id = "", trial = "", reward }) => ({
    id: `${task_id}/${trial}`,
    row: task_id,
    subject: "gpt-4o",
    replicate: Number(trial) + 1,
    turns: [{ verify_result: Number(reward) === 1 }],
  }));
  await gradeRecords(records, { scenarios: scenario, store, run: "tau" }).results;
  const names = KS.flatMap((k) => [`pass_hat_${k}`, `pass_at_${k}`]);
  for (const line of rates(store, "tau", { names }).lines)
    entries.add("all", { [line.name]: [line.estimate, line.items, line.interval] });
  return {
    entries: entries.all,
    notes: [
      "n is the number of tasks. Published tables of other runs of this model cannot be derived from this file.",
    ],
  };
}

const SETTINGS = ["vignette", "multiturn", "singleturn", "summarized"] as const;

/** CRAFT-MD: eight settings of two models; items are cases, replicates are trials. */
export function craftMd(folder: string): Reproduced {
  const entries = new Entries("craft_md");
  for (const model of ["gpt4", "gpt35"]) {
    const rows = csv(folder, "craft_md", `labels_${model}.csv`);
    const cases = rows.map((row) => row.case as string);
    for (const kind of ["mcq", "frq"]) {
      // Not graded counts as wrong.
      const valuesOf = (setting: string): readonly number[] =>
        rows.map((row) => (row[`${setting}_${kind}`] === "1" ? 1 : 0));
      for (const setting of SETTINGS) {
        const values = valuesOf(setting);
        const group = `${model} ${setting}_${kind}`;
        const items = [...Map.groupBy(values.keys(), (i) => cases[i] as string).values()].map((places) =>
          places.map((i) => values[i] as number),
        );
        const overItems = (value: (trials: readonly number[]) => number | null): number | null =>
          mean(items.map(value).filter((one) => one !== null));
        entries.add(group, {
          accuracy: [mean(values), values.length, limits(clusteredMean(values, cases))],
          cluster_se: [standardError(items.map((trials) => mean(trials) as number)), items.length],
          aptitude_A90: [overItems((trials) => percentile(trials, 90)), items.length],
          unreliability_U90_10: [overItems(spread), items.length],
        });
        for (const k of [1, 2, 3, 4, 5]) {
          const value = overItems((trials) => passHatK(trials.length, trials.filter(Boolean).length, k));
          entries.add(group, {
            [`pass_hat_${k}`]: [value, items.filter((trials) => trials.length >= k).length],
          });
        }
      }
      const [vignette, multiturn] = [valuesOf("vignette"), valuesOf("multiturn")];
      const group = `${model} vignette_to_multiturn_${kind}`;
      for (const pair of ["00", "01", "10", "11"]) {
        const count = vignette.filter((value, i) => `${value}${multiturn[i]}` === pair).length;
        entries.add(group, { [pair]: [count, vignette.length] });
      }
      const changes = vignette.map((value, i) => (multiturn[i] as number) - value);
      const difference = bootstrapMean(changes, cases, { resamples: 2000, seed: 1 });
      entries.add(group, { difference: [difference?.mean ?? null, changes.length, limits(difference)] });
    }
    const turns = rows
      .map((row) => row.doctor_turns ?? "")
      .filter((text) => text !== "")
      .map(Number);
    entries.add(model, { mean_doctor_turns: [mean(turns), turns.length] });
  }
  return {
    entries: entries.all,
    notes: [
      "Intervals of accuracy are clustered by case; `difference` is multiturn − vignette with a paired bootstrap of cases. The published GPT-4 accuracies of 0.820 and 0.627 are vignette_mcq and multiturn_mcq.",
    ],
  };
}

function spread(trials: readonly number[]): number {
  return (percentile(trials, 90) as number) - (percentile(trials, 10) as number);
}

type Table1 = Readonly<
  Record<
    string,
    readonly [
      readonly (number | null)[],
      readonly (number | null)[],
      readonly (number | null)[],
      number?,
      number?,
    ]
  >
>;

/** Lost in Conversation: ratios of Table 1, and sixty recorded runs, graded as records. */
export async function lostInConversation(folder: string): Promise<Reproduced> {
  const entries = new Entries("lost_in_conversation");
  const { rows } = json<{ readonly rows: Table1 }>(folder, "lost_in_conversation", "paper_table1.json");
  const overall: { concat: number[]; sharded: number[] } = { concat: [], sharded: [] };
  const notes: string[] = [];
  for (const [model, [full, concat, sharded, publishedConcat, publishedSharded]] of Object.entries(rows)) {
    for (const [name, above, published] of [
      ["concat", concat, publishedConcat],
      ["sharded", sharded, publishedSharded],
    ] as const) {
      const ratios = full.flatMap((base, i) =>
        base == null || above[i] == null ? [] : [(above[i] as number) / base],
      );
      const value = mean(ratios.map((ratio) => 100 * ratio));
      entries.add(model, { [`${name}_over_full`]: [value, ratios.length] });
      if (value !== null) overall[name].push(value);
      if (value !== null && published !== undefined && Math.abs(value - published) > 0.06)
        notes.push(
          `${model}: ${name} over full is ${value.toFixed(1)} from the printed values; the paper prints ${published}.`,
        );
    }
  }
  entries.add("all", {
    mean_sharded_over_full: [mean(overall.sharded), overall.sharded.length],
    mean_concat_over_full: [mean(overall.concat), overall.concat.length],
  });
  await addRecorded(entries, folder);
  notes.push(
    "The paper's aptitude and unreliability need its 600 instructions × 10 runs, which are not in the folder; `recorded` has six instructions that often fail.",
  );
  return { entries: entries.all, notes };
}

async function addRecorded(entries: Entries, folder: string): Promise<void> {
  const { is_correct: outcomes } = json<{ readonly is_correct: Readonly<Record<string, readonly number[]>> }>(
    folder,
    "lost_in_conversation",
    "recorded_gpt52_sharded_6x10.json",
  );
  const scenario = verdictScenario("lost/sharded", ["ask"], {
    outcomes: { solved: { firstTurn: { verify_result: true } } },
    rates: {
      A90: { of: "solved", percentile: 90 },
      U90_10: { of: "solved", spread: [90, 10] },
      ...Object.fromEntries([1, 2, 3].map((k) => [`pass_hat_${k}`, { of: "solved", passHat: k }])),
    },
  });
  const store = memoryStore();
  const records = Object.entries(outcomes).flatMap(([row, runs]) =>
    runs.map((right, i) => ({
      id: `${row}/${i}`,
      row,
      subject: "gpt-5.2",
      replicate: i + 1,
      turns: [{ verify_result: right === 1 }],
    })),
  );
  await gradeRecords(records, { scenarios: scenario, store, run: "lost" }).results;
  const scores = [...Map.groupBy(store.scores("lost"), ({ item }) => item).values()];
  const means = scores.map(
    (own) => mean(own.map(({ outcomes: values }) => 100 * Number(values.get("solved")))) as number,
  );
  entries.add("recorded", { P_bar: [mean(means), means.length, limits(clusteredMean(means, null))] });
  const names = ["A90", "U90_10", "pass_hat_1", "pass_hat_2", "pass_hat_3"];
  for (const { name, estimate, interval, items } of rates(store, "lost", { names }).lines) {
    // Scores are 0 or 100.
    const scale = name.startsWith("pass") ? 1 : 100;
    const scaled = interval === null ? null : { low: scale * interval.low, high: scale * interval.high };
    entries.add("recorded", { [name]: [estimate === null ? null : scale * estimate, items, scaled] });
  }
}
