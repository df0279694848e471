import { canonicalJson } from "../../core/values/canonical-json.ts";
import type { KeptCall } from "./kept-call.ts";
import { type MessageNode, messagesOf } from "./message-tree.ts";

/** What a cassette's file begins with. */
export const CASSETTE_FORMAT = "elenchus-cassette";

/** Of the format; a file with another one is not read. */
export const CASSETTE_VERSION = 1;

/**
 * The lines of a cassette's file: a header; before its first use each `settings` (model, system prompt, tools, schema), which
 * calls refer to by its number from 0; and the calls, each with the hash of messages that an earlier line has, if any, and the
 * messages that follow them. The order is that of the conversations, whoever was faster.
 */
export function* cassetteLines(
  root: MessageNode,
  callsAt: (node: MessageNode) => Iterable<KeptCall>,
): Generator<string> {
  yield JSON.stringify({ format: CASSETTE_FORMAT, version: CASSETTE_VERSION });
  const settings = new Map<string, number>();
  const written = new Set<MessageNode>([root]);
  // Not recursive: a conversation may be longer than the stack is deep.
  const open: MessageNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const call of sorted(callsAt(node), callOrder)) {
      const shared = settingsOf(call);
      const number = settings.get(shared) ?? settings.size;
      if (number === settings.size) {
        settings.set(shared, number);
        yield `{"settings":${shared}}`;
      }
      yield callLine(call, number, written);
    }
    open.push(...sorted(node.next, ({ hash }) => hash).reverse());
  }
}

function settingsOf({ request: { name, model, instructions, tools, schema } }: KeptCall): string {
  return canonicalJson({ name, model, instructions, tools, schema });
}

function callLine(
  { request, purpose, reply, node }: KeptCall,
  settings: number,
  written: Set<MessageNode>,
): string {
  let previous = node;
  while (!written.has(previous) && previous.previous !== null) {
    written.add(previous);
    previous = previous.previous;
  }
  const { replicate, seed } = request;
  const messages = messagesOf(node, previous);
  return JSON.stringify({ settings, purpose, replicate, seed, previous: previous.hash, messages, reply });
}

function callOrder({ request: { name, replicate }, identity }: KeptCall): string {
  return `${name} ${String(replicate).padStart(10, "0")} ${identity}`;
}

function sorted<Item>(items: Iterable<Item>, key: (item: Item) => string): Item[] {
  const keyed = Array.from(items, (item) => [key(item), item] as const);
  // By code units: no language's order, so the same everywhere.
  return keyed.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)).map(([, item]) => item);
}
