import { parseScenario, type TemplateField } from "elenchus";
import { assessReply, type JudgeModel } from "elenchus/judge";
import { cpuTime, report, shown } from "./measure.ts";

const REPLIES = 1000;
const GOAL = 0.5;
const FIELDS = 50;

/** From a reply to its verdict, with a judge that answers at once: the request is made, the answer read and compared. */
export async function benchJudgeRequest(): Promise<void> {
  console.log(`judge requests (a template of ${FIELDS} fields, replies of 2 kB)`);
  const names = Array.from({ length: FIELDS }, (_, n) => `field${n}`);
  const fields = Object.fromEntries(
    names.map((name): [string, TemplateField] => [name, { type: "string", description: name, truth: "x" }]),
  );
  const nodes = { a: { question: { question: "Q", rawAnswer: "A", template: { fields } } } };
  const question = parseScenario({ name: "s", entry: "a", nodes }).nodes.a?.question;
  if (question === undefined) throw new Error("the question is gone");
  const text = JSON.stringify({ fields: Object.fromEntries(names.map((name) => [name, "x"])) });
  const judge: JudgeModel = async () => ({ text });
  // Replies that differ, so that nothing can be computed once and for all.
  const replies = Array.from({ length: 16 }, (_, n) => `reply ${n} `.repeat(250));
  const times: number[] = [];
  for (let round = 0; round < 6; round++) {
    const start = cpuTime();
    for (let n = 0; n < REPLIES; n++) {
      const reply = replies[n & 15] as string;
      const { verifyResult } = await assessReply(judge, { question, reply, marker: "k3J9xQ2mZ81LpVt7" });
      if (verifyResult !== true) throw new Error("the judge was not understood");
    }
    times.push((cpuTime() - start) / REPLIES);
  }
  const time = Math.min(...times);
  report("a reply judged", shown(time * 1000, "µs"), { text: `≤ ${GOAL} ms`, met: time <= GOAL });
}
