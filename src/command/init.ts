import { relative, resolve } from "node:path";
import type { Terminal } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit-code.ts";
import { initAdvice } from "./init-advice.ts";
import { initFiles } from "./init-files.ts";
import { initText } from "./init-text.ts";
import { writeNewFiles } from "./init-write.ts";

/** What `init` is told. */
export interface InitOptions {
  /** A new or an existing folder, as one writes it where the command is given. */
  readonly folder: string;
}

/** Writes a small project that can be run at once, and says what to type next. No file is ever written over. */
export async function init({ folder: name }: InitOptions, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const folder = resolve(terminal.folder, name);
  const files = await initFiles();
  const { written, kept } = await writeNewFiles(files, { folder, name });
  const advice = await initAdvice(folder, kept, files);
  const shown = relative(terminal.folder, folder);
  output.write(initText({ folder: shown, written, kept, advice }, output));
  return 0;
}
