import { parseYamlText } from "../file/yaml-text.ts";
import { isRecord } from "../value/json.ts";

/** The usual way to write a file; told without reading all of it as YAML, which takes a hundred times longer. */
const TOP_LEVEL_KEY = /^(?:nodes|scenarios)[ \t]*:/m;

/**
 * False for text that clearly is no scenario file: something else in a folder of scenarios. Text that cannot be read counts
 * as one, so that whoever reads it can say what is wrong.
 */
export function isScenarioText(text: string, filename: string): boolean {
  if (TOP_LEVEL_KEY.test(text)) return true;
  try {
    const value: unknown = filename.toLowerCase().endsWith(".json")
      ? JSON.parse(text)
      : parseYamlText(text).value;
    return isRecord(value) && (Object.hasOwn(value, "nodes") || Object.hasOwn(value, "scenarios"));
  } catch {
    return true;
  }
}
