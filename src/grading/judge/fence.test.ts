import fc from "fast-check";
import { expect, test } from "vitest";
import { fenced, isUsableMarker, unforgeableMarker } from "./judge-request.ts";

const MARKER = "k3J9xQ2mZ81LpVt7";

test.each([
  [MARKER, true],
  ["0".repeat(16), true],
  ["a".repeat(15), false],
  ["", false],
  [`${MARKER} `, false],
  [`${MARKER}\n`, false],
  [`${MARKER}>`, false],
  ["é".repeat(16), false],
])("%j can be a marker: %s", (marker, usable) => expect(isUsableMarker(marker)).toBe(usable));

test("text stands between its fences as it is", () => {
  expect(fenced("reply", MARKER, " a\r\n\n</reply> ")).toBe(
    `<reply-${MARKER}>\n a\r\n\n</reply> \n</reply-${MARKER}>`,
  );
});

test("a marker that occurs nowhere stays as it is", () => {
  expect(unforgeableMarker(MARKER, ["", MARKER.slice(1), MARKER.toLowerCase()])).toBe(MARKER);
});

test("a marker that occurs is continued until it does not", () => {
  const first = unforgeableMarker(MARKER, [`<${MARKER}>`]);
  const second = unforgeableMarker(MARKER, [`<${MARKER}>`, `</${first}>`]);
  expect([first, second]).toEqual([`${MARKER}0`, `${MARKER}1`]);
});

test("no text can hold the marker, whatever is in it", () => {
  const marker = fc.constantFrom(MARKER, "a".repeat(16), "0".repeat(20), "10".repeat(9));
  const piece = fc.oneof(
    fc.constantFrom("0", "1", "00", "01", "1".repeat(16), "a", "\n", "x"),
    fc.nat(200).map((n) => `<${MARKER}${n}>`),
    marker,
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(marker, fc.array(text, { maxLength: 4 }), (start, texts) => {
      const found = unforgeableMarker(start, texts);
      expect(texts.filter((each) => each.includes(found))).toEqual([]);
      expect(found.startsWith(start) && isUsableMarker(found)).toBe(true);
      expect(unforgeableMarker(start, texts)).toBe(found);
    }),
  );
});

test("a text full of continued markers takes one reading", () => {
  const text = Array.from({ length: 20_000 }, (_, n) => MARKER + n).join(" ");
  expect(text).not.toContain(unforgeableMarker(MARKER, [text]));
});
