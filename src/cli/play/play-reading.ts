import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { ScenarioState } from "../../core/state/state.ts";
import { judgedFields } from "../../core/templates/template.ts";
import type { FinishedTurn, Turn } from "../../journal/turn.ts";
import { expectedText, fieldLines, traitLines } from "../../report/text/fields-text.ts";
import { hopLines } from "../../report/text/hop-text.ts";
import {
  type LabelledLines,
  labelledLines,
  roomBeside,
  type TextOptions,
} from "../../report/text/text-blocks.ts";
import { judgeLines, verdictLines } from "../../report/text/verdict-text.ts";

/** A turn that has been read, and what is needed to show it. */
export interface PlayReading {
  /** Without a hop if the session ended before it was known. */
  readonly turn: Turn & FinishedTurn;
  readonly definition: ScenarioDefinition;
  /** True if a judge model reads what rules do not. */
  readonly isJudged: boolean;
  /** The state before the turn. */
  readonly before: ScenarioState;
}

const LABEL_WIDTH = "by rules".length;
const UNREAD = "no rule can read it, and there is no judge";

/** How a reply was read, by rules or by a judge, what follows, and where the conversation goes and why. */
export function playReading(reading: PlayReading, { style, width }: TextOptions): string {
  const { turn, definition } = reading;
  const { hop } = turn;
  const room = roomBeside(LABEL_WIDTH, width);
  const blocks: readonly LabelledLines[] = [
    ...fieldBlocks(reading, { style, room }),
    { label: "traits", lines: traitLines(turn.traits, { style, room }) },
    { label: "judge", lines: judgeLines(turn, { style, room }) },
    { label: "verdict", lines: verdictLines(turn, { style, room }) },
    { label: "next", lines: hop === undefined ? [] : hopLines(hop, { style, room, definition }) },
  ];
  return labelledLines(blocks, LABEL_WIDTH, style)
    .map((line) => `${line}\n`)
    .join("");
}

interface Room {
  readonly style: TextOptions["style"];
  readonly room: number;
}

function fieldBlocks(reading: PlayReading, { style, room }: Room): readonly LabelledLines[] {
  const { turn, definition, isJudged, before } = reading;
  const question = definition.nodes[turn.node]?.question;
  const template = question?.template;
  if (question === undefined || template === undefined) return [];
  const forJudge = judgedFields(template);
  const byRules = Object.entries(turn.fields).filter(([name]) => !Object.hasOwn(forJudge, name));
  const others = Object.entries(turn.fields).filter(([name]) => Object.hasOwn(forJudge, name));
  const options = { style, room, expected: (name: string) => expectedText(question, name, before) };
  const notes = isJudged
    ? turn.notes
    : { ...turn.notes, ...Object.fromEntries(others.map(([name]) => [name, UNREAD])) };
  return [
    { label: "by rules", lines: fieldLines({ ...turn, fields: Object.fromEntries(byRules) }, options) },
    {
      label: isJudged ? "by judge" : "not read",
      lines: fieldLines({ ...turn, notes, fields: Object.fromEntries(others) }, options),
    },
  ];
}
