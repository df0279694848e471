import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { sampleTools } from "./sample-tools.ts";

await sampleTools().connect(new StdioServerTransport());
