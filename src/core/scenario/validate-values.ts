import { OPERATORS, type Operators, type ShorthandValue } from "../checks/shorthand.ts";
import { isExpression } from "../liquid/text-template.ts";
import type { IssuePath, ReportIssue } from "../schema/issue.ts";
import type { FieldType } from "../templates/template.ts";
import { isRecord, typeName } from "../values/json.ts";

/** What a path has: values of one type. */
export type ValueKind = "boolean" | "number" | "text" | "list";

/** What the values of a field are; undefined for an enum, whose values may be of several types. */
export function fieldKind(field: FieldType): ValueKind | undefined {
  switch (field.type) {
    case "boolean":
      return "boolean";
    case "integer":
    case "number":
      return "number";
    case "string":
    case "date":
      return "text";
    case "array":
      return "list";
    case "enum":
      return undefined;
  }
}

const NAMES: Readonly<Record<ValueKind, string>> = {
  boolean: "true or false",
  number: "a number",
  text: "text",
  list: "a list",
};

/** Reports a value that a path can never have because it is of another type: `yes` is text, not true. */
export function validateValue(
  value: ShorthandValue,
  kind: ValueKind,
  { path, report }: { readonly path: IssuePath; readonly report: ReportIssue },
): void {
  const wrong = (received: unknown): void => {
    const shown =
      typeof received === "string" || typeof received === "number"
        ? `the ${typeof received === "string" ? "text" : "number"} ${JSON.stringify(received)}`
        : typeName(received);
    report({ code: "wrong_type", path, expected: NAMES[kind], received: shown });
  };
  const equals = (operand: unknown): void => {
    if (operand !== null && !isExpression(operand) && kindOf(operand) !== kind) wrong(operand);
  };
  if (!isRecord(value)) return equals(value);
  const { eq, ne, in: oneOf, contains, ...bounds } = value as Operators;
  for (const operand of [eq, ne, ...(oneOf ?? [])]) if (operand !== undefined) equals(operand);
  const hasBounds = OPERATORS.some((name) => name in bounds);
  // Texts may be numbers, and a number may be searched as text only where it is one.
  if (hasBounds && (kind === "boolean" || kind === "list"))
    report({ code: "wrong_type", path, expected: NAMES[kind], received: "a comparison of numbers" });
  if (contains !== undefined && (kind === "boolean" || kind === "number"))
    report({ code: "wrong_type", path, expected: NAMES[kind], received: "contains" });
}

function kindOf(value: unknown): ValueKind | undefined {
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "text";
    default:
      return Array.isArray(value) ? "list" : undefined;
  }
}
