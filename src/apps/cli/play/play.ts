import { resolve } from "node:path";
import { DEFAULTS, RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import { copyDefinition, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { variantCells } from "../../../core/scenario/variants.ts";
import { isFinished } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { hasLevels } from "../../../engine/journal/cell.ts";
import type { Conversation } from "../../../engine/journal/fold/conversation.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import { cassetteFromRun } from "../../../engine/journal/transfer/stored-run.ts";
import { writeCassette } from "../../../engine/models/cassette/cassette.ts";
import type { Model } from "../../../engine/models/model.ts";
import { personModel } from "../../../engine/models/person/person-model.ts";
import { openRows } from "../../../engine/run/open-rows.ts";
import { boundScenario } from "../../../engine/run/prepare-scenario.ts";
import { needsJudge, needsJudgeText, requireSimulator } from "../../../engine/run/required-models.ts";
import { resolveModels } from "../../../engine/run/resolve-models.ts";
import type { JudgeOption, Questioner, RunOptions, SubjectOption } from "../../../engine/run/run-options.ts";
import { startRun } from "../../../engine/run/run-scenarios.ts";
import { outcomeLines } from "../../../insight/report/text/conversation-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { pathText } from "../../../insight/report/text/paths-text.ts";
import { paintedLines, type TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { failureSentence } from "../../../insight/report/text/verdict-text.ts";
import { printableText, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { linesText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { listenForStop, type SignalSource } from "../run/watch-run.ts";
import { refuseToOverwrite } from "../write-output.ts";
import { PlayPrompt } from "./play-prompt.ts";
import { PlayScreen } from "./play-screen.ts";

/** The options of `play` on the command line. */
interface PlayCommandOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly as: "subject" | "questioner";
  readonly save: string | undefined;
  /** The name of a rehearsed conversation, which answers in place of the person. */
  readonly witness: string | undefined;
}

/** One conversation with a person, and the options of a run that apply to it. */
export interface PlayOptions
  extends Omit<RunOptions, "scenarios" | "subjects" | "judge" | "store" | "signal" | "rows" | "dataset"> {
  readonly scenario: ScenarioDefinition;
  /** The role of the person. */
  readonly as: "subject" | "questioner";
  /** The model that answers, if the person asks. */
  readonly subject?: SubjectOption;
  readonly judge: JudgeOption;
  /** Values for `{{row.…}}`, if the scenario needs them. */
  readonly row?: JsonObject;
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
export async function playCommand(options: PlayCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { as, save } = options;
  const { settings } = await readSettings(options.settings, terminal, {
    runsCode: true,
    uses: "everything",
    names: options.names,
  });
  const [scenario, ...more] = await readScenarios(options.names, settings, terminal, options.settings);
  if (scenario === undefined || more.length > 0) {
    const names = [scenario, ...more].slice(0, SHOWN).map((one) => one?.name);
    const rest = more.length + 1 > SHOWN ? ` and ${more.length + 1 - SHOWN} more` : "";
    throw new ProjectError([`Which scenario? Say it with --scenario: ${names.join(", ")}${rest}.`]);
  }
  const [named = SELF_JUDGE, otherJudge] = settings.judges;
  if (otherJudge !== undefined) throw new ProjectError(["One judge is enough to play. Name one: --judge"]);
  const [subject, otherSubject] = settings.subjects;
  if (as === "questioner" && (subject === undefined || otherSubject !== undefined))
    throw new ProjectError(["Whom do you want to ask? Name one model: --subject ollama/llama3.2"]);
  const { subjects, judge: _judges, dataset: _dataset, rows: _rows, ...others } = runOptionsOf(settings);
  const judge =
    named === SELF_JUDGE ? await ownJudge({ ...others, subjects: as === "subject" ? [] : subjects }) : named;
  const rehearsed =
    options.witness === undefined ? undefined : await playedWitness(scenario, options.witness, settings);
  return play(
    {
      ...others,
      scenario,
      as: rehearsed === undefined ? as : "subject",
      judge,
      environment: terminal.environment,
      words: [...options.names, "--scenario", scenario.name],
      ...(rehearsed ?? (await playedPlace(scenario, settings))),
      ...(subject === undefined ? {} : { subject }),
      ...(save === undefined ? {} : { save }),
    },
    terminal,
  );
}

/** `self` if the subject can read its own replies; a person cannot. */
async function ownJudge(options: Omit<RunOptions, "scenarios">): Promise<JudgeOption> {
  const { judges } = await resolveModels({ ...options, scenarios: [], judge: SELF_JUDGE, keyless: true });
  return [...judges.keys()][0] ?? RULES_JUDGE;
}

/** A rehearsed conversation, with its row and variant and who plays it. */
async function playedWitness(
  scenario: ScenarioDefinition,
  name: string,
  settings: Settings,
): Promise<Pick<PlayOptions, "row" | "variant" | "witness" | "judge" | "simulator">> {
  const { findWitness } = await import("../../../insight/analysis/rehearsal/find-witness.ts");
  const { rowNamed, witnessModels } = await import("../../../insight/analysis/rehearsal/replay-witness.ts");
  const { rehearsalOf } = await import("../write/rehearse.ts");
  const { dataset, rows } = settings;
  const found = findWitness(await rehearsalOf(scenario, settings), name);
  if ("problem" in found) throw new ProjectError([found.problem]);
  const { place } = found;
  const given = { ...(dataset === undefined ? {} : { dataset }), ...(rows === undefined ? {} : { rows }) };
  const row = place.row === undefined ? undefined : await rowNamed(scenario, place.row, given);
  const { subject: witness, judge, simulator } = witnessModels(scenario, found);
  return {
    witness,
    judge,
    simulator,
    ...(row === undefined ? {} : { row }),
    ...(place.variant === undefined ? {} : { variant: place.variant }),
  };
}

/** The first row and the first selected variant: a session is one conversation. */
async function playedPlace(
  scenario: ScenarioDefinition,
  { dataset, rows, skipBadRows, variant: wanted }: Settings,
): Promise<Pick<PlayOptions, "row" | "variant">> {
  const { variants } = scenario;
  const cells = variants === undefined ? [] : variantCells(variants);
  const variant = cells.find((cell) => hasLevels(cell, wanted));
  if (variants !== undefined && variant === undefined)
    throw new ProjectError([`No variant of "${scenario.name}" has these levels. Check --variant.`]);
  const opened = await openRows(scenario, {
    skipBadRows,
    ...(dataset === undefined ? {} : { dataset }),
    ...(rows === undefined ? {} : { rows }),
  });
  let row: JsonObject | undefined;
  for await (const { values } of opened ?? []) {
    row = values;
    break;
  }
  return {
    ...(row === undefined ? {} : { row }),
    ...(variant === undefined ? {} : { variant }),
  };
}

/** Runs one conversation in which the person at the terminal answers in place of a model, or asks in place of the scenario. */
export async function play(options: PlayOptions, terminal: Terminal): Promise<ExitCode> {
  const { scenario, as, subject, witness, judge, save, row, words, signals, timeouts, ...others } = options;
  requireOtherModel(options);
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
    ...(signals === undefined ? {} : { source: signals }),
  });
  const prompt = new PlayPrompt(terminal, signal);
  const screen = new PlayScreen(terminal, {
    definition: boundScenario(scenario, row, options.variant),
    isJudged: (node) => (scenario.nodes[node]?.modelOverride?.judge ?? judge) !== RULES_JUDGE,
    readsByRules: options.reading !== "judge",
    hasAnswered: (model) => as === "subject" && witness === undefined && model === PERSON,
    hasAsked: as === "questioner",
    isLeaving: () => signal.aborted,
  });
  const store = memoryStore();
  // The engine asks `subject` only where no person answers.
  const answering =
    as === "questioner" ? withCache(subject as SubjectOption) : answeringPerson(screen, prompt);
  try {
    const run = startRun(
      {
        ...others,
        scenarios: as === "questioner" ? askedByPerson(scenario) : scenario,
        subjects: witness ?? answering,
        judge: withCache(judge),
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
      },
      as === "questioner" ? { questioner: askingPerson(scenario, screen, prompt) } : {},
    );
    let name = "";
    for await (const event of run) {
      if (event.type === "run-start") name = event.run;
      screen.onEvent(event);
    }
    await prompt.idle();
    const { output } = terminal;
    const { conversation } = screen;
    const end = isFinished(conversation.status)
      ? "over"
      : signal.aborted
        ? "interrupted"
        : prompt.hasEnded
          ? "left"
          : "failed";
    output.write(endText(conversation, end, output));
    if (save !== undefined) {
      const cassette = cassetteFromRun(store, name);
      if (cassette.size === 0)
        warn(`No call was answered that a cassette could keep, so ${save} was not written.`, terminal);
      else {
        await writeCassette(resolve(terminal.folder, save), cassette);
        output.write(savedText(options, cassette.size, output.width));
      }
    }
    if (end === "over") return 0;
    if (end === "interrupted") return 130;
    return end === "left" && conversation.turnCount > 0 ? 0 : 2;
  } finally {
    stopListening();
    prompt.close();
    await store.close();
  }
}

function warn(text: string, { messages }: Terminal): void {
  messages.write(linesText(paintedLines(text, messages.width, messages.style.yellow)));
}

/** Only stored answers can be saved. The store is new, so no call is answered from it by chance. */
function withCache<Option extends SubjectOption | JudgeOption>(option: Option): Option {
  return typeof option === "object" && "model" in option ? { ...option, cache: true } : option;
}

/** Throws if no model takes the other part: the person cannot be both subject and judge, or both sides of the conversation. */
function requireOtherModel({ as, subject, judge, scenario, witness }: PlayOptions): void {
  const problems: string[] = [];
  if (as === "questioner" && (subject === undefined || isPerson(subject)))
    problems.push("You ask the questions, so a model must answer: name one with --subject.");
  if (isPerson(judge) && witness === undefined)
    problems.push(
      "You are in the conversation, so another must judge: name a model with --judge, or use rules.",
    );
  const overrides = Object.values(scenario.nodes).flatMap(({ modelOverride = {} }) =>
    [modelOverride.subject, modelOverride.judge].filter((one) => one !== undefined),
  );
  if (overrides.some((override) => isPerson(override as SubjectOption)))
    problems.push(
      `Scenario "${scenario.name}" names a person at a node, and there is but one at the terminal.`,
    );
  if (problems.length > 0) throw new ProjectError(problems);
}

function isPerson(option: SubjectOption | JudgeOption): boolean {
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
      const text = messages.findLast((message) => message.role === "user")?.content ?? "";
      screen.question({ node, turn, text, ...(instructions === undefined ? {} : { instructions }) });
      return prompt.read("(end with an empty line)");
    },
  });
}

