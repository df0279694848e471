/** Commands that stand for a sign or a word. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["times", "×"],
  ["cdot", "·"],
  ["div", "÷"],
  ["approx", "≈"],
  ["simeq", "≈"],
  ["sim", "≈"],
  ["le", "≤"],
  ["leq", "≤"],
  ["ge", "≥"],
  ["geq", "≥"],
  ["ne", "≠"],
  ["neq", "≠"],
  ["pm", "±"],
  ["sqrt", "√"],
  ["to", "→"],
  ["rightarrow", "→"],
  ["implies", "→"],
  ["Rightarrow", "→"],
  ["therefore", "therefore "],
  ["quad", " "],
  ["qquad", " "],
  ["left", ""],
  ["right", ""],
  ["displaystyle", ""],
  ["boxed", "\\boxed"],
  ["fbox", "\\boxed"],
]);

/** Commands that say how their text looks; the text stays, and so does its closing brace, which rules overlook. */
const LOOKS = /^(?:text|math|emph|operatorname|underline|mbox|hbox)/;

const FRACTION = /^\\[dt]?frac ?\{([^{}]*)\}\{([^{}]*)\}$/;

/** What a piece of LaTeX says in plain text, after the given character: `\frac{3}{4}` is `3/4`, `\text{` is nothing. */
export function latexText(found: string, before: string): string {
  if (found === "{,}") return ",";
  if (found.startsWith("^{")) return `^${found.slice(2, -1)}`;
  const fraction = FRACTION.exec(found);
  // After a digit a fraction makes a mixed number: 3\frac{1}{2} is 3 1/2.
  if (fraction !== null)
    return (/\d/.test(before) ? " " : "") + fractionText(fraction[1] ?? "", fraction[2] ?? "");
  const opens = found.endsWith("{") && found !== "\\{";
  const command = found.slice(1, opens ? -1 : undefined);
  const brace = opens ? "{" : "";
  if (!/^[a-zA-Z]/.test(command)) return symbolText(command) + brace;
  const sign = SIGNS.get(command);
  if (sign !== undefined) return sign + brace;
  return LOOKS.test(command) ? "" : found;
}

function fractionText(over: string, under: string): string {
  const simple = /^ ?[+-]?\d+ ?$/;
  if (simple.test(over) && simple.test(under)) return `${over.trim()}/${under.trim()}`;
  return `(${over})/(${under})`;
}

/** After a backslash, brackets and thin spaces are only layout; any other character stands for itself. */
function symbolText(symbol: string): string {
  if (/^[()[\],;:!]$/.test(symbol)) return "";
  return symbol === "\\" ? " " : symbol;
}
