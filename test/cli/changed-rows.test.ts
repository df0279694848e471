import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const QUIZ = `
name: quiz
dataset: { file: quiz.csv, id: id }
entry: ask
nodes:
  ask:
    question:
      question: "{{ row.q }}"
      rawAnswer: "{{ row.a }}"
      template:
        fields:
          n: { type: integer, description: the number, truth: "{{ row.a }}", extract: { type: number } }
edges: [{ source: ask, target: END }]
outcomes:
  right: { lastTurn: { verify_result: true } }
`;
const csv = (first: string, note = "x"): string =>
  `id,q,a,note\n1,${first},3,${note}\n2,What is 4?,4,${note}\n3,What is 5?,5,${note}\n`;

/** A folder with the run `before`; its dataset can be changed. */
async function quiz() {
  const folder = folderWith({ "quiz.yaml": QUIZ, "quiz.csv": csv("What is 3?") });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const elenchusHere = (...words: readonly string[]) => elenchus(words, { folder });
  const run = (name: string, ...more: readonly string[]) =>
    elenchusHere("run", "quiz.yaml", "--subject", "sim/steadfast", "--name", name, "--quiet", ...more);
  await run("before");
  return {
    elenchus: elenchusHere,
    run,
    change: (text: string) => writeFileSync(join(folder, "quiz.csv"), text),
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

test("a row with the same id and another question is not compared, and diff names it", async () => {
  const { elenchus: here, run, change } = await quiz();
  await here("export", "before", "--baseline", "--output", "baseline.jsonl");
  expect((await here("diff", "before", "quiz.yaml")).stdout).toBe("1 scenario, no difference\n");
  change(csv("What is 2 + 1?"));
  const gate = await run("after", "--baseline", "baseline.jsonl", "--fail-if-worse", "right=0.05");
  expect(oneLine(gate.stderr)).toContain(
    'Left out of the comparison with the baseline: 1 conversation, the content of the row has changed (quiz row 1 "What is 2 + 1?").',
  );
  for (const other of ["before", "baseline.jsonl"]) {
    const { stdout } = await here("compare", other, "after");
    expect(oneLine(stdout)).toContain(
      'Not paired: 1 conversation, the content of the row has changed (quiz row 1 "What is 2 + 1?"). To compare them: --across-versions',
    );
    expect(stdout).toMatch(/\nright .* 2 /);
    expect((await here("compare", other, "after", "--across-versions")).stdout).toMatch(/\nright .* 3 /);
  }
  for (const [one, other] of [
    ["before", "after"],
    ["before", "quiz.yaml"],
  ] as const) {
    const { stdout, code } = await here("diff", one, other, "--exit-code");
    expect([stdout, code]).toEqual(["quiz: other rows\n  Rows\n    1 changed: 1\n", 1]);
  }
  expect((await here("export", "after", "--format", "csv", "--table", "conversations")).stdout).toContain(
    ",item_hash,",
  );
});

test("a column that no text uses is not part of the question", async () => {
  const { elenchus: here, run, change } = await quiz();
  change(csv("What is 3?", "seen"));
  await run("after");
  expect((await here("compare", "before", "after")).stdout).toMatch(/\nright .* 3 /);
  expect((await here("diff", "before", "after")).stdout).toBe("1 scenario, no difference\n");
});
