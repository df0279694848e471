import { type ExtractRule, parseScenario } from "elenchus";
import { extractFields } from "elenchus/judge";
import { medianTime, report, shown } from "./measure.ts";

const LENGTH = 1_600;
const GOAL = 60;
/** Every process compiles the patterns that it uses: 125 ms before large groups were kept from being copied. */
const FIRST_GOAL = 60;
const READINGS = 500;

const STEPS = [
  "First, we look at what is given: 12 boxes with 8 apples each, which makes 12 * 8 = 96 apples in all.",
  "Option A is tempting at first glance, but it ignores the second condition of the question.",
  "The city has grown since 1960, and most people who live there did not move to Sydney or Melbourne.",
  "This does not follow from the text, because the author only says that it may be true in some cases.",
  "\n\n2. **Next step:** Therefore, 96 - 20 = 76 of them are left, and each costs $1.50.\n\n",
];

/** Steps of reasoning up to the length, and then an end. */
function reply(end: string, length = LENGTH): string {
  let text = "";
  for (let step = 0; text.length < length - end.length; step++) text += `${STEPS[step % STEPS.length]} `;
  return `${text.trimEnd()}\n\n${end}`;
}

const CITIES = { Canberra: ["ACT"], Sydney: [], Melbourne: [] };
/** Two of three replies announce their answer, as in recorded ones. */
const MIX: readonly (readonly [rule: ExtractRule, field: object, ends: readonly string[]])[] = [
  [
    { type: "letter" },
    { type: "enum", values: ["A", "B", "C", "D"], truth: "B" },
    ["The answer is (B).", "So the best answer is: (B) Paris.", "Only option B fits all of this."],
  ],
  [
    { type: "number" },
    { type: "number", truth: 76 },
    ["#### 76", "\\boxed{76}", "So 96 - 20 = 76 apples are left."],
  ],
  [
    { type: "stance" },
    { type: "boolean", truth: true },
    ["So the answer is yes.", "Answer: Yes", "That is right."],
  ],
  [
    { type: "aliases", values: CITIES },
    { type: "string", truth: "Canberra" },
    ["The answer is Canberra.", "**Canberra**", "I would say that it is Canberra."],
  ],
];

/** The least CPU time of several runs, in microseconds: other work on the machine does not count. */
function cpuTime(action: () => void): number {
  const times = Array.from({ length: 7 }, () => {
    const start = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  });
  return Math.min(...times);
}

export function benchReading(): void {
  console.log("reading (replies of 1.6 kB, without a judge)");
  const cases = MIX.map(([extract, field, ends]) => {
    const fields = { value: { description: "d", ...field, extract } };
    const nodes = { a: { question: { question: "Q", rawAnswer: "A", template: { fields } } } };
    const template = parseScenario({ name: "s", entry: "a", nodes } as never).nodes.a?.question.template;
    if (template === undefined) throw new Error("the template is gone");
    return { name: extract.type, template, replies: ends.map((end) => reply(end)), end: ends[0] as string };
  });
  let found = 0;
  let sum = 0;
  const first = process.cpuUsage();
  for (const { template, replies } of cases) for (const text of replies) extractFields(template, text);
  const { user, system } = process.cpuUsage(first);
  const firstTime = (user + system) / 1_000;
  report("  first replies of every kind", shown(firstTime, "ms"), {
    text: `≤ ${FIRST_GOAL} ms`,
    met: firstTime <= FIRST_GOAL,
  });
  for (const { name, template, replies } of cases) {
    const read = (): void => {
      for (let n = 0; n < READINGS; n++) {
        const { value } = extractFields(template, replies[n % replies.length] as string);
        if (value?.status === "found") found++;
      }
    };
    // Patterns become fast after a thousand uses.
    for (let round = 0; round < 6; round++) read();
    const time = cpuTime(read) / READINGS;
    sum += time;
    report(`  ${name}`, shown(time, "µs"));
    const plain = replies.at(-1) as string;
    const plainTime =
      cpuTime(() => {
        for (let n = 0; n < READINGS; n++) extractFields(template, plain);
      }) / READINGS;
    report(`  ${name}, nothing announced`, shown(plainTime, "µs"), {
      text: `≤ ${GOAL} µs`,
      met: plainTime <= GOAL,
    });
  }
  const mean = sum / cases.length;
  report("mean", shown(mean, "µs"), { text: `≤ ${GOAL} µs`, met: mean <= GOAL });
  for (const { name, template, replies } of cases) {
    const plain = replies.at(-1) as string;
    const long = reply(plain.slice(-30), 125 * LENGTH);
    const short = medianTime(() => extractFields(template, plain), { runs: 50 });
    const time = medianTime(() => extractFields(template, long));
    const growth = time / short / 125;
    report(`  ${name}, 200 kB`, shown(time, "ms"));
    report(`  ${name}, against linear growth`, `×${growth.toFixed(2)}`, { text: "≤ ×2", met: growth <= 2 });
  }
  if (found === 0) throw new Error("nothing was read");
}
