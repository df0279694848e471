import { resolve } from "node:path";
import { DEFAULTS, RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { variantCells } from "../../../core/scenario/variants.ts";
import { isFinished } from "../../../core/state/state.ts";
import { judgedFields } from "../../../core/templates/template.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { hasLevels } from "../../../engine/journal/cell.ts";
import { writeCassette } from "../../../engine/models/cassette/cassette-file.ts";
import type { CallContext, ModelRequest } from "../../../engine/models/model.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { personModel } from "../../../engine/models/person/person-model.ts";
import type { TypedAnswer } from "../../../engine/models/person/typed-answer.ts";
import { openRows } from "../../../engine/run/open-rows.ts";
import { resolveModels } from "../../../engine/run/resolve-models.ts";
import type { JudgeOption, RunOptions, SubjectOption } from "../../../engine/run/run-options.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { agentName } from "../../../engine/run/step/agent-view.ts";
import { pathText } from "../../../insight/report/data/traffic.ts";
import { outcomeLines } from "../../../insight/report/text/conversation-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
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
import { listenForStop } from "../run/watch-run.ts";
import { refuseToOverwrite } from "../write-output.ts";
import { playQuestioner } from "./play-conversation.ts";
import { isJudged, PERSON, type PlayOptions, PlaySession, playRunOptions } from "./play-session.ts";

/** The options of `play` on the command line. */
interface PlayCommandOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly as: "subject" | "questioner";
  readonly save: string | undefined;
  /** The name of a rehearsed conversation, which answers in place of the person. */
  readonly witness: string | undefined;
}

const SHOWN = 12;