/** The scenario with a user at every node: the text of a question is what the user is to say. */
function askedByPerson(scenario: ScenarioDefinition): ScenarioDefinition {
  const nodes = Object.entries(scenario.nodes).map(([id, node]) => [
    id,
    node.user === undefined ? { ...node, user: { instructions: node.question.question } } : node,
  ]);
  return copyDefinition(scenario, { nodes: Object.freeze(Object.fromEntries(nodes)) });
}

const REWORDING = "(an empty line sends it; or type another in its place, and end it with an empty line)";

/** The person as the user: each question is sent as it is, or as the person words it. */
function askingPerson(scenario: ScenarioDefinition, screen: PlayScreen, prompt: PlayPrompt): Questioner {
  return async ({ node, turn, contract }, write) => {
    await screen.shown(turn - 1);
    const isSimulated = scenario.nodes[node]?.user !== undefined;
    const said = isSimulated
      ? await write()
      : { text: contract.instructions, reveals: [], done: false, spending: NOTHING_SPENT };
    if ("stop" in said) return said;
    const { agentIdentity } = scenario.nodes[node] ?? {};
    const instructions = typeof agentIdentity === "object" ? agentIdentity.systemPrompt : undefined;
    screen.question({
      node,
      turn,
      text: said.text,
      ...(instructions === undefined ? {} : { instructions }),
    });
    const typed = await prompt.read(REWORDING, { mayBeEmpty: true });
    if (typeof typed === "object") return typed.text === "" ? said : { ...said, text: typed.text };
    const failure = { category: "cancelled", stage: "run", message: "The session was ended." } as const;
    return { stop: { status: "cancelled", failure, spending: said.spending } };
  };
}

