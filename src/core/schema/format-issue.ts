import type { Issue, IssueCode, IssuePath, NodeRole } from "./issue.ts";

type Sentences = { readonly [Code in IssueCode]: (issue: Extract<Issue, { code: Code }>) => string };

const ROLES: Readonly<Record<NodeRole, string>> = {
  entry: "The entry",
  source: "The source of an edge",
  target: "The target of an edge",
  path: "A path",
  filter: "A node filter",
};

/** The sentence of every issue, one per code. */
const SENTENCES: Sentences = {
  wrong_type: (issue) =>
    `Expected ${issue.expected}, got ${issue.received}${quotesAdvice(issue)}${listAdvice(issue)}.`,
  missing_key: (issue) => `${capitalised(issue.owner)} needs ${quoted(issue.key)}.`,
  unknown_key: (issue) =>
    issue.isText === true
      ? `${quoted(issue.key)} is taken for a key, because a colon and a space follow it; put quotes around the whole text.`
      : `${capitalised(issue.owner)} has no ${quoted(issue.key)}${
          issue.belongsIn === undefined ? "" : `; it belongs in ${quoted(issue.belongsIn)}`
        }${issue.keys === undefined ? "" : `; it has ${listed(issue.keys.map(quoted), "and")}`}.${didYouMean(issue)}`,
  unknown_value: (issue) =>
    `${quoted(issue.value)} is not one of ${listed(issue.allowed.map(quoted))}.${didYouMean(issue)}`,
  empty_value: () => "This must not be empty.",
  invalid_parameter: (issue) => issue.message,
  invalid_pattern: (issue) => `The pattern ${quoted(issue.pattern)} is not usable: ${issue.message}.`,
  invalid_source: (issue) =>
    `${quoted(shortened(issue.source))} is not the source of a function; write something like ${sourceLike(issue.path)}.`,
  cyclic_value: () => "This value contains itself.",
  too_deep: (issue) => `This value is nested more than ${issue.limit} levels deep.`,
  too_large: (issue) => `This value holds more than ${issue.limit} parts.`,
  not_data: (issue) => `Expected plain data, got ${issue.found}.`,

  no_nodes: () => "The scenario has no nodes; add at least one.",
  no_entry: () => "The scenario has no entry; name the node where conversations start.",
  invalid_id: (issue) => `${quoted(issue.id)} cannot be a node id: ${issue.message}.`,
  reserved_id: (issue) => `${quoted(issue.id)} is a reserved name and cannot be used here.`,
  duplicate_node: (issue) => `Node ${quoted(issue.node)} already exists.`,
  duplicate_outcome: (issue) => `Outcome ${quoted(issue.outcome)} already exists.`,
  duplicate_scenario: (issue) => `Scenario ${quoted(issue.scenario)} already exists in this file.`,
  duplicate_trait: (issue) => `Trait ${quoted(issue.trait)} already exists here.`,
  unknown_node: (issue) =>
    `${ROLES[issue.role]} names ${quoted(issue.node)}, which is not a node.${didYouMean(issue)}`,
  unreachable_node: (issue) =>
    `Node ${quoted(issue.node)} cannot be reached from the entry ${quoted(issue.entry)}${
      issue.behind.length === 0
        ? ""
        : `, and neither can ${listed(issue.behind.map(quoted), "and")} behind it`
    }; add an edge to it or remove it.`,
  unbounded_fork: ({ node, arm }) =>
    `The fork after ${quoted(node)} comes back to itself through ${quoted(arm)}, and no condition on the way ends it. Give an edge on the way a condition, such as node_visits.${node}: { lt: 3 }.`,
  missing_fallback: (issue) =>
    `Node ${quoted(issue.node)} has conditional edges but no fallback; add an edge without "when".`,

  empty_condition: () => `The condition is empty; leave out "when" for a fallback.`,
  unknown_path: (issue) =>
    `${quoted(issue.statePath)} is not a path of the state${issue.message === undefined ? "" : `: ${issue.message}`}.${didYouMean(issue)}`,
  unknown_field: (issue) =>
    `The template of node ${quoted(issue.node)} has no field ${quoted(issue.field)}${
      issue.nearest === undefined ? ` (it has ${listed(issue.fields.map(quoted), "and")})` : ""
    }.${didYouMean(issue)}`,

  invalid_text: (issue) => `This text cannot be rendered${placeOf(issue)}: ${issue.message}.`,
  unknown_variable: (issue) =>
    `${quoted(issue.variable)}${placeOf(issue)} is not known: ${issue.message}.${didYouMean(issue)}`,
  needs_default: (issue) =>
    `${quoted(issue.variable)}${placeOf(issue)} needs a default: ${issue.message}. Write {{ ${issue.variable} | default: "…" }}, or test it with {% if %}.`,

  syntax_error: (issue) => `The file cannot be read: ${issue.message}.`,
  unsupported_version: (issue) =>
    `Format version ${issue.version} is not supported; this release reads version ${issue.supported}.`,

  not_portable: (issue) => `This function cannot be written to a file: ${issue.problem}.`,

  several_fallbacks: (issue) =>
    `Node ${quoted(issue.node)} has several unconditional edges; only the first, to ${target(issue.used)}, is ever taken, never ${listed(issue.ignored.map(target))}.`,
  no_template: (issue) =>
    `${quoted(issue.statePath)} is always null here: node ${quoted(issue.node)} has no template that verifies.`,
  unknown_trait: (issue) =>
    `No rubric of this scenario has the trait ${quoted(issue.trait)}; the run must bring it.${didYouMean(issue)}`,
  never_holds: (issue) => `This condition can never hold: ${issue.message}.`,
  unused_dataset: () =>
    "No text uses a row of this dataset, so the scenario runs only once. Write {{ row.<column> }} where a value of the row belongs.",
};

