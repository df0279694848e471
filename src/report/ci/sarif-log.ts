import { LINT_RULES, type LintCode, type LintSeverity } from "../../core/scenario/lint-rule.ts";
import type { JsonObject, JsonValue } from "../../core/values/json.ts";
import type { Finding } from "../data/finding.ts";

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
