import type { ReactNode } from "react";
import { LongText } from "./plain-text.tsx";

/** Data as indented JSON; a text as it is. */
export function JsonBlock({ value }: { readonly value: unknown }): ReactNode {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "–");
  return (
    <div className="json">
      <LongText text={text} />
    </div>
  );
}

/** One line for each value of some data, with what has changed since other data. */
export function StateTable({
  state,
  before,
  label,
}: {
  readonly state: unknown;
  readonly before?: unknown;
  readonly label: string;
}): ReactNode {
  const lines = linesOf(state);
  const known = before === undefined ? undefined : new Map(linesOf(before));
  return (
    <table className="state-table" aria-label={label}>
      <tbody>
        {lines.map(([path, value]) => {
          const isChanged = known !== undefined && known.get(path) !== value;
          return (
            <tr key={path} className={isChanged ? "changed" : undefined}>
              <th scope="row">
                <LongText text={path} />
              </th>
              <td className="wrap mono">
                <LongText text={value} />
                {isChanged && <span className="hidden"> changed</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The words of state paths, as scenarios write them. */
const NAMES: Readonly<Record<string, string>> = {
  currentNode: "current_node",
  verifyResult: "verify_result",
  nodeVisits: "node_visits",
  nodeResults: "node_results",
};

function linesOf(
  value: unknown,
  path = "",
  lines: (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const isOpen = typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = isOpen ? Object.entries(value) : [];
  if (!isOpen || (entries.length === 0 && path !== "")) {
    lines.push([path, isOpen ? "{}" : JSON.stringify(value)]);
    return lines;
  }
  for (const [name, part] of entries)
    linesOf(part, path === "" ? (NAMES[name] ?? name) : `${path}.${NAMES[name] ?? name}`, lines);
  return lines;
}
