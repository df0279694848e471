import { END, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { type Condition, compileWhen } from "../../core/state/condition.ts";
import { describeCondition } from "../../core/state/describe-condition.ts";
import type { RoutingDecision, TestedEdge } from "../../core/state/routing.ts";
import { printableText } from "../../terminal/printable-text.ts";
import { paintedLines, type RoomOptions, valueText } from "./text-blocks.ts";

/** Colours and room, and the scenario for the text of its conditions. */
interface HopOptions extends RoomOptions {
  /** For the text of conditions. */
  readonly definition?: ScenarioDefinition;
}

/** Where a conversation went and why: `→ push because verify_result = true`, then why no other edge was taken. */
export function hopLines(hop: RoutingDecision, { style, room, definition }: HopOptions): readonly string[] {
  const conditionOf = (edge: number): Condition | null => compileWhen(definition?.edges[edge]?.when);
  const passed = hop.tested.filter(({ matched }) => !matched);
  return [
    ...paintedLines(choiceText(hop, conditionOf), room, style.cyan),
    ...passed.flatMap((tested) =>
      paintedLines(passedText(tested, conditionOf(tested.edge)), room - 2, style.dim).map(
        (line) => `  ${line}`,
      ),
    ),
  ];
}

function choiceText(hop: RoutingDecision, conditionOf: (edge: number) => Condition | null): string {
  const { target, edge, fallback, tested, fork } = hop;
  if ((target === null && fork === undefined) || edge === null) return "ends here: no edge leads on";
  const arrow =
    fork === undefined ? `→ ${nodeName(target ?? "")}` : `→ forks into ${fork.map(nodeName).join(", ")}`;
  if (fallback)
    return tested.length === 0 ? `${arrow}, the only edge` : `${arrow}, because no condition holds`;
  const condition = conditionOf(edge);
  if (condition === null) return `${arrow}, because its condition holds`;
  return `${arrow} because ${printableText(describeCondition(condition))}`;
}

function passedText(tested: TestedEdge, condition: Condition | null): string {
  const reason = tested.reason === undefined ? "its condition does not hold" : printableText(tested.reason);
  const found = isAboutOneValue(tested, condition) ? `, found ${valueText(tested.actual)}` : "";
  return `not ${nodeName(tested.target)}: ${reason}${found}`;
}

/** Null may be the value that was found, or mean that the reason is not about one value; the condition decides. */
function isAboutOneValue({ reason = "", actual }: TestedEdge, condition: Condition | null): boolean {
  if (actual !== null && actual !== undefined) return true;
  if (condition === null) return false;
  const parts = condition.type === "all_of" ? condition.conditions : [condition];
  return parts.some((part) => part.type === "state_check" && reason === `needs ${describeCondition(part)}`);
}

function nodeName(id: string): string {
  return id === END ? "END" : printableText(id) || '""';
}
