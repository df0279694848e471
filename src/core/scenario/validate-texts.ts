import { containsText, textsIn } from "../liquid/fill-texts.ts";
import { indexOf, TEXT_ROOTS, TURN_FACTS, TURN_READINGS } from "../liquid/text-needs.ts";
import { compileText, placeIn } from "../liquid/text-template.ts";
import type { TextVariable } from "../liquid/text-variables.ts";
import type { Issue, IssuePath, PlaceInText, ReportIssue } from "../schema/issue.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import { fieldNamed } from "../templates/template.ts";
import { isRecord } from "../values/json.ts";
import { PathsToNodes } from "./numbered-graph.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** Where a text is used: before a turn at a node, after one, or at the end of a conversation. */
interface TextPlace {
  readonly path: IssuePath;
  readonly node: number | null;
  readonly when: "before" | "after" | "end";
}

/** What texts may use besides nodes. */
interface TextSources {
  /** The names of the factors; undefined without variants. */
  readonly factors?: readonly string[] | undefined;
  /** True if the scenario names a dataset. */
  readonly hasRows?: boolean;
  /** The texts of the scenario itself. */
  readonly systemPrompt?: unknown;
}

/** Validates the texts of nodes, edges and outcomes: whether they can be parsed, and whether their variables are there. */
export function validateTexts(draft: ScenarioDraft, sources: TextSources, report: ReportIssue): void {
  const validator = new TextValidator(draft, sources, report);
  const { numbers, nodes, edges, outcomes } = draft;
  validator.part(sources.systemPrompt, { path: ["systemPrompt"], node: null, when: "before" });
  nodes.forEach((node, number) => {
    if (node === null || !(containsText(node) || containsText(node.modelOverride?.systemPrompt))) return;
    const place = { path: ["nodes", numbers.idOf(number)], node: number, when: "before" } as const;
    validator.part(node, place);
    const systemPrompt = node.modelOverride?.systemPrompt;
    validator.part(systemPrompt, { ...place, path: [...place.path, "modelOverride", "systemPrompt"] });
  });
  // Of many edges few have texts; the others need no place.
  for (const { index, from, edge } of edges)
    if (containsText(edge)) validator.part(edge, { path: ["edges", index], node: from, when: "after" });
  for (const { index, outcome } of outcomes)
    validator.part(outcome, { path: ["outcomes", index], node: null, when: "end" });
}

class TextValidator {
  readonly #draft: ScenarioDraft;
  readonly #sources: TextSources;
  readonly #report: ReportIssue;
  /** Unknown names that are reported once: they stand in many texts. */
  readonly #said = new Set<string>();
  #paths: PathsToNodes | undefined;

  constructor(draft: ScenarioDraft, sources: TextSources, report: ReportIssue) {
    this.#draft = draft;
    this.#sources = sources;
    this.#report = report;
  }

  part(part: unknown, place: TextPlace): void {
    if (part === undefined || part === null) return;
    for (const { text, path } of textsIn(part, place.path)) {
      const { problem, variables } = compileText(text);
      if (problem !== undefined) {
        const { message, line, column } = problem;
        const snippet = text.split("\n")[line - 1]?.slice(column - 1) ?? "";
        this.#report({ code: "invalid_text", path, message, within: { line, column, snippet } });
      }
      const spaced = nameWithSpaces(text);
      if (spaced === undefined)
        for (const variable of variables) this.#variable(variable, { ...place, path });
      else if (!this.#said.has(spaced.name)) {
        this.#said.add(spaced.name);
        this.#report({ code: "unknown_variable", path, ...spaced.issue });
      }
    }
  }

  #variable(variable: TextVariable, place: TextPlace): void {
    const [root] = variable.path;
    switch (root) {
      case "row":
      case "visit":
        return;
      case "variant":
        return this.#variant(variable, place);
      case "turns":
        return this.#turn(variable, place);
      case "nodes":
        return this.#node(variable, place);
      case "accumulated":
        return this.#accumulated(variable, place);
      case "user":
        if (this.#draft.nodes.some((node) => isRecord(node) && "user" in node)) return;
        return this.#unknown(variable, place, "no node of the scenario has a simulated user");
      default: {
        const message = `a text may use ${TEXT_ROOTS.join(", ")}`;
        const { nearest } = nearestOf(String(root), TEXT_ROOTS);
        const rest = variable.path.slice(1);
        const name = pathText(variable.path);
        // Who forgets that columns stand behind `row` forgets it everywhere.
        if (this.#said.has(name)) return;
        this.#said.add(name);
        const column = this.#sources.hasRows === true ? pathText(["row", ...variable.path]) : undefined;
        return this.#unknown(
          variable,
          place,
          message,
          nearest === undefined ? column : pathText([nearest, ...rest]),
        );
      }
    }
  }

