/** `auto` follows the system. */
export type Theme = "auto" | "light" | "dark";

const KEY = "elenchus-theme";
const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** The theme that the person chose. */
export function chosenTheme(): Theme {
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
export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
}
