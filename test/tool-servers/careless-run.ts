import { openToolServers } from "../../src/engine/models/tools/tool-servers.ts";
import { program } from "./program.ts";

// Starts a server that ends for no request, shows its process, and ends without closing it.
const servers = openToolServers({ stubborn: program("hostile-server", "stubborn") });
const { signal } = new AbortController();
const { tools } = await servers.offered(undefined, signal);
for (const tool of tools) console.log((await servers.call(tool, {}, signal)).output);
process.exit();
