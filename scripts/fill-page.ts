/** Follows a page of the docs and writes what its commands print into it: `node scripts/fill-page.ts docs/first-run.md`. */
import { readFileSync, writeFileSync } from "node:fs";
import { followPage } from "../test/shell-page.ts";

const [page = ""] = process.argv.slice(2);
let text = readFileSync(page, "utf8");
for (const { commands, printed } of await followPage(page)) {
  const start = text.indexOf(`\`\`\`sh\n${commands}\`\`\`\n`);
  const from = text.indexOf("```console\n", start) + "```console\n".length;
  const to = text.indexOf("```\n", from);
  text = `${text.slice(0, from)}${printed.trim()}\n${text.slice(to)}`;
}
writeFileSync(page, text);