/** One issue as a sentence for people, with its place: `scenario.yaml:7:11 (edges[0].target): …`. */
export function formatIssue(issue: Issue): string {
  const sentence = issueSentence(issue);
  const place = formatPath(issue.path);
  if (issue.position === undefined) return place === "" ? sentence : `${place}: ${sentence}`;
  const { filename, line, column } = issue.position;
  return `${filename}:${line}:${column}${place === "" ? "" : ` (${place})`}: ${sentence}`;
}

/** The sentence of an issue without its place. */
export function issueSentence(issue: Issue): string {
  // The code selects the sentence of its own kind of issue, which the compiler cannot follow through the index.
  return (SENTENCES[issue.code] as (issue: Issue) => string)(issue);
}

/** Where in a text something is, if there is no place in a file that says it. */
function placeOf({ within, position }: Issue): string {
  if (within === undefined || position !== undefined) return "";
  return ` (line ${within.line}, column ${within.column} of the text)`;
}

const LONGEST_PATH = 16;

/** A path as a person writes it: `edges[3].when["parsed.drug"]`. */
export function formatPath(path: IssuePath): string {
  let text = "";
  for (const part of path.slice(0, LONGEST_PATH)) {
    if (typeof part === "number") text += `[${part}]`;
    else if (!/^[\w-]+$/.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return path.length > LONGEST_PATH ? `${text}…` : text;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The target of an edge; the end is not a node, and authors write it as END. */
function target(id: string): string {
  return id === "__end__" ? "END" : quoted(id);
}

/** What an author may have meant by a text where code can stand. */
function sourceLike(path: IssuePath): string {
  if (path[0] === "outcomes") return '{ lastTurn: { verify_result: true } }, or "(result) => …"';
  if (path[2] === "when") return '{ verify_result: true }, or "(accumulated, parsed) => …"';
  return '"(accumulated, parsed) => …"';
}

/** In YAML, quotes decide whether a value is text. */
function quotesAdvice({
  expected,
  received,
}: {
  readonly expected: string;
  readonly received: string;
}): string {
  const [, plain] = /^(?:the number (.+)|true|false)$/.exec(received) ?? [];
  if (expected === "text" && (plain !== undefined || received === "true" || received === "false"))
    return `; put quotes around it: "${plain ?? received}"`;
  const [, quotedText] = /^the text "(.+)"$/.exec(received) ?? [];
  const isMeant =
    expected === "true or false"
      ? quotedText === "true" || quotedText === "false"
      : /^(?:a number|an integer)/.test(expected) && /^-?\d+(?:\.\d+)?$/.test(quotedText ?? "");
  return isMeant ? "; leave out the quotes" : "";
}

/** How to write a list in a file, for those who wrote an object. */
function listAdvice({ expected, received, path, position }: Extract<Issue, { code: "wrong_type" }>): string {
  if (position === undefined || /\.json$/i.test(position.filename ?? "")) return "";
  if (expected.startsWith("a list") && received.startsWith("the text "))
    return '; put "- " in front of each entry';
  if (expected === "a scenario" && received === "a list") return '; put "scenarios:" in front of it';
  if (path.at(-1) === "nodes" && received === "a list") return '; leave out the "- " in front of each node';
  if (expected !== "a list" || received !== "an object") return "";
  const example = path.at(-1) === "edges" ? ", such as: - { source: ask, target: push }" : "";
  return `; put "- " in front of each entry${example}`;
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

/** Texts in a row: `a, b or c`; of many, the first ones and how many more there are. */
export function listed(items: readonly string[], conjunction = "or"): string {
  const shown = items.length > 12 ? [...items.slice(0, 10), `${items.length - 10} more`] : items;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} ${items.length > 12 ? "and" : conjunction} ${shown.at(-1)}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function didYouMean(issue: { readonly nearest?: string }): string {
  return issue.nearest === undefined ? "" : ` Did you mean ${quoted(issue.nearest)}?`;
}

const SHOWN = 20;

/** Thrown when a scenario cannot be used; carries every issue that was found, not only the first. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
  readonly issues: readonly Issue[];

  constructor(subject: string, issues: readonly Issue[]) {
    const lines = issues.slice(0, SHOWN).map((issue) => `  - ${formatIssue(issue)}`);
    if (issues.length > SHOWN) lines.push(`  … and ${issues.length - SHOWN} more`);
    super(
      `${subject} has ${issues.length === 1 ? "an issue" : `${issues.length} issues`}:\n${lines.join("\n")}`,
    );
    this.issues = Object.freeze([...issues]);
  }
}