/** Finds the scenario, and plays it. */
export async function playCommand(options: PlayCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { as, save } = options;
  const { settings } = await readSettings(options.settings, terminal, {
    runsCode: true,
    uses: "everything",
    names: options.names,
  });
  const { judges, subjects } = settings;
  const [scenario, ...more] = await readScenarios(options.names, settings, terminal, options.settings);
  if (scenario === undefined || more.length > 0) {
    const names = [scenario, ...more].slice(0, SHOWN).map((one) => one?.name);
    const rest = more.length + 1 > SHOWN ? ` and ${more.length + 1 - SHOWN} more` : "";
    throw new ProjectError([`Which scenario? Say it with --scenario: ${names.join(", ")}${rest}.`]);
  }
  const [named = SELF_JUDGE, otherJudge] = judges;
  if (otherJudge !== undefined) throw new ProjectError(["One judge is enough to play. Name one: --judge"]);
  const [subject, otherSubject] = subjects;
  if (as === "questioner" && (subject === undefined || otherSubject !== undefined))
    throw new ProjectError(["Whom do you want to ask? Name one model: --subject ollama/llama3.2"]);
  const { turnLimit = DEFAULTS.turnLimit, seed = DEFAULTS.seed, ...others } = runOptionsOf(settings);
  const judge = named === SELF_JUDGE ? await ownJudge(as === "subject" ? [] : subjects, others) : named;
  const rehearsed =
    options.witness === undefined ? undefined : await playedWitness(scenario, options.witness, settings);
  return play(
    {
      ...others,
      scenario,
      as: rehearsed === undefined ? as : "subject",
      judge,
      turnLimit,
      seed,
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
async function ownJudge(
  subjects: readonly SubjectOption[],
  options: Omit<RunOptions, "scenarios">,
): Promise<JudgeOption> {
  const { judges } = await resolveModels({
    ...options,
    scenarios: [],
    subjects,
    judge: SELF_JUDGE,
    keyless: true,
  });
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
  const witness = findWitness(await rehearsalOf(scenario, settings), name);
  if ("problem" in witness) throw new ProjectError([witness.problem]);
  const { place } = witness;
  const given = { ...(dataset === undefined ? {} : { dataset }), ...(rows === undefined ? {} : { rows }) };
  const row = place.row === undefined ? undefined : await rowNamed(scenario, place.row, given);
  const { judge, simulator } = witnessModels(scenario, witness);
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

export type { PlayOptions } from "./play-session.ts";

/** Runs one conversation in which the person at the terminal answers in place of a model, or asks in place of the scenario. */
export async function play(options: PlayOptions, terminal: Terminal): Promise<ExitCode> {
  const { as, subject, save, signals } = options;
  requireOtherModel(options);
  if (save !== undefined) refuseToOverwrite(save, terminal);
  const unread = unreadFieldsWarning(options);
  if (unread !== undefined) warn(unread, terminal);
  const controller = new AbortController();
  const stopListening = listenForStop({
    onFirst: () => controller.abort(new ModelError("cancelled", "The session was ended.")),
    onSecond: () => {},
    ...(signals === undefined ? {} : { source: signals }),
  });
  const session = new PlaySession(options, terminal, controller.signal);
  try {
    if (as === "subject" || subject === undefined) await playSubject(session);
    else await playQuestioner(session, subject);
    await session.input.idle();
    return await reportEnd(session, terminal);
  } finally {
    stopListening();
    session.input.close();
    session.store.close();
  }
}

async function reportEnd(session: PlaySession, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const end = playEnd(session);
  output.write(playEnding(session, end, { style: output.style, width: output.width }));
  const { save } = session.options;
  if (save !== undefined) await saveCalls(session, save, terminal);
  return playExitCode(end, session.screen.conversation.turnCount);
}

async function saveCalls(session: PlaySession, save: string, terminal: Terminal): Promise<void> {
  const cassette = session.cassette();
  if (cassette.size === 0) {
    warn(`No call was answered that a cassette could keep, so ${save} was not written.`, terminal);
    return;
  }
  await writeCassette(resolve(terminal.folder, save), cassette);
  const { output } = terminal;
  output.write(savedText(session.options, cassette.size, output.width));
}

function warn(text: string, { messages }: Terminal): void {
  const { style, width } = messages;
  for (const line of paintedLines(text, width, style.yellow)) messages.write(`${line}\n`);
}

/** Throws if no model takes the other part: the person cannot be both subject and judge, or both sides of the conversation. */
function requireOtherModel({ as, subject, judge, scenario }: PlayOptions): void {
  const problems: string[] = [];
  if (as === "questioner" && subject === undefined)
    problems.push(
      "Whom do you want to question? Name a model, such as --subject openai/gpt-5-mini or --subject sim/sycophant.",
    );
  if (as === "questioner" && subject !== undefined && isPerson(subject))
    problems.push("You ask the questions, so another must answer: name a model with --subject.");
  const overrides = Object.values(scenario.nodes).flatMap(({ modelOverride = {} }) =>
    [modelOverride.subject, modelOverride.judge].filter((one) => one !== undefined),
  );
  if (isPerson(judge))
    problems.push(
      "You are in the conversation, so another must judge: name a model with --judge, or use rules.",
    );
  else if (overrides.some((override) => isPerson(override as SubjectOption)))
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

/** A warning if fields stay unreadable without a judge; undefined if rules or a judge can read all of them. */
function unreadFieldsWarning(options: PlayOptions): string | undefined {
  const { scenario } = options;
  const unread = Object.entries(scenario.nodes).flatMap(([node, { question }]) =>
    question.template === undefined || isJudged(scenario, node, options)
      ? []
      : Object.keys(judgedFields(question.template)),
  );
  const names = [...new Set(unread)].map(printableText);
  if (names.length === 0) return undefined;
  const several = names.length > 1;
  const listed =
    names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
  return `No rule can read the ${several ? "fields" : "field"} ${listed}, so ${several ? "they stay" : "it stays"} unreadable: name a judge that can, such as --judge openai/gpt-5-mini.`;
}

const HINT = "(end with an empty line)";

/** Runs the conversation with the person as the subject. */
async function playSubject(session: PlaySession): Promise<void> {
  const { options, store, signal } = session;
  let isFirst = true;
  const person = personModel({
    name: PERSON,
    async ask(request, context) {
      await session.screen.shown(context.turn - 1);
      const answer = await askPerson(session, { request, context, isFirst });
      isFirst = false;
      return answer;
    },
  });
  const run = runScenarios({ ...playRunOptions(options, { subject: person, store }), signal });
  for await (const event of run) session.onEvent(event);
}

async function askPerson(
  { options, screen, input }: PlaySession,
  {
    request,
    context,
    isFirst,
  }: { readonly request: ModelRequest; readonly context: CallContext; readonly isFirst: boolean },
): Promise<TypedAnswer> {
  const { node: id, turn, signal } = context;
  if (signal.aborted) return "aborted";
  const { instructions, messages } = request;
  const node = options.scenario.nodes[id];
  const examples = node?.question.fewShot;
  screen.question({
    node: id,
    turn,
    agent: agentName(node?.agentIdentity),
    ...(instructions === undefined ? {} : { instructions }),
    ...(examples === undefined ? {} : { examples }),
    text: messages.findLast((message) => message.role === "user")?.content ?? "",
  });
  if (options.witness !== undefined) {
    const { reply = "…" } = options.witness.turns[turn - 1] ?? {};
    screen.hint(`> ${reply}`);
    return { text: reply };
  }
  if (isFirst) screen.hint(HINT);
  return input.read({ signal });
}

/** How a session ended: the conversation finished or failed, or the person left. */
export type PlayEnd = "over" | "failed" | "left" | "interrupted";

/** How a session ended. */
function playEnd({ signal, input, screen }: PlaySession): PlayEnd {
  const { status } = screen.conversation;
  if (isFinished(status)) return "over";
  if (signal.aborted) return "interrupted";
  return input.hasEnded ? "left" : "failed";
}

/** 0 if the person left after at least one turn; 2 if none was finished. */
export function playExitCode(end: PlayEnd, turns: number): ExitCode {
  if (end === "over") return 0;
  if (end === "interrupted") return 130;
  return end === "left" && turns > 0 ? 0 : 2;
}

/** How the conversation ended, its path and its outcomes. */
function playEnding(
  { screen, options }: Pick<PlaySession, "screen" | "options">,
  end: PlayEnd,
  { style, width }: TextOptions,
): string {
  const { path, status, failure } = screen.conversation;
  const outcomes = [...screen.conversation.outcomes.values()];
  const turns = path.length;
  const counted = countedText(turns, "turn");
  const limit = countedText(options.turnLimit, "turn");
  const sentences: Readonly<Record<PlayEnd, readonly string[]>> = {
    over: paintedLines(
      status === "limit_reached"
        ? `The limit of ${limit} was reached.`
        : `The conversation is over after ${counted}.`,
      width,
      style.bold,
    ),
    failed: paintedLines(
      failure === undefined ? "The conversation could not continue." : failureSentence(failure),
      width,
      style.red,
    ),
    left: paintedLines(unfinishedText("The input ended", turns), width, style.yellow),
    interrupted: paintedLines(unfinishedText("Interrupted", turns), width, style.yellow),
  };
  const showsOutcomes = (end === "over" || end === "failed") && outcomes.length > 0;
  return linesText([
    "",
    ...sentences[end],
    ...(path.length === 0 ? [] : paintedLines(`Path: ${pathText(path)}`, width)),
    ...(showsOutcomes ? ["", style.bold("Outcomes"), ...outcomeLines(outcomes, { style, width })] : []),
  ]);
}

function unfinishedText(what: string, turns: number): string {
  return turns === 0
    ? `${what} before the first turn was over: the outcomes are open.`
    : `${what} after ${countedText(turns, "turn")}: the outcomes are open.`;
}

/** Where the cassette is, and the command that replays it. */
export function savedText(
  { save = "", words, as, judge, seed, witness }: PlayOptions,
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
    ...(seed === 0 ? [] : [`--seed ${seed}`]),
    `--replay ${shellWord(save)}`,
  ].join(" ");
  // A command is not wrapped, so that it can be copied.
  return `\n${linesText(paintedLines(`${saved} To run the same conversation again:`, width))}  ${printableText(command)}\n`;
}
