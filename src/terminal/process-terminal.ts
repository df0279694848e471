import type { Environment } from "../core/values/environment.ts";
import { type OutputStream, StreamOutput } from "./stream-output.ts";
import type { Terminal } from "./terminal.ts";

/** What is used of the process. */
export interface TerminalProcess {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadStream;
  readonly env: Environment;
  cwd(): string;
  exit(code: number): void;
}

/** The terminal of a process, which may lose its reader. */
export interface ProcessTerminal extends Terminal {
  /** The exit code of a process whose standard output cannot be written any more; undefined as long as it can. */
  readonly closedWith: 0 | 2 | undefined;
  /**
   * What to do when standard output cannot be written any more, as with `| head`. Without anything to do the process ends at
   * once; else it goes on, and ends when its work has. Gives a function that takes it back.
   */
  onClosed(action: () => void): () => void;
  /** Resolves when all that was written is on its way; to be awaited before the process is ended. */
  flush(): Promise<void>;
}

/** How it looks when whoever has read is gone: not a mistake of anybody. */
const LEFT: readonly (string | undefined)[] = ["EPIPE", "EIO", "ECONNRESET", "ERR_STREAM_DESTROYED"];

/** The terminal of this process. */
export function processTerminal(owner: TerminalProcess = process): ProcessTerminal {
  const { stdout, stderr, stdin, env: environment } = owner;
  const actions = new Set<() => void>();
  let closedWith: 0 | 2 | undefined;

  const messages = new StreamOutput(stderr, { environment });
  const output = new StreamOutput(stdout, { environment, onError: (error) => close(error) });
  const close = (error: NodeJS.ErrnoException): void => {
    const hasLeft = LEFT.includes(error.code);
    closedWith = hasLeft ? 0 : 2;
    if (!hasLeft) messages.write(`Standard output cannot be written: ${error.message}\n`);
    if (actions.size === 0) messages.flush().then(() => owner.exit(closedWith ?? 0));
    for (const action of [...actions]) action();
  };

  return {
    output,
    messages,
    input: stdin,
    environment,
    folder: owner.cwd(),
    get closedWith() {
      return closedWith;
    },
    onClosed(action) {
      actions.add(action);
      return () => actions.delete(action);
    },
    async flush() {
      await Promise.all([output.flush(), messages.flush()]);
    },
  };
}
