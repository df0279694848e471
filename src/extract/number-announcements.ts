import { ANSWER, type AnswerCue, announces } from "./answer-cue.ts";
import { announcedNumber } from "./number-reach.ts";
import type { NumberRole } from "./number-role.ts";
import type { NumberToken } from "./number-tokens.ts";
import type { Context } from "./statement.ts";

/** How many numbers, and how far behind it, are looked at for each cue. */
const MOST_CANDIDATES = 12;
const FAR = 240;

/** What the plain cues of a reply announce. */
export interface Announcements {
  readonly announced: ReadonlyMap<NumberToken, AnswerCue>;
  /** Cues that announce several numbers, or one that cannot be read. */
  readonly unclear: readonly AnswerCue[];
  /** True if something is announced that is no number. */
  readonly mute: boolean;
}

/** Which numbers the plain cues announce. */
export function announcements(
  context: Context,
  tokens: readonly NumberToken[],
  roles: readonly NumberRole[],
): Announcements {
  const announced = new Map<NumberToken, AnswerCue>();
  const unclear: AnswerCue[] = [];
  let mute = false;
  let next = 0;
  for (const cue of context.cues) {
    if (cue.strength < ANSWER) continue;
    while (next < tokens.length && (tokens[next] as NumberToken).start < cue.end) next++;
    const token = announcedNumber(context, cue, candidates(context, cue, { tokens, roles, next }));
    if (token === undefined) mute = true;
    else if (token === "unclear") unclear.push(cue);
    else if ((announced.get(token)?.strength ?? 0) <= cue.strength) announced.set(token, cue);
  }
  return { announced, unclear, mute };
}

/** The numbers after a cue; those of things ("question 5") only right behind it. */
function candidates(
  { reply }: Context,
  cue: AnswerCue,
  { tokens, roles, next }: { tokens: readonly NumberToken[]; roles: readonly NumberRole[]; next: number },
): NumberToken[] {
  const following: NumberToken[] = [];
  for (let index = next; index < tokens.length && following.length < MOST_CANDIDATES; index++) {
    const token = tokens[index] as NumberToken;
    if (token.start > cue.end + FAR) break;
    if (roles[index] !== "label" || announces(reply, cue, token.start)) following.push(token);
  }
  return following;
}
