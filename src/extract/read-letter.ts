import { distributed } from "./distribution.ts";
import { type LetterMention, letterMentions } from "./letter-mentions.ts";
import { letterStatement } from "./letter-statement.ts";
import { groupMentions } from "./mention.ts";
import { optionLines } from "./option-lines.ts";
import { type Settled, settle } from "./settle.ts";
import { type Context, isOpen, type Statement } from "./statement.ts";

/** Reads the option that a reply chooses, in upper case; a choice that is none of the options is absent. */
export function readLetter(context: Context, options: ReadonlySet<string>): Settled<string> {
  const lines = optionLines(context.reply);
  const single: Statement<string>[] = [];
  /** Options that are talked about without being chosen or denied. */
  const open = new Set<string>();
  for (const group of groupMentions<string, LetterMention>(context.reply, letterMentions(context))) {
    const statement = letterStatement(context, group, {
      line: lines.get(group.start),
      previous: single.at(-1),
      options,
    });
    single.push(statement);
    if (statement.standing !== "asserted" && !isOpen(statement)) continue;
    const weighed = group.mentions.length > 1 || lines.has(group.start);
    for (const { value, marked } of group.mentions) if (weighed || marked) open.add(value);
  }
  const settled = settle(distributed(context.reply, single), context.reversals);
  if (settled.status === "found") return options.has(settled.value) ? settled : { status: "absent" };
  const several = [...open].filter((letter) => options.has(letter)).length > 1;
  return settled.status === "absent" && several ? { status: "ambiguous" } : settled;
}
