// Runs commands at the same time, and prints what each says when it ends: `node scripts/side-by-side.ts "biome check ." "tsc --noEmit"`.
// All of them run to their end; the exit code is 1 if one fails.
import { spawn } from "node:child_process";

await Promise.all(
  process.argv.slice(2).map(async (command) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => {
        said.push(piece);
      });
    const code = await new Promise<number | null>((resolve) => {
      child.on("close", resolve);
    });
    if (code !== 0) process.exitCode = 1;
    process.stdout.write(`> ${command}${code === 0 ? "" : ` (fails: ${code})`}\n${Buffer.concat(said)}\n`);
  }),
);
