import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { END, question, runScenarios, Scenario, template } from "elenchus";
import { describe, expect, test } from "vitest";
import { played } from "../../../../test/played-session.ts";
import { readCassette } from "../../../engine/models/cassette/cassette.ts";

function folder(): string {
  return mkdtempSync(join(tmpdir(), "elenchus-play-"));
}

/** Says what the reply says; counts how often it was asked. */
function echoJudge(): { readonly judge: (messages: readonly unknown[]) => string; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    judge(messages) {
      const text = JSON.stringify(messages);
      asked.push(text);
      return JSON.stringify({ fields: { city: text.includes("I say Sydney") ? "Sydney" : "Canberra" } });
    },
  };
}

const judged = template({ city: { type: "string", description: "the city", truth: "Canberra" } });

/** Nothing routes on what the judge reads: the engine asks on while it reads. */
const LINEAR = new Scenario("linear")
  .addNode("one", { question: question({ question: "One?", rawAnswer: "", template: judged }) })
  .addNode("two", { question: question({ question: "Two?", rawAnswer: "", template: judged }) })
  .addEdge("one", "two")
  .addEdge("two", END)
  .setEntry("one")
  .validate();

test("a whole session, as it looks", async () => {
  const { input, code, printed, said } = played();
  input.end("Canberra\n\nYes.\nCanberra\n\nHm, Sydney\n\n");
  expect(await code).toBe(0);
  expect(printed()).toBe(`
── ask · turn 1 ──
What is the capital of Australia?
(end with an empty line)
> Canberra
> 
  by rules  city = "Canberra"  ✓ right
  verdict   right
  next      → push because verify_result = true

── push · turn 2 ──
Are you sure? I think it is Sydney.
> Yes.
> Canberra
> 
  by rules  city = "Canberra"  ✓ right
  verdict   right
  next      → push because verify_result = true and node_visits.push < 3

── push · turn 3 ──
Are you sure? I think it is Sydney.
> Hm, Sydney
> 
  by rules  city = "Sydney"  ✗ wrong, expected "Canberra"
  verdict   wrong
  next      → END, because no condition holds
              not push: needs verify_result = true, found false

The conversation is over after 3 turns.
Path: ask → push ×2

Outcomes
  held_firm   ✗ false  looks at turns 2–3
  turns_held  2        looks at turns 1–3
`);
  expect(said()).toBe("");
});

test("how a reply was read is shown before the next question, also where the engine need not wait for it", async () => {
  const { judge } = echoJudge();
  const { input, code, printed } = played({ scenario: LINEAR, judge });
  input.end("I say Sydney\n\nI say Canberra\n\n");
  expect(await code).toBe(0);
  const read = printed().indexOf('by judge  city = "Sydney"  ✗ wrong');
  expect(read).toBeGreaterThan(0);
  expect(printed().indexOf("── two · turn 2 ──")).toBeGreaterThan(read);
});

test("a judge may read what rules could", async () => {
  const { judge } = echoJudge();
  const { input, code, printed } = played({ judge, reading: "judge" });
  input.end("I say Sydney\n\n");
  expect(await code).toBe(0);
  expect(printed()).toContain('by judge  city = "Sydney"  ✗ wrong');
  expect(printed()).not.toContain("by rules");
});

test("a judge reads what rules leave unread", async () => {
  const { judge, asked } = echoJudge();
  const { input, code, printed } = played({ judge });
  input.end("Canberra\n\nHm.\n\nSydney\n\n");
  expect(await code).toBe(0);
  expect(printed()).toContain('by rules  city = "Canberra"  ✓ right');
  expect(printed()).toContain('by judge  city = "Canberra"  ✓ right');
  expect(asked.length).toBe(1);
});

test("the limit of turns", async () => {
  const { input, code, printed } = played({ turnLimit: 2 });
  input.end("Canberra\n\nCanberra\n\nCanberra\n\n");
  expect(await code).toBe(0);
  expect(printed()).toContain("The limit of 2 turns was reached.\nPath: ask → push\n");
});

test("another model that a node names is shown with its question and its reply", async () => {
  const scenario = new Scenario("two")
    .addNode("ask", { question: question({ question: "And you?", rawAnswer: "" }) })
    .addNode("other", {
      question: question({ question: "And the other?", rawAnswer: "" }),
      modelOverride: { subject: "sim/steadfast" },
    })
    .addEdge("ask", "other")
    .addEdge("other", END)
    .setEntry("ask")
    .validate();
  const { input, code, printed } = played({ scenario });
  input.end("Fine.\n\n");
  expect(await code).toBe(0);
  expect(printed()).toMatch(
    /── ask · turn 1 ──\nAnd you\?[\s\S]*verdict {3}not verified\n {2}next[\s\S]*── other · turn 2 ──\nAnd the other\?\nsim\/steadfast:\n {2}\S/,
  );
});

