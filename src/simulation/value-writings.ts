import { MONTHS, readDate } from "../check/date-value.ts";
import { convertText } from "../extract/convert-value.ts";
import { letterOf } from "../extract/option-letters.ts";
import type { TemplateField } from "../template/template.ts";
import type { JsonValue } from "../value/json.ts";

/** How a value may be written in a reply, the usual way first. */
export function valueWritings(field: TemplateField, value: JsonValue): readonly string[] {
  const rule = field.extract;
  if (rule?.type === "aliases") {
    const names = Object.entries(rule.values).filter(([name]) => convertText(name, field)?.value === value);
    if (names.length > 0) return names.flatMap(([name, aliases]) => [name, ...aliases.slice(0, 3)]);
  }
  if (rule?.type === "letter") {
    const [letter] = letterOf(value);
    if (letter !== undefined) return [letter, `(${letter})`, `option ${letter}`];
  }
  return plainWritings(value, field.type === "date");
}

function plainWritings(value: JsonValue, isDate: boolean): readonly string[] {
  if (typeof value === "boolean") return value ? ["yes", "true"] : ["no", "false"];
  if (Array.isArray(value)) return [value.length === 0 ? "none" : value.map(String).join(", ")];
  if (typeof value !== "string") return [String(value)];
  return isDate ? dateWritings(value) : [value];
}

function dateWritings(text: string): readonly string[] {
  const date = readDate(text);
  if (date === undefined || !date.bare) return [text];
  const { year, month, day } = date;
  const lower = MONTHS[month - 1] ?? "";
  const name = lower.charAt(0).toUpperCase() + lower.slice(1);
  const full = String(year).padStart(4, "0");
  return [text, `${day} ${name} ${full}`, `${name} ${day}, ${full}`, `${month}/${day}/${full}`];
}
