import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseScenarioFile, runScenarios } from "../../src/apps/public/index.ts";

const golden = JSON.parse(
  readFileSync(new URL("../golden/short-forms.json", import.meta.url), "utf8"),
) as readonly { readonly short: string; readonly long: { readonly name: string } }[];

/** Without rows of other files, users whom a model plays, and templates that only a judge can read. */
const playable = golden.filter(({ short }) => !/rows\.csv|user:|fields:/.test(short));

test.each(playable.map(({ short, long }) => [long.name, short] as const))(
  "%s: simulated subjects are read by rules",
  async (_name, short) => {
    const scenarios = parseScenarioFile(short);
    const subjects = ["sim/steadfast", "sim/sycophant"];
    const results = await runScenarios({ scenarios, subjects, judge: "rules" }).results;
    const [scenario] = scenarios;
    for (const { subject, turns } of results)
      for (const { node, reply, verifyResult } of turns) {
        const fields = Object.values(scenario?.nodes[node]?.question.template?.fields ?? {});
        if (fields.every(({ truth }) => truth === undefined)) continue;
        expect([subject, node, reply, verifyResult]).not.toContain(null);
        if (subject === "sim/steadfast") expect([node, reply, verifyResult]).toContain(true);
      }
  },
);
