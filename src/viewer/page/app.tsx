import { Component, type ReactNode, useState } from "react";
import { ComparePage } from "./pages/compare-page.tsx";
import { ConversationPage } from "./pages/conversation-page.tsx";
import { ConversationsPage } from "./pages/conversations-page.tsx";
import { CurvesPage } from "./pages/curves-page.tsx";
import { ReviewPage } from "./pages/review-page.tsx";
import { RunPage } from "./pages/run-page.tsx";
import { RunsPage } from "./pages/runs-page.tsx";
import { ScenarioPage } from "./pages/scenario-page.tsx";
import { KeyHelp, useKeyboard, useKeys } from "./parts/keys.tsx";
import { PlainText } from "./parts/plain-text.tsx";
import { Empty, Problem } from "./parts/states.tsx";
import { goTo, hashOf, type Route, useRoute, useScrollMemory } from "./routing.ts";
import { source } from "./source.ts";

/** The whole page: where one is, the page that the address names, keys. */
export function App(): ReactNode {
  const route = useRoute();
  const [hasHelp, setHasHelp] = useState(false);
  const [theme, setTheme] = useState(chosenTheme);
  useKeyboard();
  useKeys([
    { key: "?", about: "this list", action: () => setHasHelp(true) },
    { key: "r", about: "all runs", action: () => goTo("#/") },
    { key: "t", about: "light or dark", action: () => setTheme(applyTheme(nextTheme(chosenTheme()))) },
  ]);
  const place = route.words.join("/");
  useScrollMemory(place);
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to content
      </button>
      <header className="top">
        <Crumbs route={route} />
        <Tabs route={route} />
        <span>
          <button
            type="button"
            className="quiet-button"
            title="light, dark, or as the system is (auto)"
            onClick={() => setTheme(applyTheme(nextTheme(theme)))}
          >
            {theme}
          </button>
          <button type="button" className="quiet-button" aria-label="keys" onClick={() => setHasHelp(true)}>
            ?
          </button>
        </span>
      </header>
      <main id="content" tabIndex={-1}>
        <Guarded key={place}>
          <Page route={route} />
        </Guarded>
      </main>
      {hasHelp && <KeyHelp onClose={() => setHasHelp(false)} />}
    </>
  );
}

function Page({ route }: { readonly route: Route }): ReactNode {
  const [kind, run, part, name] = route.words;
  if (kind === undefined) return <RunsPage route={route} />;
  if (kind === "run" && run !== undefined) {
    if (part === undefined) return <RunPage route={route} run={run} />;
    if (part === "compare") return <ComparePage route={route} run={run} />;
    if (part === "curves") return <CurvesPage route={route} run={run} />;
    if (part === "review") return <ReviewPage route={route} run={run} />;
    if (part === "conversations") return <ConversationsPage route={route} run={run} />;
    if (part === "conversation" && name !== undefined)
      return <ConversationPage route={route} run={run} conversation={name} />;
    if (part === "scenario" && name !== undefined)
      return <ScenarioPage route={route} run={run} scenario={name} />;
  }
  return (
    <Empty title="There is no such page">
      <p>
        <a href="#/">All runs</a>
      </p>
    </Empty>
  );
}

function Crumbs({ route }: { readonly route: Route }): ReactNode {
  const [kind, run, part, name] = route.words;
  return (
    <nav className="crumbs" aria-label="where you are">
      <a className="brand" href="#/">
        elenchus
      </a>
      {kind === "run" && run !== undefined && (
        <>
          <span className="separator">/</span>
          <a href={hashOf(["run", run])} aria-current={part === undefined ? "page" : undefined}>
            <PlainText text={run} />
          </a>
        </>
      )}
      {part === "scenario" && name !== undefined && (
        <>
          <span className="separator">/</span>
          <span aria-current="page">
            <PlainText text={name} />
          </span>
        </>
      )}
    </nav>
  );
}

const TABS: readonly (readonly [part: string, word: string])[] = [
  ["", "Results"],
  ["conversations", "Conversations"],
  ["compare", "Compare"],
  ["curves", "Curves"],
  ["review", "Review"],
];

function Tabs({ route }: { readonly route: Route }): ReactNode {
  const [kind, run, part = ""] = route.words;
  if (kind !== "run" || run === undefined) return null;
  return (
    <nav className="tabs" aria-label="pages of the run">
      {TABS.filter(([word]) => word !== "review" || !source().isExport).map(([word, text]) => (
        <a
          key={word}
          href={hashOf(word === "" ? ["run", run] : ["run", run, word])}
          aria-current={part === word ? "page" : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

/** A mistake in one page leaves the rest usable. */
class Guarded extends Component<{ readonly children: ReactNode }, { readonly problem: string | null }> {
  override state: { readonly problem: string | null } = { problem: null };

  static getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: String(error) };
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === null) return this.props.children;
    return (
      <Problem
        code="unexpected"
        what="this page"
        message={`Something in the data could not be shown: ${problem}. The store itself is not changed; elenchus show may show it.`}
      />
    );
  }
}

/** `auto` follows the system. */
type Theme = "auto" | "light" | "dark";

const KEY = "elenchus-theme";
const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** The theme that the person chose. */
function chosenTheme(): Theme {
  try {
    const stored = window.localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "auto";
  } catch {
    // A page from a disk may have no storage.
    return "auto";
  }
}

/** Shows the page in the chosen theme, or in the next one. */
export function applyTheme(theme: Theme = chosenTheme()): Theme {
  document.documentElement.dataset.theme = theme;
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // It is then chosen again the next time.
  }
  return theme;
}

/** The theme after this one. */
function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
}
