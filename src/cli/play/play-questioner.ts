import type { Cell } from "../../journal/run-event.ts";
import { systemClock } from "../../run/calls/clock.ts";
import { cellGroups } from "../../run/describe-run.ts";
import { type SubjectOption, validateOptions } from "../../run/run-options.ts";
import { setUpRun } from "../../run/set-up-run.ts";
import { PlayConversation, type ReadyQuestion, type Rewording } from "./play-conversation.ts";
import { playRunOptions } from "./play-options.ts";
import type { PlaySession } from "./play-session.ts";

const HINT = "(an empty line sends it; or type another in its place, and end it with an empty line)";
const HANDOVER_HINT = "(what you type takes the place of the question only: the transcript stays)";

/** Runs the conversation with a model as the subject; the person may replace the questions. */
export async function playQuestioner(session: PlaySession, subject: SubjectOption): Promise<void> {
  const { options, store, signal } = session;
  const runOptions = playRunOptions(options, { subject, store });
  validateOptions(runOptions);
  // The store keeps answers; a journal is not begun, since it could not be folded again.
  const setup = await setUpRun(runOptions, {
    clock: systemClock,
    emit: (event) => session.onEvent(event),
    durable: () => undefined,
    fail: (error) => {
      throw error;
    },
  });
  try {
    for (const warning of setup.warnings) session.onEvent(warning);
    // One of everything makes one cell.
    const [cell] = cellGroups(setup.factors).next().value as readonly [Cell];
    let isFirst = true;
    const conversation = new PlayConversation(setup.context, setup.conversation(cell), {
      signal,
      async reword(ready) {
        const reworded = await askPerson(session, ready, isFirst);
        isFirst = false;
        return reworded;
      },
    });
    await conversation.play();
  } finally {
    await setup.close();
  }
}

async function askPerson(
  { screen, input, options, signal }: PlaySession,
  { effect, question }: ReadyQuestion,
  isFirst: boolean,
): Promise<Rewording> {
  if (signal.aborted) return "aborted";
  const { node, turn, agent, instructions, added } = effect;
  const sent = added.at(-1);
  const text = sent?.role === "user" ? sent.content : question;
  const examples = options.scenario.nodes[node]?.question.fewShot;
  screen.question({
    node,
    turn,
    agent,
    ...(instructions === undefined ? {} : { instructions }),
    ...(examples === undefined ? {} : { examples }),
    text,
  });
  if (isFirst) screen.hint(HINT);
  if (text !== question) screen.hint(HANDOVER_HINT);
  const typed = await input.read({ signal, mayBeEmpty: true });
  if (typeof typed === "string") return typed;
  return { text: typed.text === "" ? null : typed.text };
}
