import type { ReplyText } from "./reply-text.ts";

/** How a letter stands on a line that it begins. */
export interface OptionLine {
  /** `chosen` if the line is the answer, `listed` if it is one of a list of options, `open` if it may be either. */
  readonly role: "chosen" | "listed" | "open";
  /** What a mark at the end of the line says of the option: "B) Paris ✅". */
  readonly mark?: "right" | "wrong";
}

const LINE =
  /^((?:[-•+>#]{1,6} |\d{1,2}[.)] ){0,2}(?:(?:option|choice|answer) )?["'([{$]{0,3})([A-Za-z])["'$]{0,2}(?:([)\]}.:]{1,3})|(?= ?[-–—] ))(.*)$/gim;

const OTHER_OPTION = /(?:^|\s)[([]?([A-Z])(?:[)\]]|[.:](?=\s+\S))\s/g;
const RIGHT_MARK =
  /(?:[✅✓✔☑]\ufe0f?|\((?:correct|right)(?: answer)?\)|[-–—←] ?correct(?: answer)?)[.!)*\s]*$/i;
const WRONG_MARK = /(?:[❌✗✘✖]\ufe0f?|\((?:incorrect|wrong)\)|[-–—←] ?(?:incorrect|wrong))[.!)*\s]*$/i;

interface Line extends OptionLine {
  readonly letter: string;
  readonly start: number;
}

/**
 * Lines that begin with an option, by the position of its letter. Lines whose letters ascend restate the question's
 * options; a line that belongs to no such list is an answer.
 */
export function optionLines(reply: ReplyText): ReadonlyMap<number, OptionLine> {
  const runs: Line[][] = [];
  for (const match of reply.text.matchAll(LINE)) {
    const line = lineOf(match);
    if (reply.sentenceStart(line.start) < reply.lineStart(line.start)) continue;
    const run = runs.at(-1);
    const previous = run?.at(-1);
    if (run !== undefined && previous !== undefined && previous.letter < line.letter) run.push(line);
    else runs.push([line]);
  }
  const lines = new Map<number, OptionLine>();
  for (const run of runs) {
    for (const line of run) lines.set(line.start, run.length > 1 ? { ...line, role: "listed" } : line);
  }
  return lines;
}

function lineOf(match: RegExpExecArray): Line {
  const [, prefix = "", letter = "", delimiter = "", rest = ""] = match;
  const start = match.index + prefix.length;
  const upper = letter.toUpperCase();
  const others = [...` ${rest.slice(0, 2_000)} `.matchAll(OTHER_OPTION)].some(([, other]) => other !== upper);
  // "A:" may stand for "answer", and "I.", "V.", "X." for Roman numerals.
  const open = (upper === "A" && delimiter === ":") || (/[IVX]/.test(upper) && delimiter === ".");
  const tail = rest.slice(-30);
  const mark = RIGHT_MARK.test(tail) ? "right" : WRONG_MARK.test(tail) ? "wrong" : undefined;
  const role = others ? "listed" : open ? "open" : "chosen";
  return { letter: upper, start, role, ...(mark === undefined ? {} : { mark }) };
}
