// One file instead of a hundred: loading small modules one by one takes Node longer than running them.
// The types come from tsc; see docs/decisions/002-one-file-to-import.md.
export default {
  input: "src/index.ts",
  platform: "node",
  external: ["ai", "re2js", "yaml"],
  output: { file: "dist/index.js", format: "esm" },
};
