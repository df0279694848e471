import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { shownScenario } from "../../../core/scenario/shown-scenario.ts";
import { nameHint } from "../../../core/schema/nearest-name.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import { placeTexts } from "../../../engine/journal/cell.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type {
  ConversationFilter,
  ConversationSummary,
  RunSummary,
  Store,
} from "../../../engine/journal/store/store.ts";
import { storedDefinitions, withForkParents } from "../../../engine/journal/transfer/stored-run.ts";
import { resultsOf } from "../../../insight/report/data/run-counts.ts";
import { runRates } from "../../../insight/report/data/run-rates.ts";
import { runTraffic } from "../../../insight/report/data/traffic.ts";
import { drawText } from "../../../insight/report/graph/draw-text.ts";
import type { Traffic } from "../../../insight/report/graph/drawn-graph.ts";
import { conversationText } from "../../../insight/report/text/conversation-text.ts";
import { doubtTexts } from "../../../insight/report/text/doubt-text.ts";
import { failuresText } from "../../../insight/report/text/failures-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { pathsText } from "../../../insight/report/text/paths-text.ts";
import { resultsText } from "../../../insight/report/text/results-text.ts";
import { inset, paintedLines, type TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { statusWord } from "../../../insight/report/text/verdict-text.ts";
import { printableText, runWord, safeJson, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { alignColumns, linesText, textWidth, wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { SHOW } from "../commands/look-commands.ts";
import { readSettings } from "../read-settings.ts";
import { countOpen, findConversation, findRun, levelsOf, withRuns } from "../stored-runs.ts";
import { reportCoverage } from "./coverage.ts";
import { showStatistics, wantsStatistics } from "./show-statistics.ts";

type ShowOptions = OptionsOf<typeof SHOW>;

/** As many graphs as fit on a screen or two. */
const GRAPHS = 2;

/** What is shown of a run, and where. */
interface Shown {
  readonly store: Store;
  readonly summary: RunSummary;
  readonly options: ShowOptions;
  readonly filter: ConversationFilter;
  readonly terminal: Terminal;
}

/** Shows a run (its results, its traffic, its failures) or one conversation of it. */
export async function show(options: ShowOptions, terminal: Terminal): Promise<ExitCode> {
  const { settings } = await readSettings(options.settings, terminal);
  return withRuns(settings.store, async (store): Promise<ExitCode> => {
    const { summary, conversation } = resolveId(options, store);
    const { scenario, subject, judge, json, failUnderCoverage } = options;
    const variant = options.variant && levelsOf(options.variant);
    const filter = withoutUndefined({ scenario, subject, judge, variant });
    const shown: Shown = { store, summary, options, filter, terminal };
    if (conversation !== undefined) {
      showConversation(shown, conversation);
      return 0;
    }
    refuseUnknownFilter(shown);
    if (options.coverage || failUnderCoverage !== undefined) {
      const others = (options.with ?? []).map((name) => findRun(store, name).run);
      const wanted = { runs: [summary.run, ...others], failUnder: failUnderCoverage ?? [], json };
      return reportCoverage(store, { ...wanted, ...withoutUndefined({ scenario, subject }) }, terminal);
    }
    if (wantsStatistics(options)) showStatistics(options, { store, run: summary.run, filter }, terminal);
    else if (json) showData(shown);
    else if (options.failures)
      terminal.output.write(failuresText(store, summary.run, { ...layoutOf(terminal), ...filter }));
    else showRun(shown);
    return 0;
  });
}

function layoutOf({ output: { style, width } }: Terminal): TextOptions {
  return { style, width };
}

/** A name means a run if there is one, otherwise a conversation of the latest run, or of the run of `--run`. */
function resolveId(
  { id, run }: ShowOptions,
  store: Store,
): { readonly summary: RunSummary; readonly conversation?: ConversationSummary } {
  if (id === undefined || (run === undefined && store.run(id) !== undefined))
    return { summary: findRun(store, id ?? run) };
  const summary = findRun(store, run);
  const conversation = findConversation(store, summary.run, id);
  if (conversation !== undefined) return { summary, conversation };
  const hint = run === undefined ? "To look into another run: --run <run>. " : "";
  throw new ProjectError([
    `There is no run "${id}", and no such conversation in run ${summary.run}. ${hint}List the runs: elenchus list`,
  ]);
}

function refuseUnknownFilter({ summary, filter }: Shown): void {
  const { scenarios, subjects, judges } = summary.start;
  const known = { scenario: Object.keys(scenarios), subject: subjects, judge: judges };
  for (const [kind, names] of Object.entries(known)) {
    const wanted = filter[kind as keyof typeof known];
    if (wanted !== undefined && !names.includes(wanted))
      throw new ProjectError([`Run ${summary.run} has no ${kind} "${wanted}". ${nameHint(wanted, names)}`]);
  }
}

function showRun(shown: Shown): void {
  const { store, summary, options, filter, terminal } = shown;
  const { output } = terminal;
  const layout = layoutOf(terminal);
  const print = (hint: string): void => output.write(`\n${linesText(wrapText(hint, output.width))}`);
  const { run, start } = summary;
  const scenarios = Object.keys(start.scenarios);
  output.write(`${output.style.bold(`Run ${printableText(run)}`)}\n\n`);
  output.write(resultsText(runRates(store, summary, filter), { ...layout, details: options.details }));
  const open = countOpen(store, summary);
  // A regraded run cannot be resumed.
  if (open > 0 && summary.parent === null)
    print(`${countedText(open, "conversation")} left. Resume with: elenchus resume ${runWord(run)}`);
  const drawn = filter.scenario === undefined ? scenarios : [filter.scenario];
  if (!options.graphs && drawn.length > GRAPHS) {
    const [first = ""] = scenarios;
    const command = `elenchus show ${runWord(run)} --scenario ${shellWord(first)}`;
    print(`${countedText(scenarios.length, "scenario")}; paths of one: ${command}`);
    return;
  }
  const definitions = storedDefinitions(store, run);
  for (const traffic of runTraffic(store, run, filter)) {
    const definition = definitions.get(traffic.scenario);
    const drawing = definition === undefined ? "" : drawnExample(shown, definition, traffic);
    output.write(`\n${drawing}\n${pathsText(traffic, layout)}`);
  }
  const count = resultsOf(store, run, filter).reduce((sum, { conversations }) => sum + conversations, 0);
  output.write(
    `\n${conversationsText(store.conversations(run, filter), { count, replicates: start.replicates }, layout)}`,
  );
}

/** A scenario with its traffic; the texts of a scenario with rows or variants are those of its first conversation. */
function drawnExample(
  { store, summary: { run }, filter, terminal: { output } }: Shown,
  definition: ScenarioDefinition,
  traffic: Traffic,
): string {
  const [first] = store.conversations(run, { ...filter, scenario: definition.name });
  const example = first && shownDefinition(store, run, first);
  const drawing = drawText(example ?? definition, { width: output.width, traffic });
  if (first === undefined || example?.given === undefined) return drawing;
  return `${drawing}\n${output.style.dim(`Texts of ${placeTexts(first).map(printableText).join(", ")}`)}\n`;
}

function showConversation(
  { store, summary, options: { json }, terminal }: Shown,
  shown: ConversationSummary,
): void {
  const { output } = terminal;
  const events = store.events(summary.run, shown.conversation);
  if (json) {
    for (const event of events) output.data(`${safeJson(event)}\n`);
    return;
  }
  const definition = shownDefinition(store, summary.run, shown);
  const chain = withForkParents(store, summary.run, shown.conversation);
  const parents = chain.slice(0, -1).map((parent) => parent.events);
  const options = { ...layoutOf(terminal), parents, ...withoutUndefined({ definition }) };
  output.write(conversationText(events, options));
}

/** The scenario of a conversation, with the texts of its row and variant. */
function shownDefinition(
  store: Store,
  run: string,
  { scenario, conversation, variant }: ConversationSummary,
): ScenarioDefinition | undefined {
  const definition = storedDefinitions(store, run).get(scenario);
  const { rowValues: row } = foldConversation(store.events(run, conversation));
  return definition && shownScenario(definition, { row, variant });
}

function showData({ store, summary, filter, terminal }: Shown): void {
  const rates = runRates(store, summary, filter);
  // JSON cannot represent a map.
  const best = Object.fromEntries(rates.best ?? []);
  const data = {
    ...summary,
    rates: { ...rates, best, warnings: doubtTexts(rates) },
    results: resultsOf(store, summary.run, filter),
  };
  terminal.output.data(`${safeJson(data, 2)}\n`);
}

const SHOWN = 20;
/** Enough of a name to distinguish conversations. */
const NAME_LENGTH = 8;
/** The first conversations, each with what it is about: beside it, or below if there is no room. */
function conversationsText(
  conversations: Iterable<ConversationSummary>,
  { count, replicates }: { readonly count: number; readonly replicates: number },
  { style, width }: TextOptions,
): string {
  const shown: ConversationSummary[] = [];
  for (const summary of conversations) if (shown.push(summary) === SHOWN) break;
  if (shown.length === 0) return "";
  const others = count - shown.length;
  const heads = alignColumns(
    shown.map(({ conversation, status, turnCount }) => {
      const { word, paint } = statusWord(status, style);
      const name = printableText(conversation).slice(0, NAME_LENGTH);
      return [
        { text: name, paint: style.bold },
        { text: word, paint },
        { text: countedText(turnCount, "turn") },
      ];
    }),
    ["<", "<", ">"],
  );
  const lines = shown.flatMap((summary, index) => {
    const { scenario, subject, replicate } = summary;
    const head = heads[index] ?? "";
    const parts = [
      scenario,
      subject,
      ...placeTexts(summary),
      ...(replicates > 1 ? [`replicate ${replicate}`] : []),
    ];
    const place = parts.map(printableText).join(" · ");
    const beside = width - 2 - textWidth(head) - 2;
    if (textWidth(place) <= beside) return [inset(`${head}  ${style.dim(place)}`)];
    return [head, ...paintedLines(place, width - 4, style.dim).map(inset)].map(inset);
  });
  const rest = others === 0 ? [] : [style.dim(`  … and ${countedText(others, "more conversation")}`)];
  return linesText([style.bold("Conversations"), ...lines, ...rest]);
}
