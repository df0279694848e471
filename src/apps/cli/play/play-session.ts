import { RULES_JUDGE } from "../../../core/defaults.ts";
import { fillTexts } from "../../../core/liquid/fill-texts.ts";
import { bindScenario, copyDefinition, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { type Variant, variantValues } from "../../../core/scenario/variants.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { callIdentity } from "../../../engine/journal/fold/run.ts";
import type { RunEventBody } from "../../../engine/journal/run-event.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { Cassette } from "../../../engine/models/cassette/cassette.ts";
import {
  readTypedAnswer,
  type TypedAnswer,
  type TypedAnswerOptions,
  type TypedLine,
  TypedLines,
} from "../../../engine/models/person/typed-answer.ts";
import type { JudgeOption, RunOptions, SubjectOption, Timeouts } from "../../../engine/run/run-options.ts";
import { forJudgeOnly } from "../../../engine/run/step/node-plan.ts";
import type { Witness } from "../../../insight/analysis/rehearsal/rehearsal.ts";
import { printableLines } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import type { SignalSource } from "../run/watch-run.ts";
import { PlayScreen } from "./play-screen.ts";

const SHARED = [
  "providers",
  "environment",
  "rubric",
  "judging",
  "reading",
  "detectRefusal",
  "earlierTurns",
  "tools",
  "toolSteps",
  "caps",
  "retries",
  "simulator",
] as const;

/** Options that are part of the identity of calls: a recorded session then answers a run with the same settings. */
type SharedOptions = Pick<RunOptions, (typeof SHARED)[number]>;

/** The settings of `play`. */
export interface PlayOptions extends SharedOptions {
  readonly scenario: ScenarioDefinition;
  /** The role of the person. */
  readonly as: "subject" | "questioner";
  /** The model that answers, if the person asks. */
  readonly subject?: SubjectOption;
  readonly judge: JudgeOption;
  readonly turnLimit: number;
  /** Only calls of models have a time limit, not persons. */
  readonly timeouts?: Pick<Timeouts, "callMs">;
  readonly seed: number;
  /** Values for `{{row.…}}`, if the scenario needs them. */
  readonly row?: JsonObject;
  /** The level of each factor, if the scenario has variants. */
  readonly variant?: Variant;
  /** The file for the cassette; an existing file is refused. */
  readonly save?: string;
  /** The arguments of `elenchus run` for this scenario, for the command that is suggested at the end. */
  readonly words?: readonly string[];
  /** A rehearsed conversation that answers in place of the person. */
  readonly witness?: Witness;
  /** Where Ctrl-C comes from (default: the process). */
  readonly signals?: SignalSource;
}

/** The one conversation, as options of a run. */
export function playRunOptions(
  options: PlayOptions,
  { subject, store }: { readonly subject: SubjectOption; readonly store: Store },
): RunOptions {
  const { scenario, judge, turnLimit, seed, row, variant, timeouts } = options;
  return {
    ...sharedOptions(options),
    scenarios: scenario,
    subjects: withCache(subject),
    judge: withCache(judge),
    replicates: 1,
    // `play` prints its own warning about unread fields.
    allowUnread: true,
    allowDrafts: true,
    turnLimit,
    seed,
    store,
    ...(row === undefined ? {} : { rows: [row] }),
    ...(variant === undefined ? {} : { variant }),
    ...(timeouts?.callMs === undefined ? {} : { timeouts: { callMs: timeouts.callMs } }),
  };
}

function sharedOptions(options: SharedOptions): SharedOptions {
  const given = SHARED.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

/** Only stored answers can be saved. The store is new, so no call is answered from it by chance. */
function withCache<Option extends SubjectOption | JudgeOption>(option: Option): Option {
  return typeof option === "object" && "model" in option ? { ...option, cache: true } : option;
}

/** The name of a person who answers in a run; a cassette answers under the same name. */
export const PERSON = "person";

/** One session: what the person types and sees, and the calls that were answered. */
export class PlaySession {
  readonly options: PlayOptions;
  readonly input: PlayInput;
  readonly screen: PlayScreen;
  /** Aborted when the person wants to leave at once. */
  readonly signal: AbortSignal;
  /** Keeps the answers; identical calls are answered once, as from a cassette. */
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

  /** All answered calls so far. */
  cassette(): Cassette {
    const cassette = new Cassette();
    const kept = [this.store.calls, ...this.store.runs().map(({ run }) => this.store.callsOf(run))];
    for (const identity of this.#identities)
      for (const calls of kept) {
        const call = calls.get(identity);
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
class PlayInput {
  readonly #terminal: Pick<Terminal, "input" | "output">;
  #lines: TypedLines | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(terminal: Pick<Terminal, "input" | "output">) {
    this.#terminal = terminal;
  }

  /** True if the input ended while the person was asked. */
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
    // A terminal shows what is typed; input from a pipe is printed here.
    else if (input.isTTY !== true) output.write(`${printableLines(line.text)}\n`);
    return line;
  }
}
