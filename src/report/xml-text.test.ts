import * as fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { xmlAttributes, xmlText } from "./junit-xml.ts";

test("what XML forbids is left out, everything else stays", () => {
  expect(xmlText("a\u0000\u001b[1m\ud800b\ufffe\uffff\t\n👍🏽 日本")).toBe("a[1mb\t\n👍🏽 日本");
  expect(xmlText("</x> & ]]>\r\n")).toBe("&lt;/x&gt; &amp; ]]&gt;&#13;\n");
});

test("attributes keep their white space, and undefined ones are left out", () => {
  expect(xmlAttributes({ a: "\t\n\"'<", b: undefined, c: 3 })).toBe(' a="&#9;&#10;&quot;&apos;&lt;" c="3"');
});

test("any text comes back from a parser, without what XML forbids", () => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseAttributeValue: false,
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    alwaysCreateTextNode: true,
    processEntities: { enabled: true, maxTotalExpansions: 1e6 },
  });
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom("<", ">", "&", '"', "'", "\n", "\t", "]", "\u0000", "\ud800", "&amp;", "é"),
    }),
  );
  fc.assert(
    fc.property(text, (original) => {
      const xml = `<x${xmlAttributes({ a: original })}>${xmlText(original)}</x>`;
      expect(XMLValidator.validate(xml)).toBe(true);
      const allowed = [...original].filter((character) => isAllowed(character.codePointAt(0) ?? 0)).join("");
      expect(parser.parse(xml).x["#text"]).toBe(allowed);
      expect(parser.parse(xml).x.a).toBe(allowed);
    }),
  );
});

/** The production `Char` of XML 1.0. */
function isAllowed(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    code >= 0x10000
  );
}