/** How a session ended: the conversation finished or failed, or the person left. */
type PlayEnd = "over" | "failed" | "left" | "interrupted";

/** How the conversation ended, its path and its outcomes. */
function endText(conversation: Conversation, end: PlayEnd, { style, width }: TextOptions): string {
  const { path, status, failure, settings } = conversation;
  const outcomes = [...conversation.outcomes.values()];
  const turns = countedText(path.length, "turn");
  const left = end === "left" ? "The input ended" : "Interrupted";
  const place = path.length === 0 ? "before the first turn was over" : `after ${turns}`;
  const isOpen = end === "left" || end === "interrupted";
  const sentence = isOpen
    ? paintedLines(`${left} ${place}: the outcomes are open.`, width, style.yellow)
    : failure !== undefined
      ? paintedLines(failureSentence(failure), width, style.red)
      : status === "limit_reached"
        ? [
            style.bold(
              `The limit of ${countedText(settings?.turnLimit ?? DEFAULTS.turnLimit, "turn")} was reached.`,
            ),
          ]
        : [style.bold(`The conversation is over after ${turns}.`)];
  return linesText([
    "",
    ...sentence,
    ...(path.length === 0 ? [] : paintedLines(`Path: ${pathText(path)}`, width)),
    ...(isOpen || outcomes.length === 0
      ? []
      : ["", style.bold("Outcomes"), ...outcomeLines(outcomes, { style, width })]),
  ]);
}

/** Where the cassette is, and the command that replays it. */
function savedText(
  { save = "", words, as, judge, seed = DEFAULTS.seed, witness }: PlayOptions,
  calls: number,
  width: number,
): string {
  const saved = `Saved ${countedText(calls, "call")} to ${printableText(save)}.`;
  if (as === "questioner") return `\n${linesText(paintedLines(saved, width))}`;
  const command = [
    "elenchus run",
    ...(words === undefined ? ["<file>"] : words.map(shellWord)),
    "--subject person",
    ...(witness !== undefined ? ["--judge person"] : []),
    ...(typeof judge === "string" && judge !== RULES_JUDGE ? [`--judge ${shellWord(judge)}`] : []),
    ...(seed === DEFAULTS.seed ? [] : [`--seed ${seed}`]),
    `--replay ${shellWord(save)}`,
  ].join(" ");
  // A command is not wrapped, so that it can be copied.
  return `\n${linesText(paintedLines(`${saved} To run the same conversation again:`, width))}  ${printableText(command)}\n`;
}
