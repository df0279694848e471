import fc from "fast-check";
import { expect, test } from "vitest";
import { type Waiting, WaitQueue } from "./wait-queue.ts";

test("behaves like a list, whoever joins, leaves or is taken", () => {
  const action = fc.oneof(
    fc.constant({ kind: "add" } as const),
    fc.constant({ kind: "addFirst" } as const),
    fc.constant({ kind: "shift" } as const),
    fc.record({ kind: fc.constant("remove" as const), place: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const queue = new WaitQueue();
      const list: Waiting[] = [];
      const left: Waiting[] = [];
      for (const step of actions) {
        if (step.kind === "add") list.push(queue.add(() => {}));
        else if (step.kind === "addFirst") list.unshift(queue.add(() => {}, true));
        else if (step.kind === "shift") {
          const taken = queue.shift();
          expect(taken).toBe(list.shift());
          if (taken !== undefined) left.push(taken);
        } else {
          const [gone] = list.splice(step.place, 1);
          if (gone !== undefined) {
            queue.remove(gone);
            left.push(gone);
          }
        }
        for (const gone of left) queue.remove(gone);
        expect(queue.size).toBe(list.length);
      }
      for (const expected of list) expect(queue.shift()).toBe(expected);
      expect(queue.shift()).toBeUndefined();
    }),
  );
});
