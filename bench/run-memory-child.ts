// Prints the most live memory, after collecting garbage, that a run of so many conversations has held.
import { runScenarios } from "elenchus";
import { chain, instant } from "./chain.ts";

const conversations = Number(process.argv[2]);
const collect = globalThis.gc as () => void;
let peak = 0;
let finished = 0;
const run = runScenarios({
  allowUnread: true,
  scenarios: chain(2),
  subjects: instant("subject", "I would say yes."),
  judge: instant("judge", '{"fields":{"right":true}}'),
  replicates: conversations,
  keepResults: false,
});
for await (const event of run) {
  if (event.type !== "conversation-end") continue;
  if (++finished % Math.floor(conversations / 10) !== 0) continue;
  collect();
  peak = Math.max(peak, process.memoryUsage().heapUsed);
}
console.log(peak);
