// Prints the live memory after a hundredth of a store's events, the most that there was at any time, and how many there are.
import { openStore } from "elenchus";

const store = await openStore(process.argv[2] as string, { readOnly: true });
const collect = globalThis.gc as () => void;
const [run] = store.runs();
let total = 0;
for (const _ of store.events(run?.run ?? "")) total++;
let [first, most, read] = [0, 0, 0];
for (const _ of store.events(run?.run ?? "")) {
  if (++read % Math.floor(total / 100) !== 0) continue;
  collect();
  const { heapUsed } = process.memoryUsage();
  if (first === 0) first = heapUsed;
  most = Math.max(most, heapUsed);
}
for (const _ of store.conversations(run?.run ?? "")) read++;
collect();
most = Math.max(most, process.memoryUsage().heapUsed);
console.log(`${first} ${most} ${read}`);
