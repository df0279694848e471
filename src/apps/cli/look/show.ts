import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { shownScenario } from "../../../core/scenario/shown-scenario.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { placeTexts } from "../../../engine/journal/cell.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type {
  ConversationSummary,
  ResultRow,
  RunSummary,
  Store,
} from "../../../engine/journal/store/store.ts";
import { storedDefinitions, withForkParents } from "../../../engine/journal/transfer/stored-run.ts";
import { resultsOf } from "../../../insight/report/data/run-counts.ts";
import { type RunRates, runRates } from "../../../insight/report/data/run-rates.ts";
import type { ReportFilter } from "../../../insight/report/data/subject-totals.ts";
import { runTraffic } from "../../../insight/report/data/traffic.ts";
import { drawText } from "../../../insight/report/graph/draw-text.ts";
import type { Traffic } from "../../../insight/report/graph/drawn-graph.ts";
import { conversationText } from "../../../insight/report/text/conversation-text.ts";
import { failuresText } from "../../../insight/report/text/failures-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { doubtTexts } from "../../../insight/report/text/missing-text.ts";
import { pathsText } from "../../../insight/report/text/paths-text.ts";
import { resultsText } from "../../../insight/report/text/results-text.ts";
import type { TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { type NamedColumn, type NamedLine, namedTable } from "../../../insight/report/text/text-blocks.ts";
import { statusWord } from "../../../insight/report/text/verdict-text.ts";
import { printableText, runWord, safeJson, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { cutToWidth, linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { countOpen, findConversation, findRun, levelsOf, withRuns } from "../stored-runs.ts";
import { type StatisticsOptions, showStatistics, wantsStatistics } from "./show-statistics.ts";

/** The options of `show`. */
interface ShowOptions extends StatisticsOptions {
  readonly settings: SettingsRequest;
  /** A run or a conversation, or the beginning of its name. Default: the latest run. */
  readonly id: string | undefined;
  /** The run that a conversation is part of. Default: the latest. */
  readonly run: string | undefined;
  readonly scenario: string | undefined;
  readonly subject: string | undefined;
  readonly judge: string | undefined;
  readonly variant: readonly string[] | undefined;
  /** True to list what failed. */
  readonly failures: boolean;
  /** True for a table of each outcome, with all counts. */
  readonly details: boolean;
  /** True to draw every scenario with its traffic, however many there are. */
  readonly graphs: boolean;
  /** True to show the coverage. */
  readonly coverage: boolean;
  /** Thresholds of the coverage. */
  readonly failUnderCoverage: readonly string[] | undefined;
  /** True for data instead of text. */
  readonly json: boolean;
}

/** As many graphs as fit on a screen or two. */
const GRAPHS = 2;

/** What is shown of a run, and where. */
interface Shown {
  readonly store: Store;
  readonly summary: RunSummary;
  readonly options: ShowOptions;
  readonly filter: ReportFilter;
  readonly terminal: Terminal;
}

/** Shows a run (its results, its traffic, its failures) or one conversation of it. */
export async function show(options: ShowOptions, terminal: Terminal): Promise<ExitCode> {
  const { settings } = await readSettings(options.settings, terminal);
  return withRuns(settings.store, async (store): Promise<ExitCode> => {
    const { summary, conversation } = resolveId(options, store);
    const shown: Shown = { store, summary, options, filter: filterOf(options), terminal };
    if (conversation !== undefined) showConversation(shown, conversation);
    else {
      refuseUnknownFilter(shown);
      if (options.coverage || options.failUnderCoverage !== undefined) return showCoverage(shown);
      if (wantsStatistics(options))
        await showStatistics(
          options,
          { store, run: summary.run, filter: shown.filter, json: options.json },
          terminal,
        );
      else if (options.json) showData(shown);
      else if (options.failures) showFailures(shown);
      else showRun(shown);
    }
    return 0;
  });
}

function filterOf({ scenario, subject, judge, variant }: ShowOptions): ReportFilter {
  return {
    ...(scenario === undefined ? {} : { scenario }),
    ...(subject === undefined ? {} : { subject }),
    ...(judge === undefined ? {} : { judge }),
    ...(variant === undefined ? {} : { variant: levelsOf(variant) }),
  };
}

/** Shows the coverage of the run, together with the runs of `--with`. */
async function showCoverage({ store, summary, options, filter, terminal }: Shown): Promise<ExitCode> {
  const { reportCoverage } = await import("./show-coverage.ts");
  const { scenario, subject } = filter;
  const others = (options.with ?? []).map((name) => findRun(store, name).run);
  return reportCoverage(
    store,
    {
      runs: [summary.run, ...others],
      failUnder: options.failUnderCoverage ?? [],
      json: options.json,
      ...(scenario === undefined ? {} : { scenario }),
      ...(subject === undefined ? {} : { subject }),
    },
    terminal,
  );
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
  const known = { scenario: Object.keys(scenarios), subject: subjects, judge: judges } as const;
  for (const [kind, names] of Object.entries(known)) {
    const wanted = filter[kind as keyof typeof known];
    if (wanted === undefined || names.includes(wanted)) continue;
    const { nearest } = nearestOf(wanted, names);
    const hint = nearest === undefined ? `It has ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
    throw new ProjectError([`Run ${summary.run} has no ${kind} "${wanted}". ${hint}`]);
  }
}

function resultRows({ store, summary, filter }: Shown): readonly ResultRow[] {
  return resultsOf(store, summary.run, filter);
}

function ratesOf(shown: Shown): RunRates {
  return runRates(shown.store, shown.summary, shown.filter);
}

function showRun(shown: Shown): void {
  const { store, summary, options, filter, terminal } = shown;
  const { output } = terminal;
  const layout = { style: output.style, width: output.width };
  const { run, start } = summary;
  const scenarios = Object.keys(start.scenarios);
  output.write(`${output.style.bold(`Run ${printableText(run)}`)}\n\n`);
  output.write(resultsText(ratesOf(shown), { ...layout, details: options.details }));
  const open = countOpen(store, summary);
  // A regraded run cannot be resumed.
  if (open > 0 && summary.parent === null) {
    const hint = `${countedText(open, "conversation")} left. Resume with: elenchus resume ${runWord(run)}`;
    output.write(`\n${wrapText(hint, output.width).join("\n")}\n`);
  }
  const drawn = filter.scenario === undefined ? scenarios : [filter.scenario];
  if (!options.graphs && drawn.length > GRAPHS) {
    const [first = ""] = scenarios;
    const hint = `${countedText(scenarios.length, "scenario")}; paths of one: elenchus show ${runWord(run)} --scenario ${shellWord(first)}`;
    output.write(`\n${wrapText(hint, output.width).join("\n")}\n`);
    return;
  }
  const definitions = storedDefinitions(store, run);
  for (const traffic of runTraffic(store, run, filter)) {
    const definition = definitions.get(traffic.scenario);
    const drawing = definition === undefined ? "" : drawnExample(shown, definition, traffic);
    output.write(`\n${drawing}\n${pathsText(traffic, layout)}`);
  }
  const count = resultRows(shown).reduce((sum, { conversations }) => sum + conversations, 0);
  output.write(`\n${conversationsText(store.conversations(run, filter), count, layout)}`);
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

function showFailures({ store, summary, filter, terminal }: Shown): void {
  const { style, width } = terminal.output;
  terminal.output.write(failuresText(store, summary.run, { style, width, ...filter }));
}

function showConversation({ store, summary, options, terminal }: Shown, shown: ConversationSummary): void {
  const { output } = terminal;
  const events = store.events(summary.run, shown.conversation);
  if (options.json) {
    for (const event of events) output.data(`${safeJson(event)}\n`);
    return;
  }
  const { style, width } = output;
  const definition = shownDefinition(store, summary.run, shown);
  output.write(
    conversationText(events, {
      style,
      width,
      parents: withForkParents(store, summary.run, shown.conversation)
        .slice(0, -1)
        .map((parent) => parent.events),
      ...(definition === undefined ? {} : { definition }),
    }),
  );
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

function showData(shown: Shown): void {
  const { summary, terminal } = shown;
  const rates = ratesOf(shown);
  // JSON cannot represent a map.
  const best = Object.fromEntries(rates.best ?? []);
  const data = {
    ...summary,
    rates: { ...rates, best, warnings: doubtTexts(rates) },
    results: resultRows(shown),
  };
  terminal.output.data(`${safeJson(data, 2)}\n`);
}

const SHOWN = 20;
/** Enough of a name to distinguish conversations. */
const NAME_LENGTH = 8;
/** Below this many columns, replicate and row are left out. */
const NARROW = 60;

const COLUMNS: readonly NamedColumn[] = [
  { alignment: "<", leaves: 2 },
  { alignment: "<", leaves: 3 },
  { alignment: "<" },
  { alignment: ">", leaves: 1 },
];

/** The first conversations, one on each line. */
function conversationsText(
  conversations: Iterable<ConversationSummary>,
  count: number,
  { style, width }: TextOptions,
): string {
  const rows: NamedLine[] = [];
  for (const summary of conversations)
    if (rows.push(conversationLine(summary, { style, width })) === SHOWN) break;
  const others = count - rows.length;
  if (rows.length === 0) return "";
  const lines = namedTable(rows, COLUMNS, width);
  const rest = others === 0 ? [] : [style.dim(`  … and ${countedText(others, "more conversation")}`)];
  return linesText([style.bold("Conversations"), ...lines, ...rest]);
}

function conversationLine(summary: ConversationSummary, { style, width }: TextOptions): NamedLine {
  const { conversation, scenario, subject, replicate, status, turnCount } = summary;
  const { word, paint } = statusWord(status, style);
  const place = [`replicate ${replicate}`, ...placeTexts(summary).map(printableText)].join(", ");
  const room = Math.max(8, Math.floor((width - 50) / 2));
  const subjectName = cutToWidth(printableText(subject), room);
  return {
    name: { text: printableText(conversation).slice(0, NAME_LENGTH), paint: style.bold },
    indent: 2,
    cells: [
      { text: cutToWidth(printableText(scenario), room) },
      { text: width < NARROW ? subjectName : `${subjectName}, ${place}` },
      { text: word, paint },
      { text: countedText(turnCount, "turn") },
    ],
  };
}
