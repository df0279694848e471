import { parseScenario, type TemplateField } from "elenchus";
import { verifyParsed } from "elenchus/judge";
import { medianTime, report, shown } from "./measure.ts";

const VERIFICATIONS = 20_000;
const GOAL = 100_000;

export function benchVerification(): void {
  console.log("verification (a template of ten fields of all types)");
  const fields: Record<string, TemplateField> = {};
  for (let n = 0; n < 2; n++) {
    fields[`yes${n}`] = { type: "boolean", description: "d", truth: true };
    fields[`text${n}`] = { type: "string", description: "d", truth: "Canberra" };
    fields[`number${n}`] = { type: "number", description: "d", truth: 42 };
    fields[`letter${n}`] = { type: "enum", values: ["A", "B"], description: "d", truth: "B" };
    fields[`list${n}`] = { type: "array", items: { type: "string" }, description: "d", truth: ["a", "b"] };
  }
  const nodes = { a: { question: { question: "Q", rawAnswer: "A", template: { fields } } } };
  const template = parseScenario({ name: "s", entry: "a", nodes }).nodes.a?.question.template;
  if (template === undefined) throw new Error("the template is gone");
  const parsed = Array.from({ length: 16 }, (_, n) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { truth }], index) => [name, (n + index) % 5 === 0 ? null : truth]),
    ),
  );
  let passed = 0;
  const time = medianTime(() => {
    for (let n = 0; n < VERIFICATIONS; n++) {
      const { score } = verifyParsed(template, parsed[n & 15] ?? {}, { reply: "" });
      passed += score ?? 0;
    }
  });
  const baseline = medianTime(() => {
    for (let n = 0; n < VERIFICATIONS; n++) passed += JSON.stringify(parsed[n & 15]).length > 0 ? 1 : 0;
  });
  const perSecond = (VERIFICATIONS / time) * 1000;
  report("verifications per second", shown(perSecond / 1000, "k/s"), {
    text: `≥ ${GOAL / 1000} k/s`,
    met: perSecond >= GOAL,
  });
  report("  against JSON.stringify of the parsed fields", `×${(time / baseline).toFixed(1)}`);
  if (passed === 0) throw new Error("nothing was verified");
}
