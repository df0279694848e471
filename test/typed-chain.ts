/** The source of a long typed chain, for measuring what it costs the compiler. */
export function typedChainSource(nodes: number, library: string): string {
  const lines = [
    `import { END, question, Scenario, template } from ${JSON.stringify(library)};`,
    "const asked = question({",
    '  question: "A or B?",',
    '  rawAnswer: "B",',
    "  template: template({",
    '    letter: { type: "enum", values: ["A", "B"], description: "the option", truth: "B" },',
    '    count: { type: "integer", description: "how many", truth: 3 },',
    '    sure: { type: "boolean", description: "certain or not", truth: true },',
    "  }),",
    "});",
    'new Scenario("long")',
  ];
  for (let node = 0; node < nodes; node++) lines.push(`  .addNode("n${node}", { question: asked })`);
  for (let node = 0; node < nodes; node++) {
    const next = `n${(node + 1) % nodes}`;
    lines.push(`  .addEdge("n${node}", "${next}", { when: { "parsed.letter": "A" } })`);
    lines.push(`  .addEdge("n${node}", "${next}", { when: { "node_visits.${next}": { lt: 3 } } })`);
    lines.push(`  .addEdge("n${node}", END)`);
  }
  lines.push('  .setEntry("n0")', "  .validate();", "");
  return lines.join("\n");
}
