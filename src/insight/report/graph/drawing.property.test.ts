import fc from "fast-check";
import { expect, test } from "vitest";
import { END, type ScenarioDefinition, type ScenarioEdge } from "../../../core/scenario/definition.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { cutToWidth, textWidth } from "../../../system/terminal/text-layout.ts";
import { drawText } from "./draw-text.ts";
import type { Traffic } from "./drawn-graph.ts";
import { toMermaid } from "./to-mermaid.ts";

const HOSTILE = [
  ..."\"`'#;&<>%{}[]()|\\$:@^~*+-_=.°¶/!?,",
  ..."\u0000\u0007\b\t\n\r\u001b\u007f\u009b\u2028\u202e\u2066\u200b\u200d\ufe0f\u0301\ufeff",
  ..."aé日한😀👍",
  ...'end, END, -->, -.->, ---, %%, %%{init: {}}%%, #quot;, &lt;, <br/>, <b>, "], "`, [[, (((, |'.split(", "),
  ..."direction TB, style a:#f00;, classDef, click n0 call f(), subgraph, accTitle: x, :::c, @{ shape: x }".split(
    ", ",
  ),
  ...["1. ", "- ", "> ", "# ", "\u001b[2J", "👩‍⚕️", "🇦🇺"],
  ..."www.a.b, fa:fa-x, $$x$$, ﬂ°°60¶ß, \\n, __proto__".split(", "),
];
const hostile = fc.array(fc.constantFrom(...HOSTILE), { maxLength: 8 }).map((parts) => parts.join(""));
const text = fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 60 }), fc.lorem({ maxCount: 12 }));
// Ids that begin like a branch would be counted as one.
const id = fc
  .oneof(text, fc.stringMatching(/^[a-z_]{1,12}$/))
  .filter((word) => !/[├└]|^$|^__end__$/.test(word));

const definitions: fc.Arbitrary<ScenarioDefinition> = fc
  .record({
    name: text,
    questions: fc.uniqueArray(fc.tuple(id, text), { selector: ([word]) => word, minLength: 1, maxLength: 8 }),
    links: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.option(text)), { maxLength: 20 }),
  })
  .map(({ name, questions, links }) => {
    const nodeIds = questions.map(([word]) => word);
    const at = (index: number): string => nodeIds[index % nodeIds.length] ?? "";
    const edges = links.map(([from, to, path]): ScenarioEdge => {
      const ends = { source: at(from), target: to % 5 === 0 ? END : at(to) };
      return path === null ? ends : { ...ends, when: { [`parsed.${path}`]: path } };
    });
    const nodes = Object.fromEntries(
      questions.map(([word, question]) => [word, { question: { question, rawAnswer: "" } }]),
    );
    const rest = { description: "", outcomes: [], warnings: [], metadata: {}, hash: "" };
    return { name, nodes, nodeIds, edges, entryNode: at(0), ...rest };
  });

const count = fc.oneof(fc.nat(12), fc.nat(10_000_000));

/** A definition and any counts, for all, some or none of its parts, that fit together or not. */
const travelled: fc.Arbitrary<readonly [ScenarioDefinition, Traffic]> = definitions.chain((definition) =>
  fc
    .record({
      visits: fc.array(fc.tuple(fc.constantFrom(...definition.nodeIds), count)),
      hops: fc.array(fc.tuple(fc.nat(definition.edges.length), count)),
    })
    .map(({ visits, hops }) => [definition, { visits: new Map(visits), hops: new Map(hops) }] as const),
);

const widths = fc.integer({ min: 40, max: 200 });

test("a drawing of traffic keeps to its width, cannot control the terminal, and has the same nodes and edges", () => {
  fc.assert(
    fc.property(travelled, widths, ([definition, traffic], width) => {
      const plain = drawText(definition, { width }).split("\n");
      const lines = drawText(definition, { width, traffic }).split("\n");
      for (const line of lines) {
        expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(line).toMatch(/^[^\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]*$/u);
        expect(line).not.toMatch(/\s$/);
      }
      const stops = lines.filter((line) => /^ {2}.. \(stopped here\) +\d+ /.test(line)).length;
      expect(lines.length - stops).toBe(plain.length);
    }),
  );
});

