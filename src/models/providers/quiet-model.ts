import type { LanguageModel } from "ai";

/** A model of the AI SDK; not a bare name, which would be looked up at a hosted gateway. */
export type AiSdkLanguageModel = Exclude<LanguageModel, string>;

const wrapped = new WeakMap<AiSdkLanguageModel, Promise<AiSdkLanguageModel>>();

/**
 * The same model, whose warnings (a parameter that it does not know) are given once each. The AI SDK would print them with
 * every call, which is of no use over thousands of calls.
 */
export function quietModel(model: AiSdkLanguageModel): Promise<AiSdkLanguageModel> {
  let quiet = wrapped.get(model);
  if (quiet === undefined) {
    quiet = wrap(model);
    wrapped.set(model, quiet);
  }
  return quiet;
}

async function wrap(model: AiSdkLanguageModel): Promise<AiSdkLanguageModel> {
  const { wrapLanguageModel } = await import("ai");
  const given = new Set<string>();
  return wrapLanguageModel({
    model,
    middleware: {
      wrapGenerate: async ({ doGenerate }) => {
        const result = await doGenerate();
        for (const warning of result.warnings) {
          const text = warningText(warning);
          if (given.has(text)) continue;
          given.add(text);
          process.emitWarning(`${model.provider}/${model.modelId}: ${text}`, "ModelWarning");
        }
        return { ...result, warnings: [] };
      },
    },
  });
}

function warningText(warning: object): string {
  const { feature, details, message, type } = warning as Readonly<Record<string, unknown>>;
  const what = typeof feature === "string" ? `"${feature}" is ${String(type)}.` : "";
  const why = typeof details === "string" ? details : typeof message === "string" ? message : "";
  return `${what} ${why}`.trim() || String(type);
}