  #variant(variable: TextVariable, place: TextPlace): void {
    const { factors } = this.#sources;
    const [, factor] = variable.path;
    if (factors === undefined) return this.#unknown(variable, place, "the scenario has no variants");
    if (factor === undefined || factor === null || factors.includes(String(factor))) return;
    const { nearest } = nearestOf(String(factor), factors);
    const message = `the variants have the factors ${factors.join(", ")}`;
    this.#unknown(variable, place, message, nearest === undefined ? undefined : `variant.${nearest}`);
  }

  #turn(variable: TextVariable, place: TextPlace): void {
    const [, which, part] = variable.path;
    if (which === undefined || which === "size") return;
    if (part !== undefined && part !== null && !this.#partOfTurn(variable, place, 2)) return;
    const index = indexOf(which ?? null);
    const { node, when } = place;
    if (variable.isOptional || index === null || when === "end") return;
    // Before a node at the end of the shortest way there are this many turns; after it, one more.
    const turns = node === null ? 0 : (this.#ways?.turnsBefore(node) ?? 0) + (when === "after" ? 1 : 0);
    if (turns < (index < 0 ? -index : index + 1))
      this.#needsDefault(
        variable,
        place,
        `there may be only ${turns === 1 ? "1 turn" : `${turns} turns`} before`,
      );
  }

  #node(variable: TextVariable, place: TextPlace): void {
    const [, id, part] = variable.path;
    if (id === undefined || id === null) return;
    const { numbers } = this.#draft;
    const number = numbers.ofNode(String(id));
    if (number === undefined) {
      const nearest = this.#draft.nearestNode.find(String(id));
      const meant =
        nearest === undefined ? undefined : pathText(["nodes", nearest, ...variable.path.slice(2)]);
      return this.#unknown(variable, place, `there is no node ${JSON.stringify(id)}`, meant);
    }
    if (part !== undefined && part !== null && !this.#partOfTurn(variable, place, 2, number)) return;
    const { node, when } = place;
    if (variable.isOptional || (when === "after" && node === number)) return;
    const isCertain = node !== null && this.#ways?.alwaysAfter(node, number) !== false;
    if (isCertain) return;
    const message =
      node === number
        ? "on the first visit there is no visit before"
        : `the node ${JSON.stringify(id)} may not have been visited`;
    this.#needsDefault(variable, place, message);
  }

  /** Reports a part that turns do not have; `at` is its position in the path. */
  #partOfTurn(variable: TextVariable, place: TextPlace, at: number, node?: number): boolean {
    const parts = [...TURN_FACTS, ...TURN_READINGS, ...(node === undefined ? [] : ["visits"])];
    const part = String(variable.path[at]);
    if (!parts.includes(part)) {
      const { nearest } = nearestOf(part, parts);
      const meant = nearest === undefined ? undefined : pathText(variable.path.with(at, nearest));
      this.#unknown(variable, place, `a turn has ${parts.join(", ")}`, meant);
      return false;
    }
    const keys = variable.path.slice(at + 1);
    if (part !== "parsed" || node === undefined || keys.length === 0 || keys.includes(null)) return true;
    const draft = this.#draft.nodes[node];
    if (draft === null || draft === undefined) return true;
    const fields = draft.question.template?.fields ?? {};
    if (fieldNamed(fields, keys.map(String)) !== undefined) return true;
    const names = Object.keys(fields);
    const id = JSON.stringify(this.#draft.numbers.idOf(node));
    const message =
      names.length === 0
        ? `the node ${id} has no template`
        : `the template of node ${id} has the fields ${names.join(", ")}`;
    const { nearest } = nearestOf(keys.join("."), names);
    const meant = nearest === undefined ? undefined : pathText([...variable.path.slice(0, at + 1), nearest]);
    this.#unknown(variable, place, message, meant);
    return false;
  }

  #accumulated(variable: TextVariable, place: TextPlace): void {
    const hasUpdate = this.#draft.nodes.some((node) => node === null || node.stateUpdate !== undefined);
    if (variable.isOptional || variable.path.length < 2 || hasUpdate) return;
    this.#needsDefault(variable, place, "no node has a stateUpdate that sets it");
  }

  /** Undefined if the graph is not known. */
  get #ways(): PathsToNodes | undefined {
    const { numbers, edges, entry } = this.#draft;
    const number = entry === null ? undefined : numbers.ofNode(entry);
    if (number === undefined) return undefined;
    this.#paths ??= new PathsToNodes({ size: numbers.size, entry: number, edges });
    return this.#paths;
  }

  #unknown(variable: TextVariable, { path }: TextPlace, message: string, nearest?: string): void {
    this.#report(unknownVariable(variable, path, { message, nearest }));
  }

  #needsDefault(variable: TextVariable, { path }: TextPlace, message: string): void {
    const name = pathText(variable.path);
    this.#report({ code: "needs_default", path, variable: name, message, within: placeOf(variable) });
  }
}

const SPACED = /\{\{-?\s*((?:row|variant)\.)([\p{L}\p{N}_-]+(?: +[\p{L}\p{N}_-]+)+)\s*(?=-?\}\}|\|)/u;

/** The first column or factor that is written with spaces, which end a variable. */
function nameWithSpaces(text: string) {
  const [all, root = "", name = ""] = SPACED.exec(text) ?? [];
  if (all === undefined) return undefined;
  const variable = root + name;
  const message = `a name with spaces is written ${root.slice(0, -1)}['${name}']`;
  const within = { ...placeIn(text, text.indexOf(variable)), snippet: variable };
  return { name: variable, issue: { variable, message, within } };
}

/** The issue of a variable that is not there. */
export function unknownVariable(
  variable: TextVariable,
  path: IssuePath,
  { message, nearest }: { readonly message: string; readonly nearest?: string | undefined },
): Issue {
  return {
    code: "unknown_variable",
    path,
    variable: pathText(variable.path),
    message,
    ...(nearest === undefined ? {} : { nearest }),
    within: placeOf(variable),
  };
}

function placeOf({ line, column, path }: TextVariable): PlaceInText {
  return { line, column, snippet: pathText(path.slice(0, 2)) };
}

/** A path as authors write it: `turns[-1].reply`. */
export function pathText(path: TextVariable["path"]): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (key === null) return "[…]";
      return index === 0 ? key : /^[\p{L}\p{N}_-]+$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    })
    .join("");
}
