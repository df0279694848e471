import { runScenarios } from "elenchus";
import { chain } from "./chain.ts";
import { report, shown } from "./measure.ts";
import { serve } from "./served.ts";

const RATE = 50;
const CONVERSATIONS = 150;
const TURNS = 4;
const GOAL_REFUSED = 0.05;
const GOAL_RATE = 0.8;

export async function benchRateLimit(): Promise<void> {
  console.log(
    `rate limit (the server takes ${RATE} requests a second and refuses the rest, without saying when to come back)`,
  );
  const served = await serve(20, { rate: RATE });
  const start = performance.now();
  const results = await runScenarios({
    allowUnread: true,
    scenarios: chain(TURNS),
    subjects: "openai-compatible/subject",
    environment: served.environment,
    replicates: CONVERSATIONS,
  }).results;
  const seconds = (performance.now() - start) / 1000;
  const { answered, refused } = await served.counts();
  served.stop();
  const lost = results.filter(({ status }) => status !== "completed").length;
  const share = refused / (answered + refused);
  const rate = answered / seconds / RATE;
  report("requests", shown(answered, "answered"));
  report("conversations lost", `${lost}`, { text: "0", met: lost === 0 });
  report("share of requests that were refused", `${(share * 100).toFixed(1)} %`, {
    text: `< ${GOAL_REFUSED * 100} %`,
    met: share < GOAL_REFUSED,
  });
  report("throughput against the limit", `×${rate.toFixed(2)}`, {
    text: `≥ ×${GOAL_RATE}`,
    met: rate >= GOAL_RATE,
  });
}
