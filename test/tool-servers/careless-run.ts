import { fileURLToPath } from "node:url";
import { openToolServers } from "../../src/models/tools/tool-servers.ts";

// Starts a server that ends for no request, shows its process, and ends without closing it.
const args = [fileURLToPath(new URL("hostile-server.ts", import.meta.url)), "stubborn"];
const servers = openToolServers({ stubborn: { command: process.execPath, args } });
const { signal } = new AbortController();
const { tools } = await servers.offered(undefined, signal);
for (const tool of tools) console.log((await servers.call(tool, {}, signal)).output);
process.exit();
