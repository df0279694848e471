import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: {
      "elenchus/contracts": fileURLToPath(new URL("./src/contracts/index.ts", import.meta.url)),
      elenchus: fileURLToPath(new URL("./src/index.ts", import.meta.url)),
    },
  },
  test: {
    testTimeout: 30_000,
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["src/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
  },
});
