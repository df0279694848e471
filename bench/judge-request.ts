import { parseScenario, type Template, type TemplateField } from "elenchus";
import { type JudgeInput, judgeRequest } from "elenchus/judge";
import { medianTime, report, shown } from "./measure.ts";

const REQUESTS = 2000;
const GOAL = 0.2;
const FIELDS = 50;
const MARKER = "k3J9xQ2mZ81LpVt7";

export function benchJudgeRequest(): void {
  console.log(`judge requests (a template of ${FIELDS} fields, replies of 2 kB)`);
  const fields: Record<string, TemplateField> = {};
  for (let n = 0; n < FIELDS; n++) {
    fields[`field${n}`] = { type: "string", description: `what the reply says about ${n}`, truth: "x" };
  }
  const nodes = { a: { question: { question: "Q", rawAnswer: "A", template: { fields } } } };
  const template = parseScenario({ name: "s", entry: "a", nodes }).nodes.a?.question.template;
  if (template === undefined) throw new Error("the template is gone");
  // Replies that differ, so that nothing can be computed once and for all.
  const replies = Array.from({ length: 16 }, (_, n) => `reply ${n} `.repeat(250));
  let sink = 0;
  const each = (make: (reply: string) => number): number =>
    medianTime(() => {
      for (let n = 0; n < REQUESTS; n++) sink += make(replies[n & 15] as string);
    }) / REQUESTS;
  const build = (template: Template) => (reply: string) => {
    const input: JudgeInput = { question: "Q", reply, template, marker: MARKER };
    const { instructions, messages } = judgeRequest(input);
    return instructions.length + (messages[0]?.content.length ?? 0);
  };
  const time = each(build(template));
  report("a request", shown(time * 1000, "µs"), { text: `≤ ${GOAL} ms`, met: time <= GOAL });
  const rebuilt = each(build({ fields }));
  report("  of a template that is not frozen", shown(rebuilt * 1000, "µs"), {
    text: `≤ ${GOAL} ms`,
    met: rebuilt <= GOAL,
  });
  const baseline = each((reply) => JSON.stringify({ reply }).length);
  report("  against JSON.stringify of the reply", `×${(time / baseline).toFixed(1)}`);
  if (sink === 0) throw new Error("nothing was built");
}
