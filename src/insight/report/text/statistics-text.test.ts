import { expect, test } from "vitest";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import type { NoiseLine } from "../data/noise.ts";
import { noiseAdvice, noiseText } from "./statistics-text.ts";

const LINE: NoiseLine = {
  ...{ subject: "a", outcome: "ok", n: 24, items: 4, variants: 1, replicates: 3, simulators: 2, judges: 2 },
  ...{ itemVariance: 0.1, variantVariance: null, simulatorVariance: 0.05, replicateVariance: 0.04 },
  ...{ judgeVariance: 0.01, icc: 0.5, error: 0.1, moreItems: 0.071, moreReplicates: 0.09 },
  ...{ otherJudge: 0.099, otherSimulator: 0.05 },
};

test("the parts of the variance, and what would narrow the interval most", () => {
  expect(noiseText([LINE], { style: PLAIN_STYLE, width: 80 })).toBe(`\
ok, a
  variance 0.20: items 50 %, replicates 20 %, simulators 25 %, judges 5 %;
  standard error 0.10.
  To narrow the interval: most would help simulators that play alike (50 %
  narrower); twice as many items (29 % narrower), twice as many replicates (10 %
  narrower), a judge that agrees with itself (1 % narrower).
`);
  expect(noiseText([], { style: PLAIN_STYLE, width: 80 })).toBe("No outcome is decided.\n");
});

test("what replicates would add is not known where there are none", () => {
  expect(noiseAdvice({ ...LINE, replicates: 1, moreReplicates: null })).toContain("run with --replicates 3");
  expect(noiseAdvice({ ...LINE, items: 1 })).toMatch(/^one item only/);
});
