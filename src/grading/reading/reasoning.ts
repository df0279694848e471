/** A part of a text, as offsets. */
export type Range = readonly [start: number, end: number];

const TAGS = /<(\/?)(?:think|thinking|thought|reasoning|scratchpad|analysis)>/gi;

/**
 * The parts of a reply that answer. What stands in `<think>…</think>` is working, so it is left out as long as the
 * reply goes on after it. Some models open the block in their prompt, so that only its end is in the reply; a block
 * that never ends is a reply that was cut off before it answered.
 */
export function answerRanges(reply: string): readonly Range[] {
  const answer: Range[] = [];
  const inside: Range[] = [];
  let depth = 0;
  let from = 0;
  for (const tag of reply.matchAll(TAGS)) {
    const closes = tag[1] === "/";
    // An end without a beginning makes everything before it working.
    if (closes && depth === 0) inside.push(...answer.splice(0));
    (depth > 0 || closes ? inside : answer).push([from, tag.index]);
    depth = Math.max(0, depth + (closes ? -1 : 1));
    from = tag.index + tag[0].length;
  }
  if (depth > 0) return answer.filter((range) => isWritten(reply, range));
  answer.push([from, reply.length]);
  const written = answer.filter((range) => isWritten(reply, range));
  return written.length > 0 ? written : inside.filter((range) => isWritten(reply, range));
}

/** The answering parts as one text, with the way back to the reply. */
export interface AnswerText {
  readonly text: string;
  span(start: number, end: number): Range;
}

/** The reply without its working; what begins after working begins with its first word. */
export function answerText(reply: string): AnswerText {
  const ranges = answerRanges(reply).map(([start, end]): Range => {
    const blank = start === 0 ? 0 : (/^\s*/.exec(reply.slice(start, end))?.[0].length ?? 0);
    return [start + blank, end];
  });
  const offsets: number[] = [];
  let text = "";
  for (const [start, end] of ranges) {
    if (text !== "") text += "\n";
    offsets.push(start - text.length);
    text += reply.slice(start, end);
  }
  const source = (position: number, before: number): number => {
    const index = ranges.findLastIndex(([start], at) => start - (offsets[at] ?? 0) <= before);
    return position + (offsets[index] ?? 0);
  };
  return { text, span: (start, end) => [source(start, start), source(end, Math.max(start, end - 1))] };
}

function isWritten(reply: string, [start, end]: Range): boolean {
  for (let index = start; index < end; index++) if (reply.charCodeAt(index) > 0x20) return true;
  return false;
}