test("where counts fit together, what comes to a node leaves it or stops there", () => {
  fc.assert(
    fc.property(travelled, ([definition, { hops }]) => {
      const visits = new Map<string, number>();
      definition.edges.forEach(({ source }, index) => {
        visits.set(source, (visits.get(source) ?? 0) + (hops.get(index) ?? 0));
      });
      const drawing = drawText(definition, { traffic: { visits, hops } });
      expect(drawing).not.toMatch(/^ {2}└─ \(stopped here\)/m);
      const [source] = definition.edges.map((edge) => edge.source);
      if (source === undefined) return;
      visits.set(source, (visits.get(source) ?? 0) + 1);
      expect(drawText(definition, { traffic: { visits, hops } })).toMatch(/^ {2}└─ \(stopped here\) +1 /m);
    }),
  );
});

test("a text drawing shows every node, every edge and every implicit end", () => {
  fc.assert(
    fc.property(definitions, widths, (definition, width) => {
      const drawing = drawText(definition, { width });
      const sources = new Set(definition.edges.map((edge) => edge.source));
      const terminals = definition.nodeIds.filter((node) => !sources.has(node)).length;
      expect(drawing.match(/^ {2}[├└]─/gm)?.length).toBe(definition.edges.length + terminals);
      for (const node of definition.nodeIds.map(printableText)) {
        if (textWidth(node) <= width * 0.4) expect(drawing).toContain(node);
      }
    }),
  );
});

const LABEL = String.raw`(?:[^\p{Cc}\p{Cs}"#$%&()*+:;<>@\[\\\]^${"`"}{|}~°¶]|#\d+;)+`;
const TEXT = `"${LABEL}(?:<br/>${LABEL}){0,2}"`;
const NODE = String.raw`n\d+(?:\[${TEXT}\]|\(\[${TEXT}\]\))`;
const LINK = String.raw`(?:-->(?:\|${TEXT}\|)?|-\.->\|"(?:otherwise|never taken)(?:<br/>${LABEL})?"\|)`;
const LINE = new RegExp(
  String.raw`^  (?:${NODE}|finish\(\(\("END"\)\)\)|n\d+ ${LINK} (?:n\d+|finish))$`,
  "u",
);

test("a Mermaid drawing has no line but nodes and edges, and no text that Mermaid would read as a command", () => {
  fc.assert(
    fc.property(travelled, fc.boolean(), ([definition, traffic], isCounted) => {
      const drawing = toMermaid(definition, isCounted ? { traffic } : {});
      const [first, ...lines] = drawing.trimEnd().split("\n");
      expect(first).toBe("flowchart TD");
      for (const line of lines) {
        expect(line).toMatch(LINE);
        expect(line).not.toMatch(/direction\s+[TBLR]|["/>](?:\d+[.)]|[-+*>]) /);
      }
      const ends = definition.edges.some((edge) => edge.target === END) ? 1 : 0;
      expect(lines).toHaveLength(definition.nodeIds.length + definition.edges.length + ends);
    }),
  );
});

test("a Mermaid label says what the scenario says", () => {
  fc.assert(
    fc.property(id, text, (node, question) => {
      const nodes = { [node]: { question: { question, rawAnswer: "" } } };
      const rest = {
        name: "",
        description: "",
        edges: [],
        outcomes: [],
        warnings: [],
        metadata: {},
        hash: "",
      };
      const drawing = toMermaid({ nodes, nodeIds: [node], entryNode: node, ...rest });
      const label = drawing.slice(drawing.indexOf('["') + 2, drawing.lastIndexOf('"]'));
      const read = label
        .split("<br/>")
        .map((part) => part.replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))));
      const said = [printableText(node) || '""', printableText(question)].filter((part) => part !== "");
      expect(read).toEqual(said.map((part) => cutToWidth(part, 60)));
    }),
  );
});
