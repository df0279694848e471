import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { inOneProcess, PROGRAM } from "../cli/cli.ts";

const PAGE = fileURLToPath(new URL("../../dist/viewer/index.html", import.meta.url));
if (!existsSync(PAGE)) throw new Error(`${PAGE} is missing; run \`npm run build\` first`);

const elenchus = inOneProcess();

/** A folder with a store of its own, in which commands are given. */
export class ViewedStore {
  readonly folder: string = mkdtempSync(join(tmpdir(), "elenchus-viewer-"));
  readonly #children = new Set<ChildProcess>();
  readonly environment: Record<string, string>;

  constructor(environment: Readonly<Record<string, string>> = {}) {
    const { PATH = "" } = process.env;
    const NODE_COMPILE_CACHE = join(tmpdir(), "elenchus-cli-cache");
    this.environment = {
      PATH,
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, "user"),
      NODE_COMPILE_CACHE,
      ...environment,
    };
  }

  /** Writes files into the folder. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  get path(): string {
    return join(this.folder, ".elenchus", "elenchus.db");
  }

  /** Starts a command. */
  start(words: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: this.folder, env: this.environment });
    this.#children.add(child);
    return child;
  }

  /** Gives a command and waits for its end. */
  async give(...words: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
    const { code, stdout, stderr } = await elenchus(words, {
      folder: this.folder,
      environment: this.environment,
    });
    return { code, said: `${stdout}${stderr}` };
  }

  /** Serves the store; resolves with the address that is printed. */
  async view(...words: readonly string[]): Promise<URL> {
    return this.#served(["view", "--no-open", ...words]);
  }

  /** The same with a browser; resolves with the address that is printed, and the one that the browser is to open. */
  async viewInBrowser(): Promise<{ readonly printed: URL; readonly opened: URL }> {
    const opener = join(this.folder, "bin", "xdg-open");
    this.write({
      "bin/xdg-open":
        '#!/bin/sh\nprintf %s "$1" > "$HOME/opened.part" && mv "$HOME/opened.part" "$HOME/opened"\n',
    });
    chmodSync(opener, 0o700);
    this.environment.PATH = `${dirname(opener)}:${this.environment.PATH}`;
    const file = join(this.folder, "opened");
    rmSync(file, { force: true });
    const printed = await this.#served(["view"]);
    return {
      printed,
      opened: await vi.waitUntil(() => existsSync(file) && new URL(readFileSync(file, "utf8")), {
        timeout: 20_000,
      }),
    };
  }

  async #served(words: readonly string[]): Promise<URL> {
    const child = this.start(words);
    return new Promise((resolve, reject) => {
      let said = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        const found = /http:\/\/\S+/.exec(text);
        if (found !== null) resolve(new URL(found[0]));
      });
      child.once("close", () => reject(new Error(`view ended: ${said}`)));
    });
  }

  /** Ends whatever is still running. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#children].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const closed = new Promise((resolve) => child.once("close", resolve));
        child.kill("SIGKILL");
        await closed;
      }),
    );
  }

  /** Ends what is still running, and deletes the folder. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
