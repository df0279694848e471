import { endedCalls } from "../../../engine/journal/fold/run.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { explainMiss } from "../../../engine/models/cassette/explain-miss.ts";
import type { RecordedCall } from "../../../engine/models/cassette/recorded-call.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { WHY_MISS } from "../commands/run-commands.ts";
import { readSettings } from "../read-settings.ts";
import { findConversation, findRun, withRuns } from "../stored-runs.ts";

/** How many calls are examined; more would give the same reasons. */
const LOOKED_AT = 500;
/** How many similar calls are compared with each. */
const COMPARED = 50;
const SHOWN = 20;

interface Miss {
  readonly where: string;
  readonly call: RecordedCall;
}

/** As wide as the number of calls before a reason. */
const INDENT = " ".repeat(7);

/** Explains why calls of a run were not answered from the store: the most similar call of another run, and what differs. */
export async function whyMiss(options: OptionsOf<typeof WHY_MISS>, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const { settings } = await readSettings(options.settings, terminal);
  await withRuns(settings.store, (store) => {
    const { run } = findRun(store, options.run);
    const conversation = options.conversation && conversationNamed(store, run, options.conversation);
    const { misses, made, all, volatile } = missesOf(store, run, conversation);
    const print = (text: string): void => output.write(linesText(wrapText(text, output.width)));
    if (volatile > 0)
      print(
        `${countedText(volatile, "call")} of functions and URLs: their answers serve only the run that asked, for the code behind them may change. Name a \`version\` to cache them across runs, or set \`cache: true\`.`,
      );
    if (misses.length === 0) {
      if (volatile === 0)
        print(
          `Every answer of run ${printableText(run)} came from the store, or from models that are never cached.`,
        );
      return;
    }
    const looked = misses.length < all ? `; of the first ${misses.length}:` : ":";
    output.write(
      `${countedText(all, "call")} of run ${printableText(run)} ${all === 1 ? "was" : "were"} not in the store${looked}\n\n`,
    );
    const reasons = new Map<string, { count: number; readonly where: string }>();
    for (const { where, call } of misses) {
      const earlier = store.calls.near(call.request, COMPARED).filter(({ identity }) => !made.has(identity));
      const reason = explainMiss(
        call.request,
        earlier.map(({ request }) => request),
      );
      const known = reasons.get(reason);
      if (known === undefined) reasons.set(reason, { count: 1, where });
      else known.count++;
    }
    const sorted = [...reasons].sort(([, one], [, other]) => other.count - one.count);
    for (const [reason, { count, where }] of sorted.slice(0, SHOWN)) {
      const [first = "", ...rest] = wrapText(`${INDENT}${printableText(reason)}`, output.width);
      const counted = `${String(count).padStart(4)} × ${first.trimStart()}`;
      output.write(linesText([counted, ...rest, `${INDENT}first in ${where}`]));
    }
    if (sorted.length > SHOWN) output.write(`… and ${sorted.length - SHOWN} other reasons\n`);
  });
  return 0;
}

function conversationNamed(store: Store, run: string, name: string): string {
  const found = findConversation(store, run, name);
  if (found !== undefined) return found.conversation;
  throw new ProjectError([
    `Run ${run} has no conversation "${name}". See its conversations: elenchus export --format csv --table conversations`,
  ]);
}

/** The calls that were not answered from the store, and the identities of all calls that this run made. */
function missesOf(
  store: Store,
  run: string,
  conversation: string | undefined,
): {
  readonly misses: readonly Miss[];
  readonly made: ReadonlySet<string>;
  readonly all: number;
  /** How many calls of models whose answers serve only their run. */
  readonly volatile: number;
} {
  const misses: Miss[] = [];
  const made = new Set<string>();
  const own = store.callsOf(run);
  let [all, volatile] = [0, 0];
  for (const ended of endedCalls(store.events(run))) {
    if (ended.identity === undefined || ended.cached) continue;
    const call = store.calls.get(ended.identity);
    if (call !== undefined) made.add(call.identity);
    if (conversation !== undefined && ended.conversation !== conversation) continue;
    const { provider } = own.get(ended.identity)?.request.model ?? {};
    if (provider === "function" || provider === "http") volatile++;
    if (call === undefined) continue;
    all++;
    const where = `conversation ${ended.conversation}, turn ${ended.turn}, ${ended.purpose}`;
    if (misses.length < LOOKED_AT) misses.push({ where, call });
  }
  return { misses, made, all, volatile };
}
