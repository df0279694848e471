import { type ReactNode, useMemo } from "react";
import type { ConversationEntry, RunAnswer } from "../../answers.ts";
import { ENTRY_FILTERS, type EntryFilter, ORDERS } from "../../entry-filter.ts";
import { Choice } from "../parts/controls.tsx";
import { type EntryColumns, EntryList, useEntries } from "../parts/entry-list.tsx";
import { costText, countText, durationText } from "../parts/figures.tsx";
import { lookOf, OutcomeMark, statusLook, VERDICTS, VerdictMark, VerdictStrip } from "../parts/marks.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { changeSettings, type Route, type RunPageParts, type Settings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

/** The conversations of a run, filtered by what the address says. */
export function ConversationsPage({ route, run }: RunPageParts): ReactNode {
  const answer = useAnswer<RunAnswer>(answerPath(["runs", run]));
  return (
    <Awaited answer={answer} what="the conversations">
      {(data) => <Conversations data={data} route={route} />}
    </Awaited>
  );
}

interface FilterChoice {
  readonly key: keyof EntryFilter;
  readonly options: readonly string[];
  readonly words?: (option: string) => string;
  readonly none?: string;
}

/** The filters that are chosen from lists. */
function choicesFor(data: RunAnswer, outcomes: readonly string[]): readonly FilterChoice[] {
  return [
    { key: "scenario", options: data.scenarioEntries.map(({ scenario }) => scenario) },
    { key: "subject", options: data.subjects },
    ...(data.judges.length > 1 ? [{ key: "judge", options: data.judges } as const] : []),
    {
      key: "outcome",
      options: outcomes.flatMap((name) =>
        ["true", "false", "decided", "inconclusive"].map((value) => `${name}:${value}`),
      ),
      words: (option) => option.replace(/:(\w+)$/, " is $1"),
    },
    {
      key: "status",
      options: ["running", "cut_short", ...Object.keys(data.statuses)],
      words: (status) => status.replaceAll("_", " "),
    },
    { key: "verdict", options: VERDICTS, words: (verdict) => `a turn that is ${lookOf(verdict).word}` },
    { key: "order", options: Object.keys(ORDERS), words: (order) => ORDERS[order] ?? order, none: "as run" },
  ];
}

function Conversations({ data, route }: { readonly data: RunAnswer; readonly route: Route }): ReactNode {
  const { settings } = route;
  const filter: EntryFilter = useMemo(
    () =>
      Object.fromEntries(
        ENTRY_FILTERS.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]]])),
      ),
    [settings],
  );
  const { loaded, more } = useEntries(data.run, filter, data.state !== "running");
  const outcomes = data.rates.outcomes.map(({ outcome }) => outcome);
  const set = (changes: Settings): void => changeSettings(route, changes);
  return (
    <>
      <div className="head">
        <h1>Conversations</h1>
        <span className="facts">
          <span>
            {loaded.next === null ? "" : "first "}
            {countText(loaded.items.length)} of {countText(data.conversations)}
          </span>
        </span>
      </div>
      <div className="controls filters">
        {choicesFor(data, outcomes).map(({ key, none = "any", ...choice }) => (
          <Choice
            key={key}
            name={key}
            value={filter[key]}
            none={none}
            {...choice}
            onChange={(value) => set({ [key]: value })}
          />
        ))}
        {(["row", "arm", "node", "edge"] as const).map((key) =>
          filter[key] === undefined ? null : (
            <span key={key} className="chip">
              <PlainText text={`${key} ${filter[key]}`} />
              <button type="button" aria-label={`any ${key}`} onClick={() => set({ [key]: undefined })}>
                ×
              </button>
            </span>
          ),
        )}
        {Object.keys(filter).length > 0 && (
          <button
            type="button"
            onClick={() => set(Object.fromEntries(ENTRY_FILTERS.map((key) => [key, undefined])))}
          >
            Show all
          </button>
        )}
      </div>
      {loaded.next === null && loaded.items.length === 0 && loaded.error === undefined ? (
        <Empty title="No conversation matches">
          <p>Choose another filter.</p>
        </Empty>
      ) : (
        <EntryList
          run={data.run}
          loaded={loaded}
          more={more}
          columns={columnsFor(outcomes)}
          order={filter.order}
          onOrder={(order) => set({ order })}
        />
      )}
    </>
  );
}

const SHOWN_OUTCOMES = 4;

function columnsFor(outcomes: readonly string[]): EntryColumns {
  const shown = outcomes.slice(0, SHOWN_OUTCOMES);
  return {
    template: `minmax(6rem, 1fr) minmax(7rem, 1fr) minmax(10rem, 3fr) minmax(6rem, 1fr) 4.5rem 5.5rem 8rem ${shown.map(() => "minmax(5.4rem, 0.4fr)").join(" ")}`,
    heads: ["scenario", "subject", "which", "turns", "time", "cost", "ended", ...shown],
    numbers: ["time", "cost"],
    sorts: ["turns", "time", "cost"],
    cells: (entry: ConversationEntry) => [
      <PlainText key="scenario" text={entry.scenario} />,
      <PlainText key="subject" text={entry.subject} />,
      <span key="place" title={entry.place}>
        <PlainText text={entry.place} />
      </span>,
      <VerdictStrip key="turns" verdicts={entry.turns.map(([, verdict]) => verdict)} />,
      durationText(
        entry.startedAt === null || entry.endedAt === null ? null : entry.endedAt - entry.startedAt,
      ),
      entry.cost === null ? "–" : costText(entry.cost),
      <VerdictMark key="status" look={statusLook(entry.status)} hasWord />,
      ...shown.map((name) => <OutcomeMark key={name} value={entry.outcomes[name]} isShort />),
    ],
  };
}
