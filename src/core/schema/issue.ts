/** Where in a scenario something is: `["edges", 3, "when", "parsed.drug"]`. */
export type IssuePath = readonly (string | number)[];

/** A place in a text file; both numbers count from 1. */
export interface FilePosition {
  readonly filename: string;
  readonly line: number;
  readonly column: number;
}

/** A place in a text of a scenario, both numbers from 1, and what stands there. */
export interface PlaceInText {
  readonly line: number;
  readonly column: number;
  readonly snippet: string;
}

interface IssueFacts {
  /** The shape of the data is wrong. */
  wrong_type: { readonly expected: string; readonly received: string };
  missing_key: { readonly key: string; readonly owner: string };
  unknown_key: {
    readonly key: string;
    readonly owner: string;
    readonly nearest?: string;
    /** The key whose value should have it. */
    readonly belongsIn?: string;
    /** What there is instead, where nothing is near. */
    readonly keys?: readonly string[];
    /** True if it is a part of a text, which a colon makes a key. */
    readonly isText?: boolean;
  };
  unknown_value: { readonly value: string; readonly allowed: readonly string[]; readonly nearest?: string };
  empty_value: object;
  invalid_parameter: { readonly message: string };
  invalid_pattern: { readonly pattern: string; readonly message: string };
  invalid_source: { readonly source: string };
  cyclic_value: object;
  too_deep: { readonly limit: number };
  too_large: { readonly limit: number };
  not_data: { readonly found: string };

  /** The graph is wrong. */
  no_nodes: object;
  no_entry: object;
  invalid_id: { readonly id: string; readonly message: string };
  reserved_id: { readonly id: string };
  duplicate_node: { readonly node: string };
  duplicate_outcome: { readonly outcome: string };
  duplicate_scenario: { readonly scenario: string };
  duplicate_trait: { readonly trait: string };
  unknown_node: { readonly node: string; readonly role: NodeRole; readonly nearest?: string };
  unreachable_node: { readonly node: string; readonly entry: string; readonly behind: readonly string[] };
  missing_fallback: { readonly node: string };
  unbounded_fork: { readonly node: string; readonly arm: string };

  /** A condition or an outcome looks at something that is not there. */
  empty_condition: object;
  unknown_path: { readonly statePath: string; readonly nearest?: string; readonly message?: string };
  unknown_field: {
    readonly field: string;
    readonly node: string;
    readonly fields: readonly string[];
    readonly nearest?: string;
  };

  /** A text with variables cannot be rendered, or might not be. */
  invalid_text: { readonly message: string };
  unknown_variable: { readonly variable: string; readonly message: string; readonly nearest?: string };
  needs_default: { readonly variable: string; readonly message: string };

  /** The file cannot be read. */
  syntax_error: { readonly message: string };
  unsupported_version: { readonly version: string; readonly supported: number };

  /** The definition cannot be written to a file. */
  not_portable: { readonly problem: string };

  /** Warnings: the scenario can run, but probably not as meant. */
  several_fallbacks: { readonly node: string; readonly used: string; readonly ignored: readonly string[] };
  no_template: { readonly node: string; readonly statePath: string };
  unknown_trait: { readonly trait: string; readonly nearest?: string };
  never_holds: { readonly message: string };
  unused_dataset: object;
}

/** How a node id was used where it turned out to be unknown. */
export type NodeRole = "entry" | "source" | "target" | "path" | "filter";

/** The name of a kind of problem. */
export type IssueCode = keyof IssueFacts;

/** One problem of a definition: a code, the place, and the facts that its sentence needs. */
export type Issue = {
  [Code in IssueCode]: {
    readonly code: Code;
    readonly path: IssuePath;
    /** Where in a text with variables it is. */
    readonly within?: PlaceInText;
    /** Set when the scenario came from a file. */
    readonly position?: FilePosition;
  } & Readonly<IssueFacts[Code]>;
}[IssueCode];

/** Collects issues while a definition is checked. */
export type ReportIssue = (issue: Issue) => void;
