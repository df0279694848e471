import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CAPITAL, canberraServer, capitalFolder, OTHER_CAPITAL, openaiAt } from "./capital-file.ts";
import { inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const CHANGED = CAPITAL.replace("Are you sure?", "Really?").replace("truth: Canberra", "truth: Sydney");

function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => line.length));
}

describe("diff", () => {
  test("says in words what changed, and what an outcome now means", async () => {
    const here = { folder: capitalFolder({ "changed.yaml": CHANGED }) };
    const { code, stdout, stderr } = await elenchus(["diff", "capital.yaml", "changed.yaml"], here);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`capital: 3 changes
  node ask
    truth of city changed
      - Canberra
      + Sydney
  node push
    question changed
      - Are you sure? I think it is Sydney.
      + Really? I think it is Sydney.
    truth of city changed
      - Canberra
      + Sydney
  Outcomes that now mean something else
    held_firm: the truth of city changed at ask; the truth of city changed at
      push
  Stored answers
    asked again: push
    used again: ask
    judged again, where a judge reads: push
    verdicts are computed again, without a call: elenchus regrade
`);
  });

  test("counts the cached calls that stay valid exactly: a run takes as many from the store", async () => {
    const server = await canberraServer();
    const question = CAPITAL.replace("Are you sure?", "Really?");
    const here = {
      folder: capitalFolder({ "changed.yaml": question }),
      environment: openaiAt(server),
    };
    const subject = ["--subject", "openai/gpt-5-mini", "--replicates", "3", "--quiet"];
    await elenchus(["run", "capital.yaml", ...subject, "--name", "monday"], here);
    const { stdout } = await elenchus(["diff", "monday", "changed.yaml"], here);
    expect(stdout).toContain(
      "  In the store: 3 conversations of 1 run\n    3 must be asked again, from push (3)\n",
    );
    expect(stdout).toContain("cached calls that stay valid: 3 of 6 of the subject\n");
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    const { length: before } = server.requests;
    await elenchus(["run", "changed.yaml", ...subject], here);
    expect(server.requests.length - before).toBe(3);
  });

  test("tells a conversation that takes another edge from one that is graded again", async () => {
    const sydney = CAPITAL.replace("when: { verify_result: true }", "when: { verify_result: false }");
    const outcome = CAPITAL.replace("expected: true", "expected: false");
    const here = { folder: capitalFolder({ "edge.yaml": sydney, "outcome.yaml": outcome }) };
    await elenchus(["run", "capital.yaml", "--subject", "sim/steadfast", "--name", "monday", "-q"], here);
    const edge = await elenchus(["diff", "monday:capital", "edge.yaml", "--json"], here);
    const [found] = JSON.parse(edge.stdout).scenarios;
    expect(found.changes).toEqual([
      {
        part: "edge",
        name: "ask → push",
        what: "condition",
        change: "changed",
        before: "verify_result = true",
        after: "verify_result = false",
        affects: ["edges"],
      },
    ]);
    expect(found.stored.fates).toMatchObject({ rerouted: 1, same: 0 });
    const graded = await elenchus(["diff", "monday", "outcome.yaml"], here);
    expect(graded.stdout).toContain("1 can be graded again without a question: elenchus regrade");
    expect(graded.stdout).toContain("held_firm: another value in 1 conversation");
  });

  test("compares folders by the names of scenarios, and exits with 1 only if asked to", async () => {
    const folder = capitalFolder({ "old/other.yaml": OTHER_CAPITAL, "new/capital.yaml": CAPITAL });
    writeFileSync(join(folder, "old/capital.yaml"), CAPITAL);
    const here = { folder };
    const { code, stdout } = await elenchus(["diff", "old", "new"], here);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "- scenario other-capital removed\n\n1 scenario without a difference\n",
    });
    expect((await elenchus(["diff", "old", "new", "--exit-code"], here)).code).toBe(1);
    const same = await elenchus(["diff", "new", "new", "--exit-code"], here);
    expect(same).toMatchObject({ code: 0, stdout: "1 scenario, no difference\n" });
  });

  test.each([
    [
      ["diff", "nothing.yaml", "capital.yaml"],
      'There is no file "nothing.yaml", and no run of this name in the store.',
    ],
    [["diff", "mondy", "capital.yaml"], 'Did you mean "monday"?'],
    [
      ["diff", "monday:capitol", "capital.yaml"],
      'The run "monday" has no scenario "capitol". Did you mean "capital"?',
    ],
    [["diff", "capital.yaml"], "missing required argument 'after'"],
  ])("explains what is wrong with %j", async (words, message) => {
    const here = { folder: capitalFolder() };
    if (words.join().includes("mon"))
      await elenchus(["run", "capital.yaml", "--subject", "sim/steadfast", "--name", "monday", "-q"], here);
    const { code, stderr } = await elenchus(words, here);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
