import { startModelServer } from "./model-servers/model-server.ts";
import { OPENAI } from "./model-servers/openai-server.ts";
import { packItems } from "./packs/pack-items.ts";

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
  const known = await knownQuestions();
  const times = new Map<string, number>();
  const server = await startModelServer({
    ...OPENAI,
    answer(path, body, served) {
      const { model } = body as { readonly model: string };
      const said = OPENAI.read(body).texts;
      const key = JSON.stringify([model, said]);
      const time = times.get(key) ?? 0;
      times.set(key, time + 1);
      const text = judgement(body) ?? replyTo(said, known.get(said.at(-1) ?? ""), { model, time });
      const usage = { input: Math.ceil(said.join(" ").length / 4), output: Math.ceil(text.length / 4) };
      return OPENAI.answer(path, body, { ...served, text, usage });
    },
  });
  return { url: `${server.url}/v1`, close: () => server.close() };
}

/** As a judge it finds no answer in what rules leave. */
function judgement(body: unknown): string | undefined {
  const fields = /"fields":\{"type":"object","properties":\{"(\w+)"/.exec(JSON.stringify(body));
  return fields === null ? undefined : JSON.stringify({ fields: { [fields[1] as string]: null } });
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

async function knownQuestions(): Promise<ReadonlyMap<string, KnownQuestion>> {
  const known = new Map<string, KnownQuestion>();
  for (const { name, row, definition } of await packItems("pressure"))
    for (const [id, { question }] of Object.entries(definition.nodes)) {
      const field = Object.values(question.template?.fields ?? {})[0];
      known.set(question.question, {
        scenario: name,
        isFirst: id === definition.entryNode,
        isRecovery: id === "recover",
        right: String(field?.truth),
        wrong: String([row.wrong].flat(2)[0]),
      });
    }
  return known;
}
