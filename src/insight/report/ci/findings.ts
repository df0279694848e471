import { LINT_RULES, type LintCode, type LintSeverity } from "../../../core/scenario/lint-rule.ts";
import { formatPath } from "../../../core/schema/format-issue.ts";
import type { FilePosition, IssuePath } from "../../../core/schema/issue.ts";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";

/** A finding of `check` in a file, in one shape for all formats. */
export interface Finding {
  /** The code of an issue, of a rule of the lint, or of another problem: `unknown_node`, `shadowed_edge`, `bad_rows`. */
  readonly code: string;
  readonly severity: LintSeverity;
  /** Whole sentences, without the place. */
  readonly message: string;
  /** The file, as the user writes it. */
  readonly file: string;
  /** Counted from 1; absent where no line is known. */
  readonly line?: number;
  readonly column?: number;
  /** The name of the scenario, if it could be read. */
  readonly scenario?: string;
  /** Where in the scenario: `edges[3].when`. */
  readonly path?: string;
}

/** What is known of the place of a finding. */
interface FindingPlace {
  readonly file: string;
  readonly scenario?: string;
  readonly path?: IssuePath;
  readonly position?: FilePosition | undefined;
}

/** A finding at a place. */
export function findingAt(
  { file, scenario, path = [], position }: FindingPlace,
  found: Pick<Finding, "code" | "severity" | "message">,
): Finding {
  return {
    ...found,
    ...(scenario === undefined ? {} : { scenario }),
    ...(path.length === 0 ? {} : { path: formatPath(path) }),
    file: position?.filename ?? file,
    ...(position === undefined ? {} : { line: position.line, column: position.column }),
  };
}

/** A finding with its place, for people: `capital.yaml:7:11 (edges[0].target): …`. */
export function findingText({ file, line, column, path, message, scenario }: Finding): string {
  if (line !== undefined)
    return `${file}:${line}:${column}${path === undefined ? "" : ` (${path})`}: ${message}`;
  if (scenario === undefined) return message;
  return `${file}: In scenario ${JSON.stringify(scenario)}${path === undefined ? "" : `, ${path}`}: ${message}`;
}

/** How many findings there are of each severity. */
export function countFindings(findings: readonly Finding[]): Readonly<Record<LintSeverity, number>> {
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** Findings as a SARIF 2.1.0 log, which code hosts and editors show next to the lines of files. */
export function sarifLog(findings: readonly Finding[], version: string): JsonObject {
  const codes = [...new Set([...Object.keys(LINT_RULES), ...findings.map(({ code }) => code)])];
  const positions = new Map(codes.map((code, index) => [code, index]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "elenchus", version, rules: codes.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: positions.get(finding.code) as number,
          level: finding.severity,
          message: { text: finding.message },
          ...locationsOf(finding),
        })),
      },
    ],
  };
}

function ruleOf(code: string): JsonValue {
  const rule = Object.hasOwn(LINT_RULES, code) ? LINT_RULES[code as LintCode] : undefined;
  const page = rule === undefined ? "docs/reference/issues.md" : `docs/reference/lint.md#${code}`;
  const level: LintSeverity = rule?.severity ?? "error";
  return {
    id: code,
    shortDescription: { text: rule === undefined ? code.replaceAll("_", " ") : `Finds ${rule.finds}.` },
    help: { text: `See ${page}.` },
    defaultConfiguration: { level },
  };
}

function locationsOf({ file, line, column, scenario, path }: Finding): JsonObject {
  const physical = {
    artifactLocation: { uri: file.split(/[\\/]/).map(encodeURIComponent).join("/") },
    ...(line === undefined ? {} : { region: { startLine: line, startColumn: column ?? 1 } }),
  };
  const names = [scenario, path].filter((part) => part !== undefined);
  const location = {
    ...(file !== "" ? { physicalLocation: physical } : {}),
    ...(names.length === 0 ? {} : { logicalLocations: [{ fullyQualifiedName: names.join(": ") }] }),
  };
  return Object.keys(location).length === 0 ? {} : { locations: [location] };
}
