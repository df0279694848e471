import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** The slowest file takes a minute and a half on a very busy machine. */
const STUCK_MS = 300_000;
/** How long the processes of the tests may take to end. */
const ENDING_MS = 20_000;

/**
 * Ends a test run that would never end. A test that blocks its process (an endless loop, a call that does not return) cannot time out, and a
 * process that a test leaves behind keeps the output open. The first is an error and names the files, the second a warning.
 */
export default class StuckTests implements Reporter {
  readonly #running = new Set<string>();
  readonly #outputs = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  onTestModuleQueued({ relativeModuleId }: TestModule): void {
    this.#running.add(relativeModuleId);
    for (const pid of workers()) for (const output of outputsOf(pid)) this.#outputs.add(output);
    this.#timer ??= setTimeout(() => this.#endStuck(), STUCK_MS);
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#running.delete(relativeModuleId);
    this.#timer?.refresh();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
    setTimeout(() => this.#endLeftBehind(), ENDING_MS).unref();
  }

  #endStuck(): void {
    const minutes = STUCK_MS / 60_000;
    say(`No file of tests has ended for ${minutes} minutes. Still running: ${[...this.#running].join(", ")}`);
    for (const pid of workers()) process.kill(pid, "SIGKILL");
  }

  #endLeftBehind(): void {
    for (const pid of numbered(readdirSync("/proc"))) {
      if (!outputsOf(pid).some((output) => this.#outputs.has(output))) continue;
      say(
        `A test has left a process behind: ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`,
      );
      process.kill(pid, "SIGKILL");
    }
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The processes in which tests run. */
function workers(): readonly number[] {
  try {
    return numbered(readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ")).filter(
      (pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("vitest"),
    );
  } catch {
    // Not on Linux, or one has just ended.
    return [];
  }
}

/** What a process writes its output and its messages to. */
function outputsOf(pid: number): readonly string[] {
  try {
    return [1, 2].map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
  } catch {
    return [];
  }
}

function numbered(names: readonly string[]): readonly number[] {
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}
