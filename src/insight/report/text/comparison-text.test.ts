import { expect, test } from "vitest";
import { comparisonMarkdown } from "./comparison-text.ts";

test("names in Markdown are neither markup nor mentions", () => {
  const nothing = {
    pairs: 0,
    lines: [],
    unpaired: [],
    versions: [],
    judges: { a: [], b: [], isOwn: false },
    missing: { a: null, b: null },
  };
  const text = comparisonMarkdown([{ a: "@octocat", b: "a|b*", acrossVersions: false, ...nothing }]);
  expect(text).toContain("### a\\|b\\* compared with @&#8203;octocat\n");
});
