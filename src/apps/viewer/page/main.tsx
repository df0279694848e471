import { Component, type ReactNode, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import "./style/page.css";
import "./style/tables.css";
import "./style/conversation.css";
import "./style/graph.css";
import { exportSource } from "./export-source.ts";
import { ComparePage } from "./pages/compare-page.tsx";
import { ConversationPage } from "./pages/conversation-page.tsx";
import { ConversationsPage } from "./pages/conversations-page.tsx";
import { CurvesPage } from "./pages/curves-page.tsx";
import { ReviewPage } from "./pages/review-page.tsx";
import { RunPage } from "./pages/run-page.tsx";
import { RunsPage } from "./pages/runs-page.tsx";
import { ScenarioPage } from "./pages/scenario-page.tsx";
import { KeyHelp, useKeyboard, useKeys } from "./parts/controls.tsx";
import { PlainText } from "./parts/plain-text.tsx";
import { Problem } from "./parts/states.tsx";
import { goTo, hashOf, type Route, useRoute, useScrollMemory } from "./routing.ts";
import { factOf, setSource, source } from "./source.ts";

/** The whole page: breadcrumbs and tabs, the page that the address names, keys. */
function App(): ReactNode {
  const route = useRoute();
  const [hasHelp, setHasHelp] = useState(false);
  const [theme, setTheme] = useState(chosenTheme);
  const changeTheme = (): void => setTheme(applyTheme(nextTheme(theme)));
  useKeyboard();
  useKeys([
    { key: "?", about: "this list", action: () => setHasHelp(true) },
    { key: "r", about: "all runs", action: () => goTo("#/") },
    { key: "t", about: "light or dark", action: changeTheme },
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
            onClick={changeTheme}
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
    const parts = { route, run };
    if (part === undefined) return <RunPage {...parts} />;
    if (part === "compare") return <ComparePage {...parts} />;
    if (part === "curves") return <CurvesPage {...parts} />;
    if (part === "review") return <ReviewPage {...parts} />;
    if (part === "conversations") return <ConversationsPage {...parts} />;
    if (part === "conversation" && name !== undefined)
      return <ConversationPage {...parts} conversation={name} />;
    if (part === "scenario" && name !== undefined) return <ScenarioPage {...parts} scenario={name} />;
  }
  return (
    <div className="state">
      <h1>There is no such page</h1>
      <a href="#/">All runs</a>
    </div>
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

/** The page of one thing belongs to the tab that lists them. */
const PART_OF: Readonly<Record<string, string>> = { conversations: "conversation", "": "scenario" };

function Tabs({ route }: { readonly route: Route }): ReactNode {
  const [kind, run, part = ""] = route.words;
  if (kind !== "run" || run === undefined) return null;
  return (
    <nav className="tabs" aria-label="pages of the run">
      {TABS.filter(([word]) => word !== "review" || !source().isExport).map(([word, text]) => (
        <a
          key={word}
          href={hashOf(word === "" ? ["run", run] : ["run", run, word])}
          aria-current={part === word ? "page" : part === PART_OF[word] ? "true" : undefined}
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

/** Shows the page in a theme, and remembers it. */
function applyTheme(theme: Theme = chosenTheme()): Theme {
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

// The secret of the address has become a cookie; it need not stay in the address, where it would be shared and kept in the history.
const { pathname, search, hash } = window.location;
if (/[?&](?:token|once)=/.test(search)) window.history.replaceState(null, "", `${pathname}${hash}`);

if (factOf("export") !== "") setSource(exportSource());
applyTheme();
const place = document.getElementById("page");
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
