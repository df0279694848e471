import {
  DEEPEST,
  LineIndex,
  type ParsedText,
  type Place,
  placesIn,
  refuseLarge,
  TextSyntaxError,
  TOO_DEEP,
} from "./text-places.ts";

/** Reads JSON strictly; a key that occurs twice in an object is an error, because one value would be lost. */
export function parseJsonText(text: string): ParsedText {
  refuseLarge(text, 320_000);
  const lines = new LineIndex(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw syntaxError(text, error as SyntaxError, lines);
  }
  const root = readPlaces(text, (message, offset) => {
    throw new TextSyntaxError(message, lines.positionAt(offset));
  });
  return { value, ...placesIn(root, { text, value, lines }) };
}

function syntaxError(text: string, error: SyntaxError, lines: LineIndex): TextSyntaxError {
  const offset = /at position (\d+)/.exec(error.message)?.[1];
  const message = error.message.replace(/ in JSON.*| at position.*/s, "");
  const position = lines.positionAt(offset === undefined ? text.length : Number(offset));
  return new TextSyntaxError(message.charAt(0).toLowerCase() + message.slice(1), position);
}

interface OpenPlace extends Place {
  readonly parts: Map<string | number, Place>;
  readonly isList: boolean;
}

const TOKEN = /\s*(?:(")|([{}[\],:])|([^\s{}[\],:"]+))/y;

/** Where a text that begins at a quote ends. Not a pattern: one with a choice for each character exhausts the stack in a long text. */
function endOfText(text: string, start: number): number {
  let index = start + 1;
  for (; index < text.length && text[index] !== '"'; index++) if (text[index] === "\\") index++;
  return index + 1;
}

/** Finds the places of all values in a text that is valid JSON, without recursion. */
function readPlaces(text: string, onProblem: (message: string, offset: number) => void): Place {
  const top: OpenPlace = { keyOffset: null, valueOffset: 0, parts: new Map(), isList: true };
  const open: OpenPlace[] = [top];
  let key: { readonly name: string; readonly offset: number } | null = null;

  const add = (valueOffset: number): Place => {
    const container = open.at(-1) as OpenPlace;
    const place = { keyOffset: key?.offset ?? null, valueOffset };
    container.parts.set(key?.name ?? container.parts.size, place);
    key = null;
    return place;
  };
  const openValue = (valueOffset: number, isList: boolean): void => {
    const place = Object.assign(add(valueOffset), { parts: new Map<string | number, Place>(), isList });
    if (open.push(place) > DEEPEST + 1) onProblem(TOO_DEEP, valueOffset);
  };

  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, quote, mark, word] = match;
    const offset = TOKEN.lastIndex - (quote ?? mark ?? word ?? "").length;
    if (quote !== undefined) TOKEN.lastIndex = endOfText(text, offset);
    const container = open.at(-1) as OpenPlace;
    if (mark === "{" || mark === "[") openValue(offset, mark === "[");
    else if (mark === "}" || mark === "]") open.pop();
    else if (quote !== undefined && !container.isList && key === null) {
      const name = JSON.parse(text.slice(offset, TOKEN.lastIndex)) as string;
      if (container.parts.has(name))
        onProblem(`the key ${JSON.stringify(name)} occurs twice in the same object`, offset);
      key = { name, offset };
    } else if (mark === undefined) add(offset);
  }
  return top.parts.get(0) ?? top;
}
