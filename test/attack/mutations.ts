import { Rng } from "../../src/core/rng.ts";

/** How many mutated files of each kind are tried: `npm run attack` tries more. */
export const TRIES: number = process.env.ELENCHUS_ATTACK === undefined ? 150 : 6000;

/** What breaks parsers, paths, numbers, prototypes and terminals. */
const HOSTILE: readonly string[] = [
  "\0",
  "\uFEFF",
  "\ud800",
  "\u202e",
  "\u001b[2J",
  "::error::x",
  "__proto__",
  "constructor",
  "toString",
  "../../../etc/passwd",
  "$(touch x)",
  "{{ row.x }}",
  "{% for a in (1..99999999) %}{% endfor %}",
  "null",
  "-0",
  "1e999",
  "-1",
  "9007199254740993",
  "NaN",
  "*a",
  "&a",
  "!!js/function",
  "<<: *a",
  "---\n",
  "[".repeat(700),
  "{".repeat(700),
  '"',
  "'",
  "\\",
  "\\u0000",
  "(a+)+$",
  "x".repeat(5000),
  "\t",
  "\r\n",
  ": ",
  "- ",
  "? ",
  "%YAML 9.9\n",
];

/** A text with some of it changed: characters, words, lines and whole parts, by a random seed. */
export function mutated(text: string, seed: string): string {
  const rng = new Rng(seed);
  const at = (length: number): number => Math.floor(rng.next() * (length + 1));
  let changed = text;
  for (let change = 0, count = 1 + at(4); change < count; change++) {
    const start = at(changed.length);
    const end = Math.min(changed.length, start + at(rng.next() < 0.5 ? 3 : 200));
    const [before, part, after] = [changed.slice(0, start), changed.slice(start, end), changed.slice(end)];
    const hostile = HOSTILE[at(HOSTILE.length - 1)] ?? "";
    const elsewhere = at(changed.length);
    const copied = changed.slice(elsewhere, elsewhere + at(300));
    const lines = changed.split("\n");
    const moved = [...lines.slice(0, at(lines.length)), ...lines.slice(at(lines.length))];
    const choices = [
      before + after,
      before + hostile + after,
      before + part + part + after,
      before + copied + after,
      before + hostile + part + after,
      before + String.fromCharCode(at(0xffff)) + after,
      changed.slice(0, start),
      moved.join("\n"),
      changed.replace(/\d+/, hostile),
      changed.replace(/"[^"\n]{0,40}"/, JSON.stringify(hostile)),
    ];
    changed = (choices[at(choices.length - 1)] ?? changed).slice(0, 2_000_000);
  }
  return changed;
}
