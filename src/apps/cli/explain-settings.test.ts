import { expect, test } from "vitest";
import { PLAIN_STYLE } from "../../system/terminal/terminal.ts";
import { textWidth } from "../../system/terminal/text-layout.ts";
import { type Project, parseProjectFile } from "../project/project-file.ts";
import { type ResolvedSettings, resolveSettings } from "../project/resolve-settings.ts";
import { SETTING_SHAPES } from "../project/settings-shape.ts";
import { explainSettings } from "./explain-settings.ts";

const TEXT = `
subjects:
  - sim/steadfast
  - { model: openai/gpt-5-mini, parameters: { temperature: 0, headers: { Authorization: Bearer abcdef123456 } } }
scenarios: scenarios/
timeouts: { turnMs: null }
rows: [{ a: 1 }, { a: 2 }]
rubric: { traits: [{ type: llm, name: polite, kind: boolean }] }
providers:
  mine: { baseUrl: "http://localhost:1234/v1?key=sk-1234567890abcdef", apiKeyVariable: MY_KEY, headers: { x-api-key: "hunter2", x-team-key: marmot7, x-team: red } }
tools:
  files: { command: node, env: { API_TOKEN: "hunter2hunter2", GITHUB_TOKEN: marmot7, OTHER_TOKEN: $MY_TOKEN, LEVEL: "\\u001b[31m" } }
profiles:
  ci: { replicates: 5 }
`;

function resolved(text: string, sets: readonly string[] = []): ResolvedSettings {
  const file = "elenchus.config.yaml";
  const project: Project = { ...parseProjectFile(text, file), file, folder: "/p" };
  return resolveSettings({ project, folder: "/p", ...(text === TEXT ? { profile: "ci" } : {}), sets });
}

const plain = (width: number): string =>
  explainSettings(resolved(TEXT, ["seed=3"]), { style: PLAIN_STYLE, width });

test("every setting has its value and its origin", () => {
  const text = plain(120);
  for (const [key, value, origin] of [
    ["scenarios", "scenarios/", "elenchus.config.yaml:5"],
    ["subjects[0]", "sim/steadfast", "elenchus.config.yaml:2"],
    ["replicates", "5", "profile ci in elenchus.config.yaml:14"],
    ["rows", "2 rows", "elenchus.config.yaml:7"],
    ["rubric.traits", "[polite]", "elenchus.config.yaml:8"],
    ["seed", "3", "flag --set seed"],
    ["timeouts.turnMs", "none", "elenchus.config.yaml:6"],
  ] as const)
    expect(`\n${text.replaceAll(/ +/g, " ")}`).toContain(`\n${key} ${value} (${origin})\n`);
  const lines = text.split("\n").map((line) => line.split(/ {2,}/));
  expect(lines).toContainEqual(["timeouts.callMs", "180000 (default)"]);
  expect(lines).toContainEqual(["judges", "self (default)"]);
  expect(lines).toContainEqual(["junit", "– (default)"]);
  const shown = new Set(lines.map(([key = ""]) => /^\w*/.exec(key)?.[0]));
  expect(Object.keys(SETTING_SHAPES).filter((key) => !shown.has(key))).toEqual([]);
});

test("secrets are left out, and nothing reaches the terminal that could do something there", () => {
  const text = plain(400);
  expect(text).not.toMatch(/abcdef123456|1234567890abcdef|hunter2|marmot7/);
  expect(text).toContain("MY_KEY");
  expect(text).toContain("OTHER_TOKEN: $MY_TOKEN");
  expect(text).toContain("x-team: red");
  expect(text).not.toContain("\u001b");
});

test("functions and models go by their names", () => {
  const answerAll = (): string => "Yes.";
  const model = {
    name: "mine",
    identity: {},
    account: "mine",
    reply: async () => ({ text: "", finish: "stop" }),
  };
  const settings = { subjects: [answerAll, model, { model: () => "No.", name: "no" }] };
  const file = "elenchus.config.ts";
  const project: Project = { settings, profiles: {}, profile: null, lineOf: () => null, file, folder: "/p" };
  const text = explainSettings(resolveSettings({ project, folder: "/p" }), {
    style: PLAIN_STYLE,
    width: 120,
  });
  expect(text).toMatch(/^subjects\[0\] +function answerAll \(elenchus\.config\.ts\)$/m);
  expect(text).toMatch(/^subjects\[1\] +model mine \(/m);
  expect(text).toMatch(/^subjects\[2\] +\{ model: function model, name: no \} \(/m);
});

test.each([40, 80, 200])("no line is wider than %i columns", (width) => {
  const text = plain(width);
  expect(Math.max(...text.split("\n").map(textWidth))).toBeLessThanOrEqual(width);
  // All of it is there, however often it is wrapped.
  expect(text.replace(/\s+/g, "")).toContain("openai/gpt-5-mini");
  expect(text.replace(/\s+/g, "")).toContain("elenchus.config.yaml:5");
  expect(text.endsWith("\n")).toBe(true);
});

test("a long list is counted", () => {
  const text = `only: [${Array.from({ length: 30 }, (_, index) => `n${index}`).join(", ")}]`;
  expect(explainSettings(resolved(text), { style: PLAIN_STYLE, width: 80 })).toContain("… and 10 more");
});
