// Removes the declarations in `dist` that no entry of the package refers to: half of what `tsc` writes. Run by `npm run build`.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist", import.meta.url));

const needed = new Set(globSync("apps/public/*.d.ts", { cwd: dist }));
// A set that grows while it is read.
for (const file of needed) {
  const text = readFileSync(join(dist, file), "utf8");
  for (const [, path = ""] of text.matchAll(/\b(?:from |import\()"(\.[^"]+)\.[jt]s"/g)) {
    const other = join(dirname(file), `${path}.d.ts`);
    if (!existsSync(join(dist, other))) throw new Error(`${file} refers to ${other}, which is not there.`);
    needed.add(other);
  }
}
for (const file of globSync("**/*.d.ts", { cwd: dist })) if (!needed.has(file)) rmSync(join(dist, file));
