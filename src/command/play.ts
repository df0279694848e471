import { resolve } from "node:path";
import { writeCassette } from "../cassette/cassette-file.ts";
import { ModelError } from "../model/model-error.ts";
import { paintedLines } from "../report/value-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit-code.ts";
import { playEnd, playEnding, playExitCode, savedText } from "./play-ending.ts";
import type { PlayOptions } from "./play-options.ts";
import { playQuestioner } from "./play-questioner.ts";
import { demandTwo, unreadFields } from "./play-refusals.ts";
import { PlaySession } from "./play-session.ts";
import { playSubject } from "./play-subject.ts";
import { refuseToOverwrite } from "./refuse-to-overwrite.ts";
import { listenForStop } from "./stop-signals.ts";

export type { PlayOptions } from "./play-options.ts";

/** Holds one conversation with the person at the terminal, who answers in place of a model, or asks in place of the scenario. */
export async function play(options: PlayOptions, terminal: Terminal): Promise<ExitCode> {
  const { as, subject, save, signals } = options;
  demandTwo(options);
  if (save !== undefined) refuseToOverwrite(save, terminal);
  const unread = unreadFields(options);
  if (unread !== undefined) warn(unread, terminal);
  const controller = new AbortController();
  const stopListening = listenForStop({
    onFirst: () => controller.abort(new ModelError("cancelled", "The session was ended.")),
    onSecond: () => {},
    ...(signals === undefined ? {} : { source: signals }),
  });
  const session = new PlaySession(options, terminal, controller.signal);
  try {
    if (as === "subject" || subject === undefined) await playSubject(session);
    else await playQuestioner(session, subject);
    await session.input.atRest();
    return await tellEnd(session, terminal);
  } finally {
    stopListening();
    session.input.close();
    session.store.close();
  }
}

async function tellEnd(session: PlaySession, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const end = playEnd(session);
  output.write(playEnding(session, end, { style: output.style, width: output.width }));
  const { save } = session.options;
  if (save !== undefined) await saveCalls(session, save, terminal);
  return playExitCode(end, session.screen.end?.turns ?? 0);
}

async function saveCalls(session: PlaySession, save: string, terminal: Terminal): Promise<void> {
  const cassette = session.cassette();
  if (cassette.size === 0) {
    warn(`No call was answered that a cassette could keep, so ${save} was not written.`, terminal);
    return;
  }
  await writeCassette(resolve(terminal.folder, save), cassette);
  const { output } = terminal;
  output.write(savedText(session.options, cassette.size, output.width));
}

function warn(text: string, { messages }: Terminal): void {
  const { style, width } = messages;
  for (const line of paintedLines(text, width, style.yellow)) messages.write(`${line}\n`);
}
