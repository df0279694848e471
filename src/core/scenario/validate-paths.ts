import type { IssuePath, ReportIssue } from "../schema/issue.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import { parseStatePath, STATE_ROOTS } from "../state/state-path.ts";
import {
  fieldNamed,
  type Template,
  type TemplateFields,
  verifiedNames,
  verifyRuleOf,
} from "../templates/template.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";
import { unknownNode } from "./validate-graph.ts";

/** Validates that what a path names exists. */
export class PathValidator {
  readonly #draft: ScenarioDraft;
  readonly #report: ReportIssue;
  readonly #warn: ReportIssue;
  #traits: ReadonlySet<string> | undefined;

  constructor(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue) {
    this.#draft = draft;
    this.#report = report;
    this.#warn = warn;
  }

  /** A path of the state, as seen after a turn at `source`. */
  validateStatePath(statePath: string, source: string, path: IssuePath): void {
    const parsed = parseStatePath(statePath);
    if ("problem" in parsed)
      return this.unknownPath(statePath, STATE_ROOTS, { path, message: parsed.problem });
    switch (parsed.root) {
      case "verify_result":
        return this.validateVerdict(source, statePath, path);
      case "parsed":
        return this.validateField(source, parsed.keys, { statePath, path });
      case "node_visits":
        if (parsed.node !== null) this.validateNode(parsed.node, "path", path);
        return;
      case "node_results":
        if (parsed.node === null || !this.validateNode(parsed.node, "path", path)) return;
        if (parsed.part === "verify_result") this.validateVerdict(parsed.node, statePath, path);
        if (parsed.part === "parsed") this.validateField(parsed.node, parsed.keys, { statePath, path });
        if (parsed.part === "rubric" && parsed.keys.length > 0)
          this.validateTrait(parsed.keys.join("."), path);
        return;
    }
  }

  /** Reports a path whose first word is not one of `roots`, or that is wrong further on. */
  unknownPath(statePath: string, roots: readonly string[], at: { path: IssuePath; message: string }): void {
    const [root = "", ...rest] = statePath.split(".");
    const { nearest } = roots.includes(root) ? {} : nearestOf(root, roots);
    const suggestion = nearest === undefined ? {} : { nearest: [nearest, ...rest].join(".") };
    this.#report({ code: "unknown_path", path: at.path, statePath, message: at.message, ...suggestion });
  }

  validateNode(node: string, role: "path" | "filter", path: IssuePath): boolean {
    if (this.#draft.numbers.ofNode(node) !== undefined) return true;
    this.#report(unknownNode(this.#draft, node, role, path));
    return false;
  }

  validateVerdict(node: string, statePath: string, path: IssuePath): void {
    const template = this.#templateOf(node);
    if (
      template === null ||
      (template && verifyRuleOf(template) === undefined && verifiedNames(template).length === 0)
    )
      this.#warn({ code: "no_template", path, node, statePath });
  }

  validateField(node: string, keys: readonly string[], at: { statePath: string; path: IssuePath }): void {
    const fields = this.fieldsOf(node);
    if (keys.length === 0 || fields === undefined) return;
    if (fields === null)
      return this.#warn({ code: "no_template", path: at.path, node, statePath: at.statePath });
    if (fieldNamed(fields, keys) !== undefined) return;
    const names = Object.keys(fields);
    const field = keys.join(".");
    this.#report({
      code: "unknown_field",
      path: at.path,
      field,
      node,
      fields: names,
      ...nearestOf(field, names),
    });
  }

  validateTrait(trait: string, path: IssuePath): void {
    this.#traits ??= traitsOf(this.#draft);
    if (!this.#traits.has(trait))
      this.#warn({ code: "unknown_trait", path, trait, ...nearestOf(trait, this.#traits) });
  }

  /** The fields of a node's template, null if it has none, undefined if that is not known. */
  fieldsOf(node: string): TemplateFields | null | undefined {
    const template = this.#templateOf(node);
    return template && template.fields;
  }

  #templateOf(node: string): Template | null | undefined {
    const number = this.#draft.numbers.ofNode(node);
    const draft = number === undefined ? undefined : this.#draft.nodes[number];
    return draft ? (draft.question.template ?? null) : undefined;
  }
}

function traitsOf(draft: ScenarioDraft): ReadonlySet<string> {
  const rubrics = draft.nodes.flatMap((node) => [node?.rubric, node?.question.rubric]);
  return new Set(rubrics.flatMap((rubric) => rubric?.traits.map((trait) => trait.name) ?? []));
}
