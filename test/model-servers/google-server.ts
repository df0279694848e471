import { contentText, type ModelServer, type Protocol, startModelServer } from "./model-server.ts";

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionResponse?: { readonly response?: unknown };
}

interface GenerateBody {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
}

function textsOf(parts: readonly Part[]): string {
  return parts
    .filter(({ thought }) => thought !== true)
    .map(({ text, functionResponse }) => text ?? (functionResponse ? JSON.stringify(functionResponse) : ""))
    .join("");
}

/** Google: generateContent. */
const GOOGLE: Protocol = {
  answer(path, _body, { text = "", toolCalls = [], usage, reasoning }) {
    if (!/^\/v1beta\/models\/[^/]+:generateContent$/.test(path)) return undefined;
    const { input = 10, output = 5, cacheRead = 0, reasoning: thought = 0 } = usage ?? {};
    const signed = reasoning === undefined ? {} : { thoughtSignature: reasoning.signature };
    return {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              ...(reasoning === undefined ? [] : [{ text: reasoning.text, thought: true }]),
              ...(toolCalls.length > 0
                ? toolCalls.map(({ name, input: args }) => ({ functionCall: { name, args }, ...signed }))
                : [{ text, ...signed }]),
            ],
          },
          finishReason: "STOP",
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        cachedContentTokenCount: cacheRead,
        thoughtsTokenCount: thought,
        totalTokenCount: input + output + thought,
      },
    };
  },
  error: (status, message) => ({ error: { code: status, message, status: "ERROR" } }),
  read(body) {
    const { systemInstruction, contents } = body as GenerateBody;
    return {
      ...(systemInstruction === undefined ? {} : { instructions: contentText(systemInstruction.parts) }),
      // It has a place of its own, before everything.
      first: true,
      texts: contents.map(({ parts }) => textsOf(parts)),
      lastUser: textsOf(contents.findLast(({ role }) => role === "user")?.parts ?? []),
    };
  },
};

/** A server that speaks as Google does, at `/v1beta`. */
export function googleServer(): Promise<ModelServer> {
  return startModelServer(GOOGLE);
}
