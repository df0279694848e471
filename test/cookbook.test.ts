import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseScenarioFile, type RunOptions, runScenarios, type ScenarioDefinition } from "elenchus";
import { describe, expect, test } from "vitest";
import { memoryModel } from "./engine/held.ts";
import { program } from "./tool-servers/program.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, "examples/cookbook");
const RECIPES: readonly string[] = readdirSync(FOLDER).map((file) => file.replace(".yaml", ""));

function recipe(name: string): ScenarioDefinition {
  const [definition] = parseScenarioFile(readFileSync(join(FOLDER, `${name}.yaml`), "utf8"), {
    filename: name,
  });
  return definition as ScenarioDefinition;
}

/** A subject that says these things, one after the other, and then the last again and again. */
function saying(...replies: readonly string[]): ReturnType<typeof memoryModel> {
  return memoryModel("subject", (_, call) => replies[Math.min(call, replies.length) - 1] as string);
}

/** A judge that always answers this. */
const answering = (answer: object) => memoryModel("judge", () => JSON.stringify(answer));

async function cooked(name: string, options: Omit<RunOptions, "scenarios">) {
  const [result] = await runScenarios({ scenarios: recipe(name), ...options }).results;
  const outcomes = Object.entries(result?.outcomes ?? {}).map(([outcome, { value, status }]) => [
    outcome,
    status === "decided" ? value : status,
  ]);
  return {
    path: result?.path.join(" "),
    status: result?.status,
    turns: result?.turns,
    ...Object.fromEntries(outcomes),
  };
}

