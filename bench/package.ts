import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { report } from "./measure.ts";

const MEGABYTE = 1_000_000;
const root = fileURLToPath(new URL("..", import.meta.url));

/** What is published, and what somebody gets who installs it. Needs the registry. */
export function benchPackage(): void {
  console.log("package");
  const folder = mkdtempSync(join(tmpdir(), "elenchus-package-"));
  try {
    const npm = (words: readonly string[], cwd: string): string =>
      execFileSync("npm", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [packed] = JSON.parse(npm(["pack", "--json", "--pack-destination", folder], root)) as [
      { readonly filename: string; readonly size: number; readonly unpackedSize: number },
    ];
    const contents = packed.unpackedSize / MEGABYTE;
    report("contents", `${contents.toFixed(2)} MB`, { text: "≤ 3 MB", met: contents <= 3 });
    report("  packed", `${(packed.size / MEGABYTE).toFixed(2)} MB`);

    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    npm(["install", "--no-audit", "--no-fund", join(folder, packed.filename)], folder);
    const listed = npm(["ls", "--all", "--parseable"], folder).trim().split("\n");
    const packages = new Set(listed.slice(1)).size;
    const installed = sizeOf(join(folder, "node_modules")) / MEGABYTE;
    report("installed packages", String(packages), { text: "≤ 100", met: packages <= 100 });
    report("installed size", `${installed.toFixed(0)} MB`, { text: "≤ 100 MB", met: installed <= 100 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
