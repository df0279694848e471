import { fillTexts } from "../../core/liquid/fill-texts.ts";
import { bindScenario, copyDefinition, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { variantValues } from "../../core/scenario/variants.ts";
import { callIdentity } from "../../journal/fold/run.ts";
import type { RunEventBody } from "../../journal/run-event.ts";
import { memoryStore } from "../../journal/store/memory-store.ts";
import type { Store } from "../../journal/store/store.ts";
import { Cassette } from "../../models/cassette/cassette.ts";
import {
  readTypedAnswer,
  type TypedAnswer,
  type TypedAnswerOptions,
  type TypedLine,
  TypedLines,
} from "../../models/person/typed-answer.ts";
import { forJudgeOnly, RULES_JUDGE } from "../../run/step/node-plan.ts";
import { printableLines } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { PlayOptions } from "./play-options.ts";
import { PlayScreen } from "./play-screen.ts";

/** The name of a person who answers in a run; a cassette answers under the same name. */
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
      definition: playedDefinition(options),
      isJudged: (node) => isJudged(scenario, node, options),
      answersBy,
      isLeaving: () => signal.aborted,
      hasShown: ({ model }) => as === "questioner" || (model !== undefined && answersBy(model)),
    });
  }

  onEvent(event: RunEventBody): void {
    const identity = callIdentity(event);
    if (identity !== undefined) this.#identities.add(identity);
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

/** The scenario as it is played: with the values of the row, and without rules where a judge reads instead. */
function playedDefinition(options: PlayOptions): ScenarioDefinition {
  const { scenario, row, variant, reading } = options;
  const { variants } = scenario;
  const values =
    variants === undefined || variant === undefined
      ? {}
      : { variant: fillTexts(variantValues(variants, variant), row === undefined ? {} : { row }) };
  const given = { ...(row === undefined ? {} : { row }), ...values };
  const bound = (definition: ScenarioDefinition): ScenarioDefinition =>
    Object.keys(given).length === 0 ? definition : bindScenario(definition, given);
  if (reading !== "judge") return bound(scenario);
  const nodes = Object.entries(scenario.nodes).map(([id, node]) => [
    id,
    isJudged(scenario, id, options) ? forJudgeOnly(node) : node,
  ]);
  return bound(copyDefinition(scenario, { nodes: Object.freeze(Object.fromEntries(nodes)) }));
}

/** True if a judge model reads replies at a node. */
export function isJudged(
  { nodes }: ScenarioDefinition,
  node: string,
  { judge }: Pick<PlayOptions, "judge">,
): boolean {
  return (nodes[node]?.modelOverride?.judge ?? judge) !== RULES_JUDGE;
}

/** What the person types: answers of one or more lines, each behind a prompt. */
export class PlayInput {
  readonly #terminal: Pick<Terminal, "input" | "output">;
  #lines: TypedLines | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(terminal: Pick<Terminal, "input" | "output">) {
    this.#terminal = terminal;
  }

  /** True if the person was asked for something, and the input had ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Reads an answer; one at a time. */
  read(options: TypedAnswerOptions): Promise<TypedAnswer> {
    const reading = this.#read(options);
    this.#reading = reading.catch(() => {});
    return reading;
  }

  /** Resolves when no input is being read, so that what is printed next stands behind the prompt's line. */
  async idle(): Promise<void> {
    await this.#reading;
  }

  close(): void {
    this.#lines?.close();
  }

  async #read(options: TypedAnswerOptions): Promise<TypedAnswer> {
    const lines = this.#lines ?? (await TypedLines.open(this.#terminal.input));
    this.#lines = lines;
    const answer = await readTypedAnswer({ next: (signal) => this.#next(lines, signal) }, options);
    if (answer === "ended") this.#hasEnded = true;
    return answer;
  }

  async #next(lines: TypedLines, signal: AbortSignal): Promise<TypedLine> {
    const { input, output } = this.#terminal;
    output.write(output.style.bold("> "));
    const line = await lines.next(signal);
    if (typeof line === "string") output.write("\n");
    // A terminal shows by itself what is typed; from a pipe, a session reads the same if we do.
    else if (input.isTTY !== true) output.write(`${printableLines(line.text)}\n`);
    return line;
  }
}
