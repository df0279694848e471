// Runs commands one after the other, as `elenchus …` would run each in a process of its own; see `inOneProcess` in cli.ts.
import { PassThrough, Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { Ended, Given } from "./cli.ts";

/** A command as it comes from the test. */
export interface AskedCommand extends Given {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const [, , program = ""] = process.argv;
const { runCli } = (await import(new URL("program.js", pathToFileURL(program)).href)) as {
  runCli(words: readonly string[]): Promise<void>;
};

const exit = process.exit.bind(process);
process.on("message", async (command: AskedCommand) => process.send?.(await ended(command)));
process.on("disconnect", () => exit(0));

async function ended({ words, folder, environment, input = "" }: AskedCommand): Promise<Ended> {
  process.chdir(folder);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const stream = new PassThrough().setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
    Object.defineProperty(process, name, { value: stream, configurable: true });
  }
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  let code: number | null = null;
  process.exitCode = undefined;
  process.exit = ((given: number) => {
    code = given;
    // What listens to it would have run; the process stays.
  }) as typeof process.exit;
  await runCli(words);
  await new Promise((resolve) => setImmediate(resolve));
  return { code, ...said };
}
