import type { Worker } from "node:worker_threads";
import { errorMessage } from "../../core/error-message.ts";
import { hasTexts } from "../../core/liquid/fill-texts.ts";
import type { ScenarioDefinition, ScenarioNode } from "../../core/scenario/definition.ts";
import type { ExtractTarget } from "../../core/templates/extract-rule.ts";
import { noteReadings } from "../grading/reading/known-readings.ts";
import { StoreError } from "../journal/store/store-error.ts";
import type {
  ConversationAhead,
  NodeRules,
  ReadAheadData,
  ReadAheadReply,
  ReadAheadRequest,
} from "./read-ahead-worker.ts";
import type { RecordedConversation } from "./recorded-conversation.ts";

// Beside the sources there is the compiled package, where the program of the thread is a file of its own as well.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./read-ahead-worker.ts" : "./read-ahead-worker.js";

/** A conversation of an earlier run. What rules read in its replies is known to `extractFields` until `forget` is called. */
export interface ReadConversation {
  readonly recorded: RecordedConversation;
  readonly forget: () => void;
}

interface Asked extends PromiseWithResolvers<ReadConversation> {
  readonly definition: ScenarioDefinition;
}

/**
 * Reads the conversations of a stored run in a thread of its own, and applies the rules of their scenarios there, while this thread
 * grades and writes. Rules are pure and their templates are data, so that it makes no difference where they are applied.
 */
export class ReadAhead {
  readonly #data: ReadAheadData;
  readonly #scenarios = new Map<ScenarioDefinition, number>();
  readonly #asked: Asked[] = [];
  #next: Request = { scenarios: [], conversations: [] };
  #worker: Worker | undefined;
  /** Why it answers nothing any more. */
  #failure: Error | undefined;

  constructor(data: ReadAheadData) {
    this.#data = data;
  }

  /** Rejects with `StoreError` if the conversation cannot be read. */
  read(conversation: string, definition: ScenarioDefinition): Promise<ReadConversation> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const authored = definition.unbound ?? definition;
    const asked = { ...Promise.withResolvers<ReadConversation>(), definition: authored };
    this.#asked.push(asked);
    // What is asked for in one round of the event loop is sent together.
    if (this.#next.conversations.length === 0) setImmediate(() => this.#send());
    let scenario = this.#scenarios.get(authored);
    if (scenario === undefined) {
      scenario = this.#scenarios.size;
      this.#scenarios.set(authored, scenario);
      this.#next.scenarios.push(rulesOf(authored));
    }
    this.#next.conversations.push([conversation, scenario]);
    return asked.promise;
  }

  /** Ends the thread, whatever it is doing. */
  stop(): void {
    this.#end("it was stopped");
    this.#worker?.terminate().catch(() => {});
  }

  #send(): void {
    if (this.#failure !== undefined) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(this.#next satisfies ReadAheadRequest);
    this.#next = { scenarios: [], conversations: [] };
  }

  #start(): Worker {
    // Not imported, so that loading the library does not load threads.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const worker = new Worker(new URL(PROGRAM, import.meta.url), {
      name: "elenchus read ahead",
      workerData: this.#data,
      // Nothing of the program around it is needed there.
      env: {},
      execArgv: [],
    });
    worker.on("message", (reply: string) => this.#receive(JSON.parse(reply) as ReadAheadReply));
    worker.once("error", (error) => this.#end(errorMessage(error)));
    worker.once("exit", () => this.#end("its thread ended"));
    return worker;
  }

  #receive(reply: ReadAheadReply): void {
    if ("conversations" in reply) {
      for (const conversation of reply.conversations) {
        const asked = this.#asked.shift();
        asked?.resolve(noted(asked.definition, conversation));
      }
      return;
    }
    const { code, message, path = "" } = reply.failure;
    this.#end(message, code === undefined ? undefined : new StoreError(code, message, { path }));
  }

  #end(reason: string, error = new Error(`The stored conversations cannot be read: ${reason}.`)): void {
    this.#failure ??= error;
    for (const asked of this.#asked.splice(0)) asked.reject(this.#failure);
  }
}

interface Request {
  readonly scenarios: ReadAheadRequest["scenarios"][number][];
  readonly conversations: ReadAheadRequest["conversations"][number][];
}

/** The rules of each node that are the same in every conversation. */
function rulesOf({ nodes }: ScenarioDefinition): Readonly<Record<string, NodeRules>> {
  return Object.fromEntries(
    Object.entries(nodes).flatMap(([id, { question }]) => {
      const fields = rulesAt(question);
      return fields.length === 0 ? [] : [[id, { question: question.question, fields }]];
    }),
  );
}

function rulesAt({ template }: ScenarioNode["question"]): NodeRules["fields"] {
  // What texts come to is known in the conversation.
  if (template === undefined || hasTexts(template)) return [];
  return Object.entries(template.fields).flatMap(([name, field]) => {
    const { extract: rule } = field;
    return rule === undefined ? [] : [{ name, rule, target: targetOf(field) }];
  });
}

/** What a rule looks at of a field, which may also have functions. */
function targetOf({
  type,
  values,
  items,
  description,
}: Partial<Record<"values" | "items", unknown>> &
  Pick<ExtractTarget, "type" | "description">): ExtractTarget {
  // The same parts of the same field.
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { values }),
    ...(items === undefined ? {} : { items }),
  } as ExtractTarget;
}

function noted({ nodes }: ScenarioDefinition, { recorded, readings }: ConversationAhead): ReadConversation {
  const forget = recorded.turns.flatMap(({ node, reply = "", finish = "" }, index) => {
    const { question, template } = nodes[node]?.question ?? {};
    const made = readings[index] ?? null;
    if (template === undefined || question === undefined || made === null) return [];
    return [noteReadings(template, reply, { finish, question, readings: made })];
  });
  return {
    recorded,
    forget: () => {
      for (const one of forget) one();
    },
  };
}
