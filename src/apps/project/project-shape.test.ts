import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Shape } from "../../core/schema/shape.ts";
import { FRAME_SHAPES, PROJECT_SHAPE, parseProjectFile } from "./project-file.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import { SETTING_SHAPES } from "./settings-shape.ts";

const PAGE = readFileSync(new URL("../../../docs/reference/project-file.md", import.meta.url), "utf8");

/** The keys of all objects in a shape; rubrics and datasets have pages of their own. */
function keysIn(shape: Shape, found = new Set<string>()): Set<string> {
  switch (shape.kind) {
    case "object":
      for (const [key, part] of Object.entries(shape.keys)) {
        const isNew = !found.has(key);
        found.add(key);
        if (isNew && key !== "rubric" && key !== "dataset") keysIn(part, found);
      }
      break;
    case "either":
      for (const option of shape.options) keysIn(option, found);
      break;
    case "array":
      keysIn(shape.items, found);
      break;
    case "record":
      keysIn(shape.values, found);
      break;
    case "reference":
      keysIn(shape.shape(), found);
  }
  return found;
}

test("every key is on the page", () => {
  const keys = [...keysIn(PROJECT_SHAPE)];
  expect(keys).toContain("apiKeyVariable");
  expect(keys.filter((key) => !PAGE.includes(`\`${key}\``) && !PAGE.includes(`\`${key}: `))).toEqual([]);
});

test("the page has a row for each key of the file, and for no other", () => {
  const [, section = ""] = PAGE.split("\n## Keys\n");
  const rows = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `([\w$]+)` /gm)].map(([, key]) => key);
  expect(rows.toSorted()).toEqual(Object.keys({ ...FRAME_SHAPES, ...SETTING_SHAPES }).toSorted());
});

test("what the page shows is a project file", () => {
  const blocks = [...PAGE.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  expect(blocks.length).toBeGreaterThan(1);
  for (const text of blocks)
    expect(Object.keys(parseProjectFile(text, "page.yaml").settings)).not.toEqual([]);
});

test("the page tells the defaults", () => {
  const wrong = Object.entries(DEFAULT_SETTINGS).filter(([key, value]) => {
    if (typeof value === "object") return false;
    const [, told = ""] = new RegExp(`^\\| \`${key}\` .*\\| (.*?) *\\|$`, "m").exec(PAGE) ?? [];
    return told.replaceAll("`", "") !== String(value);
  });
  expect(wrong).toEqual([]);
});

test("every setting is described", () => {
  expect(Object.entries(SETTING_SHAPES).filter(([, { description }]) => !description?.endsWith("."))).toEqual(
    [],
  );
});
