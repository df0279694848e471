import { type ReactNode, useMemo } from "react";
import type { ConversationEntry, RunAnswer } from "../../answers.ts";
import { ENTRY_FILTERS, type EntryFilter, ORDERS } from "../../entry-filter.ts";
import { Choice } from "../parts/choice.tsx";
import { type EntryColumns, EntryList, entryCells, useEntries } from "../parts/entry-list.tsx";
import { countText } from "../parts/figures.tsx";
import { OutcomeMark } from "../parts/marks.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { goTo, type Route, withSettings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

/** The conversations of a run, filtered by what the address says. */
export function ConversationsPage({
  route,
  run,
}: {
  readonly route: Route;
  readonly run: string;
}): ReactNode {
  const answer = useAnswer<RunAnswer>(answerPath(["runs", run]));
  return (
    <Awaited answer={answer} what="the conversations">
      {(data) => <Conversations data={data} route={route} />}
    </Awaited>
  );
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
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    goTo(withSettings(route, changes), { replaces: true });
  return (
    <>
      <div className="head">
        <h1>Conversations</h1>
        <span className="facts">
          <span>
            {loaded.next === null
              ? countText(loaded.entries.length)
              : `first ${countText(loaded.entries.length)}`}{" "}
            of {countText(data.conversations)}
          </span>
        </span>
      </div>
      <div className="controls filters">
        <Choice
          name="scenario"
          value={filter.scenario}
          options={data.scenarioEntries.map(({ scenario }) => scenario)}
          none="any"
          onChange={(value) => set({ scenario: value })}
        />
        <Choice
          name="subject"
          value={filter.subject}
          options={data.subjects}
          none="any"
          onChange={(value) => set({ subject: value })}
        />
        {data.judges.length > 1 && (
          <Choice
            name="judge"
            value={filter.judge}
            options={data.judges}
            none="any"
            onChange={(value) => set({ judge: value })}
          />
        )}
        <Choice
          name="outcome"
          value={filter.outcome}
          options={outcomes.flatMap((name) => [`${name}:true`, `${name}:false`, `${name}:inconclusive`])}
          words={outcomeWords}
          none="any"
          onChange={(value) => set({ outcome: value })}
        />
        <Choice
          name="status"
          value={filter.status}
          options={["running", "cut_short", ...Object.keys(data.statuses)]}
          words={(status) => status.replaceAll("_", " ")}
          none="any"
          onChange={(value) => set({ status: value })}
        />
        <Choice
          name="verdict"
          value={filter.verdict}
          options={["pass", "fail", "unreadable", "unjudged"]}
          words={(verdict) => `a turn that is ${VERDICT_WORDS[verdict] ?? verdict}`}
          none="any"
          onChange={(value) => set({ verdict: value })}
        />
        <Choice
          name="order"
          value={filter.order}
          none="as run"
          options={Object.keys(ORDERS)}
          words={(order) => ORDERS[order] ?? order}
          onChange={(value) => set({ order: value })}
        />
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
      {loaded.next === null && loaded.entries.length === 0 && loaded.error === undefined ? (
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

const VERDICT_WORDS: Readonly<Record<string, string>> = {
  pass: "right",
  fail: "wrong",
  unreadable: "unreadable",
  unjudged: "not judged",
};

function outcomeWords(option: string): string {
  const at = option.lastIndexOf(":");
  return `${option.slice(0, at)} is ${option.slice(at + 1)}`;
}

const SHOWN_OUTCOMES = 4;

function columnsFor(outcomes: readonly string[]): EntryColumns {
  const shown = outcomes.slice(0, SHOWN_OUTCOMES);
  return {
    template: `minmax(10rem, 2fr) minmax(7rem, 1.4fr) minmax(6rem, 1fr) minmax(6rem, 1fr) 4.5rem 5.5rem 8rem ${shown.map(() => "minmax(5rem, 0.6fr)").join(" ")}`,
    heads: ["scenario", "subject", "which", "turns", "time", "cost", "ended", ...shown],
    numbers: ["time", "cost"],
    sorts: { turns: "turns", time: "time", cost: "cost" },
    cells: (entry: ConversationEntry) => [
      ...entryCells(entry),
      ...shown.map((name) => <OutcomeMark key={name} value={entry.outcomes[name]} />),
    ],
  };
}