test("the page shows lines of every recipe as they are in its file, and each is short", () => {
  const page = readFileSync(join(ROOT, "docs/cookbook.md"), "utf8");
  const shown = [...page.matchAll(/`([\w-]+)\.yaml`[^`]*(?:`[^`]+`[^`]*)?\n\n```yaml\n(.*?)```/gs)];
  expect(shown.map(([, name]) => name).sort()).toEqual([...RECIPES].sort());
  for (const [, name = "", lines = ""] of shown) {
    const text = readFileSync(join(FOLDER, `${name}.yaml`), "utf8");
    let rest = text.split("\n").map((line) => line.trim());
    for (const line of lines.trimEnd().split("\n")) {
      expect(rest, name).toContain(line.trim());
      rest = rest.slice(rest.indexOf(line.trim()) + 1);
    }
    expect(text.split("\n").length).toBeLessThan(28);
    expect(recipe(name).warnings).toEqual([]);
  }
});

describe("each recipe does what it says", () => {
  const tested = new Set<string>();
  const does = (name: string, run: () => Promise<void>): void => {
    tested.add(name);
    test(name, run);
  };

  does("rule", async () => {
    expect(await cooked("rule", { subjects: saying("The answer is B.") })).toMatchObject({ knew_it: true });
    expect(await cooked("rule", { subjects: saying("Saturn") })).toMatchObject({ knew_it: false });
  });

  does("judge", async () => {
    const reply = "In 1913, by the Griffins and others.";
    const fields = { year: 1913, designers: { quote: "the Griffins", value: ["Griffin"] } };
    const result = await cooked("judge", { subjects: saying(reply), judge: answering({ fields }) });
    expect(result).toMatchObject({ knew_it: true });
    // The year counts twice, and the list is not that of the truth.
    expect(result.turns?.[0]).toMatchObject({ quotes: { designers: "the Griffins" } });
    expect(result.turns?.[0]?.score).toBe(1);
  });

  does("numbers-and-dates", async () => {
    const judge = (height: number, climbed: string) => answering({ fields: { height, climbed } });
    const subjects = saying("About 4,800 m.");
    expect(await cooked("numbers-and-dates", { subjects, judge: judge(4810, "1700-01-01") })).toMatchObject({
      knew_it: true,
      height_is_right: true,
    });
    expect(await cooked("numbers-and-dates", { subjects, judge: judge(4700, "1700-01-01") })).toMatchObject({
      knew_it: false,
      height_is_right: false,
    });
  });

  does("semantic-match", async () => {
    const embedder = (text: string): number[] => [
      text.includes("scatter") ? 1 : 0,
      1,
      text.includes("sea") ? 5 : 0,
    ];
    const right = saying("Because blue light is scattered most by air.");
    expect(await cooked("semantic-match", { subjects: right, embedder })).toMatchObject({ knew_it: true });
    const wrong = saying("It mirrors the sea.");
    expect(await cooked("semantic-match", { subjects: wrong, embedder })).toMatchObject({ knew_it: false });
  });

  does("truth-from", async () => {
    expect(await cooked("truth-from", { subjects: saying("Blue.", "It was blue.") })).toMatchObject({
      consistent: true,
    });
    expect(await cooked("truth-from", { subjects: saying("Blue.", "Red.") })).toMatchObject({
      consistent: false,
    });
  });

  does("rubric", async () => {
    const traits = { kind: false, useful: 2, causes: { expected_1: true, expected_2: false } };
    const result = await cooked("rubric", {
      subjects: saying("You drowned it. Why?"),
      judge: answering({ traits }),
    });
    expect(result).toMatchObject({ path: "ask rude", kind_at_once: false, usefulness: 2 });
    expect(result.turns?.[0]?.rubric).toEqual({ kind: false, useful: 2, asks_back: true, causes: 2 / 3 });
  });

  does("refusal", async () => {
    const judge = memoryModel("judge", (_, call) => JSON.stringify({ refused: call === 1 }));
    expect(await cooked("refusal", { subjects: saying("No."), judge })).toMatchObject({
      path: "ask explain",
      refused_at_first: true,
      refused_to_the_end: false,
    });
    expect(
      await cooked("refusal", { subjects: saying("kill"), judge: answering({ refused: false }) }),
    ).toMatchObject({
      refused_to_the_end: "not_applicable",
    });
  });

  does("hint-until-right", async () => {
    expect(await cooked("hint-until-right", { subjects: saying("380", "390", "391") })).toMatchObject({
      path: "ask hint hint",
      repaired: true,
      hints_needed: 2,
    });
    expect(await cooked("hint-until-right", { subjects: saying("380") })).toMatchObject({
      repaired: false,
      hints_needed: 4,
    });
  });

  does("state-update", async () => {
    const subjects = saying(
      "The cheese costs 12 euros.",
      "The bread costs 3 euros.",
      "The wine costs 8 euros.",
    );
    expect(await cooked("state-update", { subjects })).toMatchObject({
      path: "ask ask ask",
      enough: true,
      things: 3,
    });
  });

  does("look-back", async () => {
    expect(await cooked("look-back", { subjects: saying("Knock, knock.") })).toMatchObject({
      path: "ask again again again",
      repeated_itself: true,
    });
    expect(await cooked("look-back", { subjects: saying("One.", "Two.") })).toMatchObject({
      repeated_itself: false,
    });
  });

  does("few-shot", async () => {
    const subjects = saying("hot");
    expect(await cooked("few-shot", { subjects })).toMatchObject({ one_word: true });
    expect(
      subjects.asked[0]?.[0].messages.map((message) => ("content" in message ? message.content : "")),
    ).toEqual([
      "What is the opposite of big?",
      "small",
      "What is the opposite of old?",
      "young",
      "What is the opposite of cold?",
    ]);
  });

  does("overrides", async () => {
    const [subject, reviewer] = [saying("No."), memoryModel("reviewer", () => "Yes.")];
    expect(await cooked("overrides", { subjects: [subject, reviewer] })).toMatchObject({ completed: true });
    expect(subject.asked[0]?.[0].instructions).toBe("You are a careful assistant.");
    // It is a subject of the run, too, so that it is asked both with and without the override.
    expect(reviewer.asked.map(([{ instructions }]) => instructions)).toContain(
      "You review the answers of others.",
    );
  });

  does("tools", async () => {
    const subjects = saying("7006652");
    await cooked("tools", { subjects, tools: { desk: program("stdio-server") } });
    const offered = subjects.asked.map(([{ tools = [] }]) => tools.map(({ name }) => name));
    expect(offered[0]).toContain("add");
    expect(offered[1]).not.toContain("add");
    expect(offered[1]?.length).toBe((offered[0]?.length ?? 0) - 1);
  });

  does("handover", async () => {
    const subjects = saying("Fresh every day!", "No.", "Fresher than fresh!");
    await cooked("handover", { subjects });
    const last = subjects.asked.map(([{ messages }]) => JSON.stringify(messages.at(-1)));
    expect(last[1]).toContain("reply of Writer:\\n> Fresh every day!");
    expect(last[2]).toContain("The reviewer said: No. Improve it, please.");
  });

  does("not-applicable", async () => {
    expect(await cooked("not-applicable", { subjects: saying("Ankara.", "Istanbul.") })).toMatchObject({
      held_firm: false,
      learned_nonsense: "not_applicable",
    });
    expect(await cooked("not-applicable", { subjects: saying("Bursa.", "Istanbul.") })).toMatchObject({
      held_firm: "not_applicable",
      learned_nonsense: true,
    });
  });

  test("none is left out", () => expect([...tested].sort()).toEqual([...RECIPES].sort()));
});
