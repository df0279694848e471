import * as fc from "fast-check";
import { expect, test } from "vitest";
import { appended, type GrowingList, itemsOf, listOf } from "./growing-list.ts";

test("a chain is the list of what was put to its end, at every length", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.nat(20), fc.array(fc.boolean()), (items, count, asks) => {
      let chain: GrowingList<number> | null = null;
      for (const [index, item] of items.entries()) {
        chain = appended(chain, item);
        if (asks[index % Math.max(1, asks.length)] === true)
          expect(listOf(chain)).toEqual(items.slice(0, index + 1));
      }
      expect(itemsOf(chain)).toEqual(items);
      expect(listOf(chain)).toEqual(items);
      expect(itemsOf(chain, count)).toEqual(count === 0 ? [] : items.slice(-count));
    }),
  );
});
