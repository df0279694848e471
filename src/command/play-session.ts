import { Cassette } from "../cassette/cassette.ts";
import { applyRow } from "../engine/apply-row.ts";
import { RULES_JUDGE } from "../engine/node-plan.ts";
import { withoutRules } from "../engine/without-rules.ts";
import { memoryStore } from "../journal/memory-store.ts";
import type { RunEventBody } from "../journal/run-event.ts";
import type { Store } from "../journal/store.ts";
import { copyDefinition } from "../scenario/copy-definition.ts";
import type { ScenarioDefinition } from "../scenario/definition.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { PlayInput } from "./play-input.ts";
import type { PlayOptions } from "./play-options.ts";
import { PlayScreen } from "./play-screen.ts";

/** As runs call a person who answers; a cassette answers for whoever has this name. */
export const PERSON = "person";

/** One sitting: what the person types and sees, and what was asked and answered. */
export class PlaySession {
  readonly options: PlayOptions;
  readonly input: PlayInput;
  readonly screen: PlayScreen;
  /** Aborted when the person wants to leave at once. */
  readonly signal: AbortSignal;
  /** Keeps the answers, and makes sure that what is asked twice is answered once, as it is from a cassette. */
  readonly store: Store = memoryStore();
  readonly #identities = new Set<string>();

  constructor(options: PlayOptions, terminal: Terminal, signal: AbortSignal) {
    const { scenario, as } = options;
    this.options = options;
    this.signal = signal;
    this.input = new PlayInput(terminal);
    const answersBy = (model: string): boolean => as === "subject" && model === PERSON;
    this.screen = new PlayScreen(terminal, {
      definition: heldDefinition(options),
      isJudged: (node) => isJudged(scenario, node, options),
      answersBy,
      isLeaving: () => signal.aborted,
      hasShown: ({ model }) => as === "questioner" || answersBy(model),
    });
  }

  onEvent(event: RunEventBody): void {
    if (event.type === "call-start" && event.identity !== undefined) this.#identities.add(event.identity);
    this.screen.onEvent(event);
  }

  /** All that was answered so far. */
  cassette(): Cassette {
    const cassette = new Cassette();
    for (const identity of this.#identities) {
      const call = this.store.calls.get(identity);
      if (call !== undefined) cassette.set(call);
    }
    return cassette;
  }
}

/** The scenario as it is held: with the values of the row, and without the rules that a judge stands in for. */
function heldDefinition(options: PlayOptions): ScenarioDefinition {
  const { scenario, row, reading } = options;
  const filled = row === undefined ? scenario : applyRow(scenario, row).definition;
  if (reading !== "judge") return filled;
  const nodes = Object.entries(filled.nodes).map(([id, node]) => [
    id,
    isJudged(filled, id, options) ? withoutRules(node) : node,
  ]);
  return copyDefinition(filled, { nodes: Object.freeze(Object.fromEntries(nodes)) });
}

/** True if a judge model reads replies at a node. */
export function isJudged(
  { nodes }: ScenarioDefinition,
  node: string,
  { judge }: Pick<PlayOptions, "judge">,
): boolean {
  return (nodes[node]?.modelOverride?.judge ?? judge) !== RULES_JUDGE;
}
