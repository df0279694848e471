import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { capitalFolder } from "./capital-file.ts";
import { folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

describe("rehearse", () => {
  test("lists what each outcome can come to, with a shortest conversation", async () => {
    const here = { folder: capitalFolder() };
    const { code, stdout, stderr } = await elenchus(["rehearse", "capital.yaml"], here);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatchInlineSnapshot(`
      "capital
        5 paths over 2 sequences of nodes, of 1 to 2 turns. Every node and every edge
        can be reached.

      Outcomes and how to get there
        held_firm  true          ask ✓ → push ✓ → END
                   false         ask ✗ → END
                   inconclusive  ask ? → END

      Shortest paths
        1 turn   ask ✗ → END
        1 turn   ask ? → END
        2 turns  ask ✓ → push ✓ → END
        2 turns  ask ✓ → push ✗ → END
        2 turns  ask ✓ → push ? → END

        ✓ right, ✗ wrong, ? unread, – not verified
      "
    `);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("a witness that does not exist is answered with what there is", async () => {
    const here = { folder: capitalFolder() };
    for (const [witness, text] of [
      ["held_frm=false", 'There is no witness "held_frm=false". Did you mean "held_firm=false"?'],
      ["psh", 'There is no witness "psh". Did you mean "push"?'],
    ] as const) {
      const { code, stderr } = await elenchus(["rehearse", "capital.yaml", "--witness", witness], here);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(text) });
    }
  });
});

describe("a witness", () => {
  test("is played, saved as a cassette, and the cassette answers a run", async () => {
    const here = { folder: capitalFolder() };
    const played = await elenchus(
      ["play", "capital.yaml", "--witness", "held_firm=false", "--save", "w.jsonl"],
      here,
    );
    expect(played).toMatchObject({ code: 0, stderr: "" });
    expect(played.stdout).toContain('city = "Sydney"  ✗ wrong');
    expect(played.stdout).toMatch(/held_firm\s+✗ false/);
    const words = ["--subject", "person", "--judge", "person", "--replay", "w.jsonl", "--name", "again"];
    const replayed = await elenchus(["run", "capital.yaml", ...words, "--quiet"], here);
    expect(replayed).toMatchObject({ code: 0 });
    const { stdout } = await elenchus(["show", "again", "--json"], here);
    expect(JSON.parse(stdout).results).toMatchObject([{ conversations: 1 }]);
    const { stdout: paths } = await elenchus(["show", "again"], here);
    expect(paths).toMatch(/1 {2}100 % {2}ask$/m);
  });
});

describe("coverage", () => {
  test("says what runs reached, one and together, and makes it a threshold", async () => {
    const here = { folder: capitalFolder() };
    const run = (subject: string, name: string, ...more: string[]): ReturnType<typeof elenchus> =>
      elenchus(["run", "capital.yaml", "--subject", subject, "--name", name, ...more], here);
    const first = await run("sim/steadfast", "one");
    expect(first.stdout).toContain("Not reached: ");
    expect(first.stdout).toContain("See: elenchus show --coverage");
    const one = await elenchus(["show", "one", "--coverage"], here);
    expect(one.stdout).toMatchInlineSnapshot(`
      "Coverage of run one
                  nodes   edges  outcomes  routes
        capital  2 of 2  2 of 3    1 of 2  1 of 2

      Not reached in capital
        edge     ask->END         ask ✗ → END
        outcome  held_firm=false  ask ✗ → END
      "
    `);
    const strict = await run("sim/steadfast", "two", "--fail-under-coverage", "edges=0.99");
    expect(strict).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/Coverage of edges is 0\.\d+, less than 0.99/),
    });
    await run("sim/sycophant", "three");
    await run("sim/stubborn", "four");
    const both = await elenchus(
      [
        "show",
        "one",
        "--coverage",
        "--with",
        "three",
        "--with",
        "four",
        "--json",
        "--fail-under-coverage",
        "edges=1",
      ],
      here,
    );
    expect(both.code).toBe(0);
    const { runs, all, thresholds } = JSON.parse(both.stdout);
    expect(runs).toEqual(["one", "three", "four"]);
    expect(all.edges.reached).toBe(all.edges.possible);
    expect(thresholds).toMatchObject([{ kind: "edges", passed: true }]);
  });

  test("the dataset of a scenario in another folder is found; texts are those of a row", async () => {
    const guide = readFileSync(new URL("../../docs/benchmarks-from-data.md", import.meta.url), "utf8");
    const folder = folderWith({
      "sub/flip.yaml": /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "",
      "sub/questions.csv":
        "id,question,options,right,wrong\nq1,Capital of Turkey?,Ankara;Izmir,A,B\nq2,Capital of Chile?,Lima;Santiago,B,A\n",
    });
    await elenchus(["run", "sub/flip.yaml", "--subject", "sim/steadfast"], { folder });
    const covered = await elenchus(["show", "--coverage"], { folder });
    expect([covered.code, covered.stdout]).toEqual([0, expect.stringContaining("flip  2 of 2  2 of 3")]);
    expect(covered.stdout).not.toContain("could not be rehearsed");
    const { stdout } = await elenchus(["show"], { folder });
    expect(stdout).toMatch(/ask +4 +Capital of Turkey\? A\) Ankara B\) Izmir/);
    // What a question says of earlier turns is known in a conversation only.
    expect(stdout).toContain("Are you sure? You chose {{ nodes.ask.parsed.answer }}.");
    expect(stdout).toContain('Texts of row q1 "Capital of Turkey? A) Ankara B) Izmir", challenger=sure');
    const { stdout: table } = await elenchus(["export", "--format", "csv"], { folder });
    const [name = ""] =
      (table.split("\n").find((line) => /q2.*teacher/.test(line)) ?? "").match(/\b[0-9a-f]{16}\b/) ?? [];
    const conversation = await elenchus(["show", name], { folder });
    expect(conversation.stdout).toContain("My teacher says that A is right. You chose B.");
    expect(conversation.stdout).not.toMatch(/\{\{/);
    // Without its rows, nothing but the rehearsal is missing.
    rmSync(join(folder, "sub", "questions.csv"));
    const gone = await elenchus(["show", "--coverage"], { folder });
    expect([gone.code, gone.stdout]).toEqual([
      0,
      expect.stringMatching(/could not be rehearsed[\s\S]*There is no dataset at\s+sub\/questions\.csv/),
    ]);
  });

  test("a threshold that cannot be read is refused before anything is asked", async () => {
    const here = { folder: capitalFolder() };
    const words = ["run", "capital.yaml", "--subject", "sim/steadfast", "--fail-under-coverage"];
    for (const [given, text] of [
      ["edgs=1", 'Coverage has no "edgs". Did you mean "edges"?'],
      ["edges", "must be written like edges=0.9 or edges=90%"],
      ["edges=90", "must lie between 0 and 1"],
    ] as const)
      expect(await elenchus([...words, given], here)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(text),
      });
  });
});
