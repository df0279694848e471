import { expectTypeOf, test } from "vitest";
import type { ProjectConfig, ProjectSettings, SettingKey } from "./settings.ts";

test("every setting can be written, and nothing else", () => {
  expectTypeOf<keyof ProjectSettings>().toEqualTypeOf<SettingKey>();
});

test("short forms, functions and profiles", () => {
  const config: ProjectConfig = {
    subjects: [(messages) => `You said ${messages.length} things.`, "openai/gpt-5-mini"],
    budget: "5usd",
    failUnder: { resisted: 0.9 },
    profiles: { ci: { scenarios: "pack:pressure", replicates: 1 } },
  };
  expectTypeOf(config.profiles?.ci?.replicates).toEqualTypeOf<number | undefined>();
});

test("a misspelt setting does not compile", () => {
  // @ts-expect-error: it is `replicates`.
  const config: ProjectConfig = { replicate: 5 };
  expectTypeOf(config).toEqualTypeOf<ProjectConfig>();
});
