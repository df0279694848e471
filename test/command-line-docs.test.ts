import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { makeProgram } from "../src/apps/cli/program.ts";
import { capturedTerminal } from "./captured-terminal.ts";
import { pageBlocks } from "./shell-page.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const REFERENCE = "docs/reference/command-line.md";
const GUIDES = ["docs/testing-models.md", "docs/continuous-integration.md"];

/** Flags that are described once for all commands. */
const EVERYWHERE: ReadonlySet<string> = new Set(["--debug", "--help", "--set", "--profile", "--config"]);

/** The real command line, in which no command does anything. */
function program(): Command {
  const made = makeProgram({ terminal: capturedTerminal(ROOT), execute: async () => {} });
  for (const command of made.commands) command.exitOverride();
  return made;
}

function flagsOf(command: Command): readonly string[] {
  return command.options.flatMap(({ long }) => (typeof long === "string" ? [long] : []));
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

function flagsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
}

/** The section of a command, from its heading to the next. */
function sectionOf(name: string): string {
  const [, section = ""] = read(REFERENCE).split(new RegExp(`^### \`${name}\`$`, "m"));
  return section.split(/^##/m)[0] ?? "";
}

describe(REFERENCE, () => {
  const commands = program().commands.map((command) => [command.name(), command] as const);

  test.each(commands)("has a section for %s", (name) => {
    expect(sectionOf(name).trim()).not.toBe("");
  });

  test.each(commands)("the help of %s explains every argument and flag", (_name, command) => {
    for (const { description } of [...command.options, ...command.registeredArguments])
      expect(description).not.toBe("");
  });

  test("is short, because help says what each flag does", () => {
    expect(read(REFERENCE).split(/\s+/).length).toBeLessThanOrEqual(2500);
  });

  test.each(commands)("names %s in the list at the top", (name) => {
    expect(read(REFERENCE)).toContain(`[\`${name}\`](#${name})`);
  });

  test("has the flags that all commands share", () => {
    const text = read(REFERENCE);
    for (const flag of [...EVERYWHERE, "--version"]) expect(text).toContain(`\`${flag}`);
  });

  test.each([REFERENCE, ...GUIDES])("%s names no flag that does not exist", (page) => {
    const known = new Set(["--help", "--version", ...commands.flatMap(([, command]) => flagsOf(command))]);
    expect(flagsIn(read(page)).filter((flag) => !known.has(flag))).toEqual([]);
  });
});

/** The commands in a piece of shell, each as its words. */
function commandsIn(shell: string): readonly (readonly string[])[] {
  return shell
    .replaceAll("\\\n", " ")
    .split(/\n|&&|;|\|/)
    .flatMap((part) => {
      const [, words] =
        /(?:^|\s)(?:npx |npm run )?elenchus (?:-- )?(.*)$/.exec(part.replace(/\s#.*$/, "").trim()) ?? [];
      return words === undefined ? [] : [wordsOf(words)];
    });
}

/** As a shell takes them apart; what comes after a redirection is a file. */
function wordsOf(text: string): readonly string[] {
  const words = [...text.replace(/\s\d?[<>].*$/, "").matchAll(/(?:'[^']*'|"[^"]*"|\S)+/g)];
  return words.map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

/** Shell in Markdown, and in the steps of workflows. */
function shellOf(page: string): readonly string[] {
  return pageBlocks(page).flatMap(({ language, text }) => {
    if (language === "sh") return [text];
    if (language !== "yaml" || !/^jobs:/m.test(text)) return [];
    const { jobs } = parse(text) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
    };
    return Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run }) => (run === undefined ? [] : [run])),
    );
  });
}

describe("commands in pages", () => {
  const pages = ["README.md", "docs/**/*.md", "packs/*/README.md", "examples/*.md", "templates/**/*.md"]
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((page) => existsSync(join(ROOT, page)))
    .sort();
  const given = pages.flatMap((page) =>
    shellOf(page).flatMap((shell) =>
      commandsIn(shell).map((words) => [page, words.join(" "), words] as const),
    ),
  );

  test("are found", () => {
    expect(given.filter(([page]) => GUIDES.includes(page)).length).toBeGreaterThan(20);
  });

  test.each(given)("%s: elenchus %s", async (_page, _text, words) => {
    const problem = await program()
      .parseAsync(words, { from: "user" })
      .then(() => null)
      .catch((error: unknown) => error);
    if (problem instanceof CommanderError && problem.exitCode === 0) return;
    expect(problem).toBeNull();
  });

  test("a misspelt one is found out", async () => {
    const [words = []] = commandsIn("npx elenchus run pack:pressure --subjct sim/steadfast");
    await expect(program().parseAsync(words, { from: "user" })).rejects.toThrow(CommanderError);
  });
});
