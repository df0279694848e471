// One file instead of a hundred: loading small modules one by one takes Node longer than running them.
// The types come from tsc; see docs/decisions/002-one-file-to-import.md.
export default {
  input: { index: "src/index.ts", "ai-sdk": "src/judge/ai-sdk-judge.ts" },
  platform: "node",
  external: ["ai", "re2js", "yaml"],
  output: { dir: "dist", format: "esm", entryFileNames: "[name].js" },
};
