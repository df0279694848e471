import type { Terminal } from "../terminal/terminal.ts";

/** All of standard input, as text. */
export async function readInput({ input }: Terminal): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of input) pieces.push(Buffer.from(piece as Buffer | string));
  return Buffer.concat(pieces).toString("utf8");
}
