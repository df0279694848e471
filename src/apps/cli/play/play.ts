import { resolve } from "node:path";
import { DEFAULTS, RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { variantCells } from "../../../core/scenario/variants.ts";
import { isFinished } from "../../../core/state/state.ts";
import { type JsonObject, withoutUndefined } from "../../../core/values/json.ts";
import { hasLevels } from "../../../engine/journal/cell.ts";
import type { Conversation } from "../../../engine/journal/fold/conversation.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import { cassetteFromRun } from "../../../engine/journal/transfer/stored-run.ts";
import { writeCassette } from "../../../engine/models/cassette/cassette.ts";
import type { Model } from "../../../engine/models/model.ts";
import { personModel } from "../../../engine/models/person/person-model.ts";
import { openRows } from "../../../engine/run/open-rows.ts";
import { boundScenario } from "../../../engine/run/prepare-scenario.ts";
import { needsJudge, needsJudgeText, requireSimulator } from "../../../engine/run/required-models.ts";
import type { JudgeOption, RunOptions } from "../../../engine/run/run-options.ts";
import { startRun } from "../../../engine/run/run-scenarios.ts";
import { outcomeLines, shownOutcomes } from "../../../insight/report/text/conversation-text.ts";
import { countedText, countText } from "../../../insight/report/text/figures.ts";
import { pathText } from "../../../insight/report/text/paths-text.ts";
import { paintedLines, type TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { failureSentence } from "../../../insight/report/text/verdict-text.ts";
import { printableText, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { linesText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { PLAY } from "../commands/write-commands.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { listenForStop, type SignalSource } from "../run/watch-run.ts";
import { refuseToOverwrite } from "../write-output.ts";
import { PlayPrompt, PlayScreen } from "./play-screen.ts";

/** One conversation with a person, and the options of a run that apply to it. */
export interface PlayOptions
  extends Omit<RunOptions, "scenarios" | "subjects" | "judge" | "store" | "signal" | "rows" | "dataset"> {
  readonly scenario: ScenarioDefinition;
  readonly judge: JudgeOption;
  /** Values for `{{row.…}}`, if the scenario needs them. */
  readonly row?: JsonObject;
  /** Which row it is, in words. */
  readonly rowName?: string;
  /** The file for the cassette; an existing file is refused. */
  readonly save?: string;
  /** The arguments of `elenchus run` for this scenario, for the command that is suggested at the end. */
  readonly words?: readonly string[];
  /** A rehearsed conversation that answers in place of the person. */
  readonly witness?: Model;
  /** Where Ctrl-C comes from (default: the process). */
  readonly signals?: SignalSource;
}

/** The name of a person who answers in a run; a cassette answers under the same name. */
const PERSON = "person";
const SHOWN = 12;

/** Finds the scenario, and plays it. */
export async function playCommand(options: OptionsOf<typeof PLAY>, terminal: Terminal): Promise<ExitCode> {
  const { files: names, save, witness } = options;
  const { settings } = await readSettings(options.settings, terminal, {
    runsCode: true,
    uses: "everything",
    names,
  });
  const [scenario, ...more] = await readScenarios(names, settings, terminal, options.settings);
  if (scenario === undefined || more.length > 0) {
    const known = [scenario, ...more].slice(0, SHOWN).map((one) => one?.name);
    const rest = more.length + 1 > SHOWN ? ` and ${more.length + 1 - SHOWN} more` : "";
    throw new ProjectError([`Which scenario? Say it with --scenario: ${known.join(", ")}${rest}.`]);
  }
  const [judge = SELF_JUDGE, otherJudge] = settings.judges;
  if (otherJudge !== undefined) throw new ProjectError(["One judge is enough to play. Name one: --judge"]);
  const {
    subjects: _subjects,
    judge: _judges,
    dataset: _dataset,
    rows: _rows,
    onlyRows: _onlyRows,
    rowLimit: _rowLimit,
    ...others
  } = runOptionsOf(settings);
  const { rowId, ...place } =
    witness === undefined
      ? await playedPlace(scenario, settings)
      : await playedWitness(scenario, witness, settings);
  return play(
    {
      ...others,
      scenario,
      // A person reads no replies of their own.
      judge: judge === SELF_JUDGE ? RULES_JUDGE : judge,
      environment: terminal.environment,
      words: [...names, "--scenario", scenario.name, ...(rowId === undefined ? [] : ["--row", rowId])],
      ...place,
      ...withoutUndefined({ save }),
    },
    terminal,
  );
}

/** The row and the variant of a session. */
interface PlayedPlace extends Pick<PlayOptions, "row" | "rowName" | "variant"> {
  readonly rowId?: string;
}

/** A rehearsed conversation, with its row and variant and who plays it. */
async function playedWitness(
  scenario: ScenarioDefinition,
  name: string,
  settings: Settings,
): Promise<PlayedPlace & Pick<PlayOptions, "witness" | "judge" | "simulator">> {
  const { findWitness } = await import("../../../insight/analysis/rehearsal/find-witness.ts");
  const { rowNamed, witnessModels } = await import("../../../insight/analysis/rehearsal/replay-witness.ts");
  const { rehearsalOf } = await import("../write/rehearse.ts");
  const { dataset, rows, onlyRows } = settings;
  const found = findWitness(await rehearsalOf(scenario, settings), name);
  if ("problem" in found) throw new ProjectError([found.problem]);
  const { place } = found;
  const given = withoutUndefined({ dataset, rows, onlyRows });
  const row = place.row === undefined ? undefined : await rowNamed(scenario, place.row, given);
  const { subject: witness, judge, simulator } = witnessModels(scenario, found);
  const named = place.row === undefined ? {} : { rowId: place.row, rowName: `Row ${place.row}` };
  return { witness, judge, simulator, ...named, ...withoutUndefined({ row, variant: place.variant }) };
}

/** The first row and the first selected variant: a session is one conversation. */
async function playedPlace(
  scenario: ScenarioDefinition,
  { dataset, rows, skipBadRows, onlyRows, rowLimit, variant: wanted }: Settings,
): Promise<PlayedPlace> {
  const { variants } = scenario;
  const cells = variants === undefined ? [] : variantCells(variants);
  const variant = cells.find((cell) => hasLevels(cell, wanted));
  if (variants !== undefined && variant === undefined)
    throw new ProjectError([`No variant of "${scenario.name}" has these levels. Check --variant.`]);
  const given = withoutUndefined({ dataset, rows, onlyRows, rowLimit });
  const opened = await openRows(scenario, { skipBadRows, ...given });
  for await (const { id, values: row } of opened ?? []) {
    const others =
      onlyRows === undefined
        ? `, the first of ${countText(opened?.count ?? 1)}; to choose one: --row <id>`
        : "";
    return { row, rowId: id, rowName: `Row ${id}${others}`, ...withoutUndefined({ variant }) };
  }
  return withoutUndefined({ variant });
}

/** Runs one conversation in which the person at the terminal answers in place of a model. */
export async function play(options: PlayOptions, terminal: Terminal): Promise<ExitCode> {
  const { scenario, witness, judge, save, row, rowName, words: _words, signals, ...more } = options;
  const { timeouts, ...others } = more;
  requireOnePerson(options);
  requireSimulator({ ...others, scenarios: scenario, subjects: [] });
  if (save !== undefined) refuseToOverwrite(save, terminal);
  const unread = judge === RULES_JUDGE ? needsJudge(scenario, others) : null;
  if (unread !== null)
    warn(`${needsJudgeText(unread)} What it would read stays unread. Name one with --judge.`, terminal);
  const controller = new AbortController();
  const { signal } = controller;
  const stopListening = listenForStop({
    onFirst: () => controller.abort(),
    onSecond: () => {},
    ...withoutUndefined({ source: signals }),
  });
  const prompt = new PlayPrompt(terminal, signal);
  const screen = new PlayScreen(terminal, {
    definition: boundScenario(scenario, row, options.variant),
    isJudged: (node) => (scenario.nodes[node]?.modelOverride?.judge ?? judge) !== RULES_JUDGE,
    readsByRules: options.reading !== "judge",
    hasAnswered: (model) => witness === undefined && model === PERSON,
    isLeaving: () => signal.aborted,
  });
  if (rowName !== undefined) {
    const { output } = terminal;
    output.write(linesText(paintedLines(rowName, output.width, output.style.dim)));
  }
  const store = memoryStore();
  try {
    const run = startRun({
      ...others,
      scenarios: scenario,
      subjects: witness ?? answeringPerson(screen, prompt),
      // Only stored answers can be saved. The store is new, so no call is answered from it by chance.
      judge: typeof judge === "object" && "model" in judge ? { ...judge, cache: true } : judge,
      // Asked only for users that the scenario has, which `requireSimulator` has looked at.
      simulator: others.simulator ?? "sim/user",
      replicates: 1,
      allowUnread: true,
      allowDrafts: true,
      store,
      signal,
      keepResults: false,
      ...(row === undefined ? {} : { rows: [row] }),
      // Only calls of models have a time limit, not persons.
      ...(timeouts?.callMs === undefined ? {} : { timeouts: { callMs: timeouts.callMs } }),
    });
    let name = "";
    for await (const event of run) {
      if (event.type === "run-start") name = event.run;
      screen.onEvent(event);
    }
    await prompt.idle();
    const { output } = terminal;
    const { conversation } = screen;
    const left = signal.aborted ? "Interrupted" : prompt.hasEnded ? "The input ended" : undefined;
    const isOver = isFinished(conversation.status);
    output.write(endText(conversation, { scenario, left: isOver ? undefined : left }, output));
    if (save !== undefined) {
      const cassette = cassetteFromRun(store, name);
      if (cassette.size === 0)
        warn(`No call was answered that a cassette could keep, so ${save} was not written.`, terminal);
      else {
        await writeCassette(resolve(terminal.folder, save), cassette);
        output.write(savedText(options, cassette.size, output.width));
      }
    }
    if (isOver) return 0;
    if (signal.aborted) return 130;
    return prompt.hasEnded && conversation.turnCount > 0 ? 0 : 2;
  } finally {
    stopListening();
    prompt.close();
    await store.close();
  }
}

function warn(text: string, { messages }: Terminal): void {
  messages.write(linesText(paintedLines(text, messages.width, messages.style.yellow)));
}

/** Throws if a judge or a node asks for a person, too: there is but one at the terminal. */
function requireOnePerson({ judge, scenario, witness }: PlayOptions): void {
  const overrides = Object.values(scenario.nodes).flatMap(({ modelOverride = {} }) =>
    [modelOverride.subject, modelOverride.judge].filter((one) => one !== undefined),
  );
  const others = [...(witness === undefined ? [judge] : []), ...overrides] as readonly JudgeOption[];
  if (others.some(isPerson))
    throw new ProjectError([
      "You answer the questions, so another must judge, and no node may name a person: name a model with --judge, or use rules.",
    ]);
}

function isPerson(option: JudgeOption): boolean {
  if (typeof option !== "object") return option === PERSON;
  if ("panel" in option) return option.panel.some(isPerson);
  return "model" in option && isPerson(option.model);
}

/** The person as the subject. A question is asked once the turn before it is on the screen. */
function answeringPerson(screen: PlayScreen, prompt: PlayPrompt): Model {
  return personModel({
    name: PERSON,
    async ask({ instructions, messages }, { node, turn }) {
      await screen.shown(turn - 1);
      const questionText = messages.findLast((message) => message.role === "user")?.content ?? "";
      screen.question({ node, turn, questionText, ...withoutUndefined({ instructions }) });
      return prompt.read("(end with an empty line)");
    },
  });
}

/** How the conversation ended, its path and its outcomes; they are open if the person left. */
function endText(
  conversation: Conversation,
  { scenario, left }: { readonly scenario: ScenarioDefinition; readonly left: string | undefined },
  { style, width }: TextOptions,
): string {
  const { path, status, failure, settings } = conversation;
  const outcomes = shownOutcomes(conversation, scenario);
  const turns = countedText(path.length, "turn");
  const place = path.length === 0 ? "before the first turn was over" : `after ${turns}`;
  const limit = countedText(settings?.turnLimit ?? DEFAULTS.turnLimit, "turn");
  const sentence =
    left !== undefined
      ? paintedLines(`${left} ${place}: the outcomes are open.`, width, style.yellow)
      : failure !== undefined
        ? paintedLines(failureSentence(failure), width, style.red)
        : status === "limit_reached"
          ? [style.bold(`The limit of ${limit} was reached.`)]
          : [style.bold(`The conversation is over after ${turns}.`)];
  return linesText([
    "",
    ...sentence,
    ...(path.length === 0 ? [] : paintedLines(`Path: ${pathText(path)}`, width)),
    ...(left !== undefined || outcomes.length === 0
      ? []
      : ["", style.bold("Outcomes"), ...outcomeLines(outcomes, { style, width })]),
  ]);
}

/** Where the cassette is, and the command that replays it. */
function savedText(
  { save = "", words = ["<file>"], judge, seed = DEFAULTS.seed, witness }: PlayOptions,
  calls: number,
  width: number,
): string {
  const saved = `Saved ${countedText(calls, "call")} to ${printableText(save)}. To run the same conversation again:`;
  const command = [
    "elenchus run",
    ...words.map((word) => (word === "<file>" ? word : shellWord(word))),
    "--subject person",
    ...(witness !== undefined ? ["--judge person"] : []),
    ...(typeof judge === "string" && judge !== RULES_JUDGE ? [`--judge ${shellWord(judge)}`] : []),
    ...(seed === DEFAULTS.seed ? [] : [`--seed ${seed}`]),
    `--replay ${shellWord(save)}`,
  ].join(" ");
  // A command is not wrapped, so that it can be copied.
  return `\n${linesText(paintedLines(saved, width))}  ${printableText(command)}\n`;
}
