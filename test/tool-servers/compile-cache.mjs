// Loaded before the program of a tool server: its environment is that of a real one, so that the cache cannot be named there.
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

enableCompileCache(join(tmpdir(), "elenchus-test-cache"));
