import type { ConversationSummary } from "../journal/store/store.ts";
import { printableText } from "../terminal/printable-text.ts";
import type { Style } from "../terminal/terminal.ts";
import { cutToWidth } from "../terminal/text-width.ts";
import { countedText } from "./figure-text.ts";
import { type NamedColumn, type NamedLine, namedTable } from "./named-table.ts";
import { statusWord } from "./verdict-words.ts";

const SHOWN = 20;
/** Enough of a name to tell conversations apart. */
const NAME_LENGTH = 8;
/** Below this many columns, who was asked is said without which time it was. */
const NARROW = 60;

const COLUMNS: readonly NamedColumn[] = [
  { alignment: "<", leaves: 2 },
  { alignment: "<", leaves: 3 },
  { alignment: "<" },
  { alignment: ">", leaves: 1 },
];

/** The first conversations of some, one a line, with what they are called by. */
export function conversationsText(
  conversations: Iterable<ConversationSummary>,
  { style, width }: { readonly style: Style; readonly width: number },
): string {
  const rows: NamedLine[] = [];
  let others = 0;
  for (const summary of conversations) {
    if (rows.length < SHOWN) rows.push(rowOf(summary, { style, width }));
    else others++;
  }
  if (rows.length === 0) return "";
  const lines = namedTable(rows, COLUMNS, width);
  const rest = others === 0 ? [] : [style.dim(`  … and ${countedText(others, "more conversation")}`)];
  return [style.bold("Conversations"), ...lines, ...rest].map((line) => `${line}\n`).join("");
}

function rowOf(
  { conversation, scenario, subject, replicate, row, status, turnCount }: ConversationSummary,
  { style, width }: { readonly style: Style; readonly width: number },
): NamedLine {
  const { word, paint } = statusWord(status, style);
  const place = row === null ? `replicate ${replicate}` : `replicate ${replicate}, row ${row}`;
  const room = Math.max(8, Math.floor((width - 50) / 2));
  const asked = cutToWidth(printableText(subject), room);
  return {
    name: { text: printableText(conversation).slice(0, NAME_LENGTH), paint: style.bold },
    indent: 2,
    cells: [
      { text: cutToWidth(printableText(scenario), room) },
      { text: width < NARROW ? asked : `${asked}, ${place}` },
      { text: word, paint },
      { text: countedText(turnCount, "turn") },
    ],
  };
}
