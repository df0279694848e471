import fc from "fast-check";
import { expect, test } from "vitest";
import { lineReader } from "./stdio-link.ts";

function read(chunks: readonly Buffer[], limit = 1_000): readonly string[] {
  const lines: string[] = [];
  const onOverflow = (): unknown => lines.push("OVERFLOW");
  const reader = lineReader({ limit, onLine: (line) => lines.push(line), onOverflow });
  for (const chunk of chunks) reader(chunk);
  return lines;
}

test("wherever a text is cut, its lines are the same", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "\n", "é", "😀") }),
      fc.array(fc.nat(9), { maxLength: 20 }),
      (text, cuts) => {
        const whole = Buffer.from(`${text}\n`);
        const chunks: Buffer[] = [];
        let start = 0;
        for (const length of cuts) {
          chunks.push(whole.subarray(start, start + length));
          start += length;
        }
        chunks.push(whole.subarray(start));
        expect(read(chunks)).toEqual(text.split("\n"));
      },
    ),
  );
});

test("what has no end yet is no line", () => {
  expect(read([Buffer.from("one\ntwo")])).toEqual(["one"]);
});

test("a line that is too long is reported once, and nothing is read after it", () => {
  const chunk = Buffer.from("123456");
  expect(read([Buffer.from("ok\n"), chunk, chunk, chunk, Buffer.from("\nmore\n")], 10)).toEqual([
    "ok",
    "OVERFLOW",
  ]);
  expect(read([Buffer.from("1234567890\n12345678901\nmore\n")], 10)).toEqual(["1234567890", "OVERFLOW"]);
});