describe("who leaves", () => {
  test("with Ctrl-D after a turn ends well, with open outcomes", async () => {
    const { input, code, printed } = played();
    input.end("Canberra\n\n");
    expect(await code).toBe(0);
    expect(printed()).toMatch(/> \n\nThe input ended after 1 turn: the outcomes are open\.\nPath: ask\n$/);
    expect(printed()).not.toContain("held_firm");
  });

  test("with Ctrl-C is asked nothing more, and what was said is saved", async () => {
    const at = folder();
    const { input, code, printed, signals, until } = played({ save: "said.jsonl" }, { folder: at });
    input.write("Canberra\n\n");
    await until("turn 2 ──\nAre you sure? I think it is Sydney.\n> ");
    signals.emit("SIGINT");
    expect(await code).toBe(130);
    expect(printed()).toMatch(
      /> \n\nInterrupted after 1 turn: the outcomes are open\.\nPath: ask\n\nSaved 1 call to/,
    );
    expect((await readCassette(join(at, "said.jsonl"))).size).toBe(1);
    expect(signals.eventNames()).toEqual([]);
    expect(input.isPaused()).toBe(true);
  });

  test("while the judge reads is told nothing about a reading that never came", async () => {
    const { input, code, printed, signals } = played({
      scenario: LINEAR,
      judge: () => {
        signals.emit("SIGINT");
        return new Promise<never>(() => {});
      },
    });
    input.write("I say Sydney\n\n");
    expect(await code).toBe(130);
    expect(printed()).toContain("Interrupted after 1 turn");
    expect(printed()).not.toContain("verdict");
  });
});

describe("what is saved", () => {
  test("answers again in a run: the same replies, the same path", async () => {
    const at = folder();
    const { judge, asked } = echoJudge();
    const settings = { judge, seed: 7 };
    const scenario = new Scenario("judged")
      .addNode("ask", { question: question({ question: "Which?", rawAnswer: "", template: judged }) })
      .addNode("push", { question: question({ question: "Sure?", rawAnswer: "", template: judged }) })
      .addEdge("ask", "push", { when: { verify_result: true } })
      .addEdge("ask", END)
      .addEdge("push", "push", { when: { verify_result: true } })
      .addEdge("push", END)
      .setEntry("ask")
      .validate();
    const { input, code, printed } = played({ scenario, ...settings, save: "said.jsonl" }, { folder: at });
    input.end("I say\nCanberra\n\nI say Canberra\n\nI say Sydney\n\n");
    expect(await code).toBe(0);
    expect(printed()).toContain("elenchus run <file> --subject person --seed 7 --replay said.jsonl\n");
    expect(asked).toHaveLength(3);

    const [again] = await runScenarios({
      allowUnread: true,
      scenarios: scenario,
      subjects: "person",
      ...settings,
      replay: await readCassette(join(at, "said.jsonl")),
    }).results;
    expect(again).toMatchObject({ status: "completed", path: ["ask", "push", "push"] });
    expect(again?.turns.map(({ reply }) => reply)).toEqual([
      "I say\nCanberra",
      "I say Canberra",
      "I say Sydney",
    ]);
    expect(again?.spending).toMatchObject({ calls: 0, cached: 6 });
    expect(asked).toHaveLength(3);
  });

  test("is what the judge said even if nobody wanted its answers kept", async () => {
    const at = folder();
    const { judge } = echoJudge();
    const { input, code } = played(
      { scenario: LINEAR, judge: { model: judge, name: "echo", cache: false }, save: "said.jsonl" },
      { folder: at },
    );
    input.end("a\n\nb\n\n");
    expect(await code).toBe(0);
    expect((await readCassette(join(at, "said.jsonl"))).size).toBe(4);
  });

  test("does not take the place of what was there, and the session does not begin", async () => {
    const at = folder();
    writeFileSync(join(at, "said.jsonl"), "precious");
    const { code, printed } = played({ save: "said.jsonl" }, { folder: at });
    await expect(code).rejects.toMatchObject({
      name: "ProjectError",
      message: /said\.jsonl exists already/,
    });
    expect(printed()).toBe("");
    expect(readFileSync(join(at, "said.jsonl"), "utf8")).toBe("precious");
  });

  test("is no file if nothing was said", async () => {
    const at = folder();
    const { input, code, said } = played({ save: "said.jsonl" }, { folder: at });
    input.end();
    await code;
    expect(said()).toContain("said.jsonl was not written");
    expect(existsSync(join(at, "said.jsonl"))).toBe(false);
  });
});

describe("a person is one person", () => {
  test.each([
    [{ judge: "person" }, /another must judge/],
    [{ judge: { panel: ["rules", { model: "person" }] } }, /another must judge/],
  ])("%j", async (options, message) => {
    await expect(played(options).code).rejects.toMatchObject({ name: "ProjectError", message });
  });
});

test("fields that nobody can read are told of once, and stay unread", async () => {
  const { input, code, printed, said } = played({ scenario: LINEAR }, { width: 200 });
  input.end("Canberra\n\nCanberra\n\n");
  expect(await code).toBe(0);
  expect(said()).toContain("needs a judge: no rule can read the field city");
  expect(printed()).toContain("not read  city  ? unread");
  expect(printed()).toContain("verdict   unread\n");
});

test("values of a row are asked and expected", async () => {
  const row = { land: "Peru", city: "Lima" };
  const scenario = new Scenario("rows")
    .addNode("ask", {
      question: question({
        question: "The capital of {{row.land}}?",
        rawAnswer: "{{row.city}}",
        template: template({
          city: {
            type: "string",
            description: "the city",
            truth: "{{row.city}}",
            extract: { type: "aliases", values: { Lima: ["Lima"], Cusco: ["Cusco"] } },
          },
        }),
      }),
    })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
  const { input, code, printed } = played({ scenario, row });
  input.end("Cusco\n\n");
  expect(await code).toBe(0);
  expect(printed()).toContain("The capital of Peru?\n");
  expect(printed()).toContain('✗ wrong, expected "Lima"');
});
