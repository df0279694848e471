import { expect, test } from "vitest";
import { template } from "../../core/templates/template.ts";
import { llmTrait } from "../../core/templates/trait-factories.ts";
import { panelAlpha } from "./agreement.ts";
import type { PanelVote } from "./panel.ts";

const question = {
  template: template({
    city: { type: "string", description: "d", truth: "Canberra" },
    year: { type: "integer", description: "d", truth: 1913 },
    read: { type: "boolean", description: "d", truth: true, extract: { type: "stance" } },
  }),
  traits: [llmTrait("polite", { kind: "boolean" })],
};

function vote(city: string | null, year: number | null, polite: boolean | null): PanelVote {
  return { parsed: { city, year }, rubric: { polite }, refused: null, status: "read" };
}

test("alpha over a run, for every field and trait that judges answer", () => {
  const turns = [
    [vote("Canberra", 1913, true), vote("canberra", 1913, true)],
    [vote("Sydney", 1901, true), vote("Sydney", 1901, false)],
    [vote(null, 1950, false), vote(null, 1950, true)],
  ];
  const { parsed, rubric } = panelAlpha(turns, question);
  expect(parsed).toEqual({ city: 1, year: 1 });
  expect(rubric.polite).toBeLessThan(0.5);
});

test("where nothing varies, or nobody rated, it is undefined", () => {
  const unreadable: PanelVote = { ...vote("x", 1, true), status: "unreadable" };
  expect(panelAlpha([[vote("a", 1, true), vote("a", 1, true)]], question).parsed).toEqual({
    city: null,
    year: null,
  });
  expect(
    panelAlpha(
      [
        [vote("a", 1, true), unreadable],
        [vote("b", 2, true), unreadable],
      ],
      question,
    ).parsed.city,
  ).toBe(null);
});
