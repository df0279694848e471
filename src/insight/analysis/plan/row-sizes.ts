import { textsIn } from "../../../core/liquid/fill-texts.ts";
import { compileText } from "../../../core/liquid/text-template.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { type AmountSpread, addAmounts, KEYS, type Slots } from "./amounts.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Rows whose conversations were walked, and by how much the rows that they represent are longer. */
interface Fit {
  readonly sizes: number[];
  readonly results: AmountSpread[];
  /** How much longer all rows are, in sum, than the rows that represent them. */
  longer: number;
}

/**
 * Corrects sums in which a few rows represent all. What is sent is a linear function of the length of a row's texts. The rows that were
 * walked give its slope, and the lengths of all other rows give the correction.
 */
export class RowSizes {
  readonly #fits = new Map<string, Fit>();
  readonly #columns: ReadonlySet<string>;

  constructor({ nodes, systemPrompt, history }: ScenarioDefinition) {
    const asked = Object.values(nodes).map(({ question: { question, fewShot }, user }) => [
      question,
      fewShot,
      user,
    ]);
    const columns = [...textsIn([asked, systemPrompt, history])].flatMap(({ text }) =>
      compileText(text).variables.flatMap(({ path: [root, column] }) =>
        root === "row" ? [String(column)] : [],
      ),
    );
    this.#columns = new Set(columns);
  }

  /** How many tokens a row brings into the texts that are sent. */
  of(row: JsonObject): number {
    let tokens = 0;
    for (const column of this.#columns) {
      const value = row[column] ?? "";
      tokens += estimateTokens(typeof value === "string" ? value : JSON.stringify(value));
    }
    return tokens;
  }

  /** Adds a row that represents others. */
  addWalked(group: string, size: number, result: AmountSpread): void {
    const fit = this.#fits.get(group) ?? { sizes: [], results: [], longer: 0 };
    fit.sizes.push(size);
    fit.results.push(result);
    this.#fits.set(group, fit);
  }

  /** Adds a row that another row represents. */
  addRepresented(group: string, longer: number): void {
    const fit = this.#fits.get(group);
    if (fit !== undefined) fit.longer += longer;
  }

  /** Adds to the tokens that are sent what the other rows have more. */
  correct(sums: AmountSpread, slots: Slots): void {
    for (const { sizes, results, longer } of this.#fits.values()) {
      const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
      const spread = sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0);
      if (spread === 0 || longer === 0) continue;
      for (const key of KEYS) {
        const more = slots.zero();
        for (const { at } of slots.all) {
          const slope = sizes.reduce(
            (sum, size, index) => sum + ((size - mean) * (results[index]?.[key][at + 1] ?? 0)) / spread,
            0,
          );
          more[at + 1] = slope * longer;
        }
        addAmounts(sums[key], more);
      }
    }
  }
}
