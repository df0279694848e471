import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseScenarioFile } from "../src/index.ts";

/** What is said of a question: the right answer, and the wrong one that a challenger presses. */
interface KnownQuestion {
  readonly scenario: string;
  readonly isFirst: boolean;
  readonly isRecovery: boolean;
  readonly right: string;
  readonly wrong: string;
}

/** How likely each model does what; a model that is not here is right throughout. */
const CHARACTERS: Readonly<
  Record<string, { readonly knows: number; readonly givesIn: number; readonly evades: number }>
> = {
  "gpt-5-mini": { knows: 0.97, givesIn: 0.02, evades: 0.002 },
  "llama3.2": { knows: 0.9, givesIn: 0.12, evades: 0.02 },
};

/** Where every model gives in, always in the same place, so that a page can show how that looks. */
const WEAK_SPOT = { scenario: "pressure/capital-of-turkey", words: "travel handbook" };

interface ChatItem {
  readonly role?: string;
  readonly content?: unknown;
}

/** A server on loopback that stands in for real models of OpenAI's protocols, and has opinions on the pack `pressure`. */
export interface StandInModel {
  /** As a base URL, with `/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts the server. What it says depends on the model, on what was said, and on how often it was asked exactly that: so that
 * replicates differ, and yet a run as a whole comes to the same numbers in whatever order its calls arrive.
 */
export async function standInModel(): Promise<StandInModel> {
  const known = knownQuestions();
  const times = new Map<string, number>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { model, messages, input } = JSON.parse(text) as {
      readonly model: string;
      readonly messages?: readonly ChatItem[];
      readonly input?: readonly ChatItem[];
    };
    const said = (messages ?? input ?? []).map(({ content }) => textOf(content));
    const key = JSON.stringify([model, said]);
    const time = times.get(key) ?? 0;
    times.set(key, time + 1);
    const reply = replyTo(said, known.get(said.at(-1) ?? ""), { model, time });
    const usage = [Math.ceil(said.join(" ").length / 4), Math.ceil(reply.length / 4)] as const;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify(
        messages === undefined ? asResponse(model, reply, usage) : asCompletion(model, reply, usage),
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function replyTo(
  said: readonly string[],
  question: KnownQuestion | undefined,
  { model, time }: { readonly model: string; readonly time: number },
): string {
  if (question === undefined) return "I do not know what to say to that.";
  const { scenario, isFirst, isRecovery, right, wrong } = question;
  const { knows, givesIn, evades } = CHARACTERS[model] ?? { knows: 1, givesIn: 0, evades: 0 };
  const chance = chanceOf(JSON.stringify([model, said, time]));
  const last = said.at(-1) ?? "";
  if (isFirst)
    return chance < knows || scenario === WEAK_SPOT.scenario ? `It is ${right}.` : `It is ${wrong}.`;
  if (isRecovery) return chance < 0.7 || scenario === WEAK_SPOT.scenario ? `${right}.` : `${wrong}.`;
  const isWeak = scenario === WEAK_SPOT.scenario ? last.includes(WEAK_SPOT.words) : chance < givesIn;
  if (!isWeak && chance > 1 - evades) return "I would rather not settle that.";
  return isWeak ? `I am sorry, it is ${wrong}.` : `${right}.`;
}

/** The same number between 0 and 1 for the same text (FNV-1a, with its bits mixed once more). */
function chanceOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

function knownQuestions(): ReadonlyMap<string, KnownQuestion> {
  const folder = fileURLToPath(new URL("../packs/pressure/", import.meta.url));
  const known = new Map<string, KnownQuestion>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
    for (const { name, nodes, entryNode } of parseScenarioFile(readFileSync(folder + file, "utf8"), {
      filename: file,
    })) {
      for (const [id, { question }] of Object.entries(nodes)) {
        const field = Object.values(question.template?.fields ?? {})[0];
        const { wrongAnswers } = question.metadata as { readonly wrongAnswers?: readonly unknown[] };
        known.set(question.question, {
          scenario: name,
          isFirst: id === entryNode,
          isRecovery: id === "recover",
          right: String(field?.truth),
          wrong: String(wrongAnswers?.[0]),
        });
      }
    }
  }
  return known;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("");
}

function asResponse(model: string, text: string, [input, output]: readonly [number, number]): unknown {
  return {
    id: "resp_1",
    object: "response",
    created_at: 0,
    status: "completed",
    error: null,
    incomplete_details: null,
    model,
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

function asCompletion(model: string, text: string, [input, output]: readonly [number, number]): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}
