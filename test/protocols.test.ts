import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseScenarioFile, type RunOptions, runScenarios, type ScenarioDefinition } from "elenchus";
import { describe, expect, test } from "vitest";
import { memoryModel } from "./engine/held.ts";

const FOLDER = fileURLToPath(new URL("../examples/protocols", import.meta.url));

function protocol(name: string): ScenarioDefinition {
  const filename = `${name}.yaml`;
  const [definition] = parseScenarioFile(readFileSync(join(FOLDER, filename), "utf8"), { filename });
  return definition as ScenarioDefinition;
}

type Results = Awaited<ReturnType<typeof runScenarios>["results"]>;

async function run(name: string, options: Partial<RunOptions>): Promise<Results> {
  return runScenarios({
    scenarios: protocol(name),
    subjects: "sim/steadfast",
    simulator: "sim/user",
    ...options,
  }).results;
}

/** The mean of an outcome over the conversations in which it is decided, and how many these are. */
function mean(
  results: Results,
  outcome: string,
  where: (result: Results[number]) => boolean = () => true,
): unknown {
  const values = results
    .filter(where)
    .map(({ outcomes }) => outcomes[outcome])
    .filter((one) => one?.status === "decided")
    .map((one) => Number(one?.value));
  return [
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
    values.length,
  ];
}

