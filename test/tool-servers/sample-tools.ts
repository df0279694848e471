import { writeFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A server with tools that do, fail, hang and end as they are told. */
export function sampleTools(): McpServer {
  const server = new McpServer({ name: "sample", version: "1.0.0" });
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
  const nothing = { inputSchema: z.object({}) };
  server.registerTool(
    "add",
    { description: "Adds two numbers", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => text(String(a + b)),
  );
  server.registerTool("search", { inputSchema: z.object({ query: z.string() }) }, async ({ query }) =>
    text(`${process.argv[2] ?? "sample"} found ${query}`),
  );
  server.registerTool("fail", nothing, async () => {
    throw new Error("the disk is full");
  });
  server.registerTool("hang", nothing, () => new Promise(() => {}));
  server.registerTool("freeze", nothing, () => {
    if (process.env.FROZEN_FILE !== undefined) writeFileSync(process.env.FROZEN_FILE, "");
    for (;;);
  });
  server.registerTool("crash", nothing, async () => {
    process.stderr.write(`loading\nfatal: key ${process.env.SAMPLE_KEY ?? "none"} was refused\n`);
    process.exit(3);
  });
  server.registerTool("pid", nothing, async () => text(String(process.pid)));
  server.registerTool("environment", nothing, async () => text(JSON.stringify(process.env)));
  server.registerTool(
    "weather",
    { ...nothing, outputSchema: z.object({ celsius: z.number() }) },
    async () => ({
      ...text('{"celsius":21}'),
      structuredContent: { celsius: 21 },
    }),
  );
  server.registerTool("picture", nothing, async () => ({
    content: [
      { type: "text", text: "A cat:" },
      { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
    ],
  }));
  server.registerTool("long", nothing, async () => text("x".repeat(300_000)));
  return server;
}
