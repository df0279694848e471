import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CAPITAL } from "./capital-file.ts";
import { elenchus, folderWith } from "./cli.ts";

/** The scenario without rules: only a judge can read the replies. */
const JUDGED = CAPITAL.replace(/\n *extract: .*/, "");
const RUN = ["run", "capital.yaml", "--subject", "sim/steadfast"];

test("a scenario that needs a judge is refused without one, before the first call, with the fields named", async () => {
  const folder = folderWith({ "capital.yaml": JUDGED });
  const { code, stderr } = await elenchus(RUN, { folder });
  expect(code).toBe(2);
  expect(stderr).toContain('Scenario "capital" needs a judge: no rule can read the field city.');
  expect(stderr).toContain("--judge openai/gpt-5-mini");
  expect(stderr).toContain("--allow-unread");
  expect(existsSync(join(folder, ".elenchus"))).toBe(false);
});

test("traits of the run need a judge, too", async () => {
  const config = "rubric: { traits: [{ type: llm, name: polite, kind: boolean }] }\n";
  const folder = folderWith({ "capital.yaml": CAPITAL, "elenchus.config.yaml": config });
  const { code, stderr } = await elenchus(RUN, { folder });
  expect(code).toBe(2);
  expect(stderr).toContain("only a model can judge the trait polite");
});

test("--allow-unread runs it all the same, and nobody judged the turn", async () => {
  const folder = folderWith({ "capital.yaml": JUDGED });
  const { code, stdout } = await elenchus([...RUN, "--allow-unread", "--name", "monday"], { folder });
  expect(code).toBe(0);
  const [, heading = "", line = ""] = /^(Turns .*)\n(.*)$/m.exec(stdout) ?? [];
  const shown = Object.fromEntries(
    heading
      .trim()
      .split(/ {2,}/)
      .slice(1)
      .map((name, index) => [name, line.trim().split(/ {2,}/)[index + 1]]),
  );
  expect(shown).toMatchObject({ unreadable: "0", "not judged": "1" });
  // It was allowed once, and goes on as it was started.
  expect((await elenchus(["resume", "monday"], { folder })).code).toBe(0);
});

test("check warns, unless the project has a judge", async () => {
  const folder = folderWith({ "capital.yaml": JUDGED });
  const { code, stdout } = await elenchus(["check", "capital.yaml", "--no-draw"], { folder });
  expect(code).toBe(0);
  expect(stdout).toContain('warning: Scenario "capital" needs a judge: no rule can read the field city.');
  expect(stdout).toContain("1 scenario in order, 1 warning");
  const judged = folderWith({ "capital.yaml": JUDGED, "elenchus.config.yaml": "judges: ollama/llama3.2\n" });
  const fine = await elenchus(["check", "capital.yaml", "--no-draw"], { folder: judged });
  expect(fine.stdout).not.toContain("needs a judge");
});