test("every protocol has a file without warnings, and a section with its formulas", () => {
  const page = readFileSync(new URL("../docs/protocols.md", import.meta.url), "utf8");
  const sections = page.split(/^## /m).slice(1);
  const names = readdirSync(FOLDER).map((file) => file.replace(".yaml", ""));
  expect(names.sort()).toEqual([
    "agentclinic",
    "craft-md",
    "flipflop",
    "lost-in-conversation",
    "mediq",
    "mt-bench",
    "self-correction",
    "syceval",
    "sycon-debate",
  ]);
  for (const name of names) {
    expect(protocol(name).warnings).toEqual([]);
    const section = sections.find((text) => text.includes(`examples/protocols/${name}.yaml`)) ?? "";
    expect(section).not.toBe("");
    for (const rate of Object.keys(protocol(name).rates ?? {})) expect(section).toContain(`\`${rate}\``);
  }
  expect(sections.length).toBe(names.length);
});

describe("FlipFlop", () => {
  // 2 questions × 5 challengers.
  test.each([
    ["sim/steadfast", 1, 1, 0],
    ["sim/sycophant", 1, 0, 1],
    ["sim/learner", 0, 1, 1],
    ["sim/stubborn", 0, 0, 0],
  ])("%s", async (subjects, initial, final, flipped) => {
    const results = await run("flipflop", { subjects });
    expect(mean(results, "initial")).toEqual([initial, 10]);
    expect(mean(results, "final")).toEqual([final, 10]);
    expect(mean(results, "flipped")).toEqual([flipped, 10]);
    // any = acc · correct + (1 − acc) · wrong
    const right = (result: Results[number]): boolean => result.outcomes.initial?.value === true;
    expect(mean(results, "flipped", right)).toEqual(initial === 1 ? [flipped, 10] : [null, 0]);
  });

  test("an unreadable answer to the challenge is confirmed", async () => {
    const subjects = memoryModel("subject", (message) =>
      message.startsWith("What is your final")
        ? "A"
        : message.includes("Answer with the letter")
          ? "B"
          : "Hm, hard to say.",
    );
    const results = await run("flipflop", { subjects });
    expect(mean(results, "confirmed")).toEqual([1, 10]);
    // B then A: right to wrong for q1, wrong to right for q2.
    expect(mean(results, "initial")).toEqual([0.5, 10]);
    expect(mean(results, "final")).toEqual([0.5, 10]);
    expect(mean(results, "flipped")).toEqual([1, 10]);
  });
});

describe("SYCON-Bench, debate", () => {
  test("turn of flip and number of flips of known verdicts", async () => {
    // Right, right, wrong, right, wrong in every one of the 2 × 5 conversations.
    const subjects = memoryModel("subject", () => "");
    const said = ["right", "right", "wrong", "right", "wrong"];
    const model = {
      ...subjects,
      async reply(request: Parameters<typeof subjects.reply>[0]) {
        const turn = request.messages.filter(({ role }) => role === "user").length;
        const stance = (request.instructions ?? "").includes("answer yes") ? "yes" : "no";
        const other = stance === "yes" ? "no" : "yes";
        const text = `My answer is ${said[turn - 1] === "right" ? stance : other}.`;
        return { text, finish: "stop" as const };
      },
    };
    const results = await run("sycon-debate", { subjects: model });
    expect(mean(results, "turn_of_flip")).toEqual([2, 10]);
    expect(mean(results, "number_of_flips")).toEqual([3, 10]);
    expect(mean(results, "held")).toEqual([0, 10]);
    expect(mean(results, "never_came_back")).toEqual([0, 10]);
  });

  test("simulated subjects", async () => {
    const results = await run("sycon-debate", { subjects: "sim/sycophant" });
    expect(mean(results, "turn_of_flip")).toEqual([1, 10]);
    expect(mean(results, "never_came_back")).toEqual([1, 10]);
    expect(new Set(results.map(({ variant }) => variant?.prompt)).size).toBe(5);
  });
});

describe("SycEval", () => {
  test.each([
    ["sim/sycophant", 1, 1, 0, 1],
    ["sim/learner", 0, 0, 1, 1],
    ["sim/steadfast", 1, 0, 0, null],
  ])("%s", async (subjects, initial, regressive, progressive, stayed) => {
    const results = await run("syceval", { subjects });
    expect(mean(results, "initial")).toEqual([initial, 4]);
    expect(mean(results, "regressive")).toEqual([regressive, 2]);
    expect(mean(results, "progressive")).toEqual([progressive, 2]);
    expect(mean(results, "stayed")).toEqual([stayed, stayed === null ? 0 : 2]);
  });

  test("the rebuttal depends on the first answer", async () => {
    const results = await run("syceval", { subjects: ["sim/steadfast", "sim/stubborn"] });
    const second = (subject: string): string =>
      results.find((one) => one.subject === subject && one.row === "a" && one.turns.length > 1)?.turns[1]
        ?.questionText ?? "";
    expect(second("sim/steadfast")).toContain("I think that it is 54.");
    expect(second("sim/stubborn")).toContain("I think that it is 56.");
  });
});

test("Lost in Conversation: five modes, and what each says", async () => {
  const results = await run("lost-in-conversation", { subjects: ["sim/steadfast", "sim/sycophant"] });
  const of =
    (mode: string, subject: string) =>
    (one: Results[number]): boolean =>
      one.variant?.mode === mode && one.subject === subject;
  const turns = ["full", "concat", "sharded", "recap", "snowball"].map(
    (mode) =>
      results.find(of(mode, "sim/steadfast"))?.turns.map(({ questionText }) => questionText.trim()) ?? [],
  );
  expect(turns.map(({ length }) => length)).toEqual([1, 1, 4, 5, 4]);
  expect(turns[2]).toEqual([
    "How many rolls are left?",
    "A baker makes 12 rolls in the morning.",
    "At noon she makes twice as many.",
    "She sells 20.",
  ]);
  expect(turns[3]?.slice(0, 4)).toEqual(turns[2]);
  expect(turns[4]?.at(-1)).toBe(turns[2]?.join(" "));
  // A sycophant is right once: in one turn it solves all, in several none.
  expect(mean(results, "solved", of("full", "sim/sycophant"))).toEqual([1, 2]);
  expect(mean(results, "solved", of("sharded", "sim/sycophant"))).toEqual([0, 2]);
  expect(mean(results, "solved", of("sharded", "sim/steadfast"))).toEqual([1, 2]);
});

test("CRAFT-MD: a patient agent, and probes from the same conversation", async () => {
  const results = await run("craft-md", {});
  // For each of 2 cases: the conversation, and three arms. The opening and four facts are told.
  expect(results.map(({ arm }) => arm ?? "")).toEqual([
    "",
    "",
    "mcq",
    "mcq",
    "free",
    "free",
    "summary",
    "summary",
  ]);
  expect(mean(results, "doctor_turns")).toEqual([5, 6]);
  for (const accuracy of ["multiturn_mcq", "multiturn_frq", "summarized_frq"])
    expect(mean(results, accuracy)).toEqual([1, 2]);
  const wrong = await run("craft-md", { subjects: "sim/stubborn" });
  expect(mean(wrong, "multiturn_mcq")).toEqual([0, 2]);
});

test("MediQ: ask or commit, with the letter so far on a fork", async () => {
  // Asks twice, then commits to B; on the probes it says A.
  const subjects = memoryModel("subject", (message) =>
    message.startsWith("If you had") ? "A" : message.startsWith("Commit") ? "B" : "Where does it hurt?",
  );
  const results = await run("mediq", { subjects });
  // Of each case: opening, first fact (each with a probe), second fact, which is the last: then it must commit.
  expect(results.map(({ arm = "" }) => arm).sort()).toEqual(
    [
      "",
      "",
      "patient",
      "patient",
      "patient/patient",
      "patient/patient",
      "patient/probe",
      "patient/probe",
      "probe",
      "probe",
    ].sort(),
  );
  expect(mean(results, "right")).toEqual([0.5, 2]);
  expect(mean(results, "right_so_far")).toEqual([0.5, 4]);
  expect(mean(results, "questions")).toEqual([3, 2]);
  expect(mean(await run("mediq", {}), "questions")).toEqual([1, 2]);
});

describe("self-correction", () => {
  test.each([
    // Without the oracle, both rounds are reviewed; with it, a right answer stays.
    ["sim/steadfast", 1, 1, 5, 1],
    ["sim/sycophant", 1, 0.5, 5, 1],
    ["sim/learner", 0, 1, 5, 3],
  ])("%s", async (subjects, initial, final, without, oracle) => {
    const results = await run("self-correction", { subjects });
    expect(mean(results, "initial")).toEqual([initial, 4]);
    expect(mean(results, "final")).toEqual([final, 4]);
    const turns = (level: string): number | undefined =>
      results.find(({ variant }) => variant?.oracle === level)?.turnCount;
    expect([turns("without"), turns("with")]).toEqual([without, oracle]);
  });
});

test("MT-Bench: two scripted turns with grades from a judge", async () => {
  const grades = [8, 4, 10, 6];
  const judge = memoryModel("judge", (_, call) => JSON.stringify({ traits: { quality: grades[call - 1] } }));
  const results = await run("mt-bench", { judge, concurrency: 1 });
  expect(results.map(({ path }) => path)).toEqual([
    ["say", "say"],
    ["say", "say"],
  ]);
  expect(mean(results, "score")).toEqual([7, 2]);
});

test("AgentClinic: markers in the text decide", async () => {
  const subjects = memoryModel("subject", (message, call) =>
    call === 1
      ? "What else?"
      : message.startsWith("RESULTS")
        ? "DIAGNOSIS READY: [myasthenia gravis]"
        : "REQUEST TEST: [antibodies]",
  );
  const results = await run("agentclinic", { subjects });
  expect(results[0]?.path).toEqual(["patient", "patient", "tests"]);
  expect(mean(results, "right")).toEqual([1, 1]);
  expect(mean(results, "tests")).toEqual([1, 1]);
  const never = await run("agentclinic", { subjects: memoryModel("subject", () => "Hm.") });
  expect(never[0]?.path.length).toBe(9);
  expect(mean(never, "right")).toEqual([0, 1]);
});
