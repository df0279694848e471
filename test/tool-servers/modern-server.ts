import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { sampleTools } from "./sample-tools.ts";

// Speaks only the newest version of the protocol, which has no greeting.
serveStdio(sampleTools, { legacy: "reject" });
