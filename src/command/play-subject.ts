import { agentName } from "../engine/agent-view.ts";
import { runScenarios } from "../engine/run-scenarios.ts";
import type { CallContext, ModelRequest } from "../model/model.ts";
import { personModel } from "../model/person-model.ts";
import type { TypedAnswer } from "../model/typed-answer.ts";
import { playRunOptions } from "./play-options.ts";
import { PERSON, type PlaySession } from "./play-session.ts";

const HINT = "(end with an empty line)";

/** Holds the conversation as any run does, with the person as the subject. */
export async function playSubject(session: PlaySession): Promise<void> {
  const { options, store, signal } = session;
  let isFirst = true;
  const person = personModel({
    name: PERSON,
    async ask(request, context) {
      await session.screen.told(context.turn - 1);
      const answer = await askPerson(session, { request, context, isFirst });
      isFirst = false;
      return answer;
    },
  });
  const run = runScenarios({ ...playRunOptions(options, { subject: person, store }), signal });
  for await (const event of run) session.onEvent(event);
}

async function askPerson(
  { options, screen, input }: PlaySession,
  {
    request,
    context,
    isFirst,
  }: { readonly request: ModelRequest; readonly context: CallContext; readonly isFirst: boolean },
): Promise<TypedAnswer> {
  const { node: id, turn, signal } = context;
  if (signal.aborted) return "aborted";
  const { instructions, messages } = request;
  const node = options.scenario.nodes[id];
  const examples = node?.question.fewShot;
  screen.question({
    node: id,
    turn,
    agent: agentName(node?.agentIdentity),
    ...(instructions === undefined ? {} : { instructions }),
    ...(examples === undefined ? {} : { examples }),
    text: messages.findLast((message) => message.role === "user")?.content ?? "",
  });
  if (isFirst) screen.hint(HINT);
  return input.read({ signal });
}
