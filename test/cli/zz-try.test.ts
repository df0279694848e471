import { expect, test } from "vitest";
import { elenchus, folderWith, inTerminal } from "./cli.ts";
import { watchedTerminal } from "./watched-terminal.ts";

test("demo", async () => {
  const t0 = Date.now();
  const terminal = watchedTerminal(["demo"], { folder: folderWith() });
  await terminal.untilSeen(/conversations/);
  console.log(Date.now() - t0);
  terminal.write("\u0003");
  const { code } = await terminal.ended;
  console.log(Date.now() - t0);
  console.log(JSON.stringify(terminal.seen()));
});
