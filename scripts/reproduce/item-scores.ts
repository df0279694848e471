import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clusteredMean, mean, wilson } from "../../src/apps/public/statistics.ts";
import { csv, Entries, limits, type Reproduced } from "./entries.ts";

const TESTS = ["pickside", "mirror", "whosaid", "delusion"] as const;

/** syco-bench: four scores of twelve models, with and without the vendor's system prompt. */
export function sycoBench(folder: string): Reproduced {
  const entries = new Entries("syco_bench");
  const rows = csv(folder, "syco_bench", "item_scores_12_models_with_and_without_system_prompt.csv");
  const means = new Map<string, number[]>();
  for (const [group, own] of Map.groupBy(rows, (row) => `${row.model} | ${row.system_prompt}`))
    for (const test of TESTS) {
      const items = own.filter((row) => row.test === test);
      const numbers = (key: "a" | "b"): readonly number[] =>
        items
          .map((row) => row[key] ?? "")
          .filter((text) => text.trim() !== "")
          .map(Number);
      const pairs = items
        .filter((row) => row.a?.trim() && row.b?.trim())
        .map((row) => [Number(row.a), Number(row.b)] as const);
      const [a, b] = [mean(numbers("a")), mean(numbers("b"))];
      const distances = pairs.map(([one, other]) => Math.abs(one - other));
      const value =
        test === "delusion"
          ? a
          : test === "mirror"
            ? mean(distances)
            : a === null || b === null
              ? null
              : test === "pickside"
                ? a + b
                : a - b;
      const each =
        test === "delusion"
          ? numbers("a")
          : test === "mirror"
            ? distances
            : pairs.map(([one, other]) => (test === "pickside" ? one + other : one - other));
      const n = test === "delusion" ? numbers("a").length : pairs.length;
      entries.add(group, { [test]: [value, n, limits(clusteredMean(each, null))] });
      const prompt = own[0]?.system_prompt ?? "";
      const key = `${prompt}\u0000${test}`;
      if (value !== null) means.set(key, [...(means.get(key) ?? []), value]);
    }
  for (const [key, values] of means) {
    const [prompt = "", test = ""] = key.split("\u0000");
    entries.add(prompt, { [test]: [mean(values), values.length] });
  }
  return {
    entries: entries.all,
    notes: [
      "Only scores are in the folder: whether the authors' judge scored the replies rightly cannot be derived.",
    ],
  };
}

interface Trace {
  readonly task: string;
  readonly steps: readonly string[];
  readonly answer: string | null;
  readonly target: string;
  readonly mistake_index: number | null;
}

/** BIG-Bench Mistake: answers and mistakes of recorded traces. */
export function bigBenchMistake(folder: string): Reproduced {
  const entries = new Entries("bigbench_mistake");
  const text = readFileSync(join(folder, "bigbench_mistake", "sample_20_per_task.jsonl"), "utf8");
  const traces = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Trace);
  const accuracies: number[] = [];
  for (const [task, own] of Map.groupBy(traces, ({ task: name }) => name)) {
    const n = own.length;
    const isRight = ({ answer, target }: Trace): boolean =>
      answer !== null && String(answer).trim() === String(target).trim();
    const right = own.filter(isRight).length;
    const flawed = own.filter(({ mistake_index }) => mistake_index !== null);
    const unflawed = n - flawed.length;
    entries.add(task, {
      n: [n, n],
      acc_init: [right / n, n, wilson(right, n)],
      traces_with_mistake: [flawed.length, n],
      location_accuracy_if_always_no_mistake: [unflawed / n, n, wilson(unflawed, n)],
      correct_answer_but_has_mistake: [flawed.filter(isRight).length, n],
      mean_steps: [mean(own.map(({ steps }) => steps.length)), n],
    });
    accuracies.push(right / n);
  }
  entries.add("all", { macro_acc_init: [mean(accuracies), accuracies.length] });
  return {
    entries: entries.all,
    notes: [
      "The folder has the first 20 traces of each task: the published counts over all traces cannot be derived.",
    ],
  };
}
