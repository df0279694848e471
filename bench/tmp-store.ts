import { openStore, runScenarios } from "elenchus";
import type { Model } from "elenchus/models";
import { chain, instant } from "./chain.ts";

const LONG_TURNS = 400;
export async function fillLongConversation(path: string): Promise<void> {
  const store = await openStore(path);
  let replies = 0;
  const subject: Model = {
    ...instant("subject", ""),
    // Not to be compressed, and never the same.
    reply: async () => ({ text: randomText(2_000, ++replies), finish: "stop" }),
  };
  await runScenarios({
    allowUnread: true,
    scenarios: chain(LONG_TURNS),
    subjects: subject,
    turnLimit: LONG_TURNS,
    store,
  }).results;
  store.close();
}
function randomText(length: number, seed: number): string {
  let text = "";
  for (let state = seed; text.length < length; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
}
