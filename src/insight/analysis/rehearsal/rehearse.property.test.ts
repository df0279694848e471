import * as fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/property-runs.ts";
import { buildRehearsed, type RehearsedSpec, rehearsedSpec } from "../../../../test/rehearsed-scenario.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import type { TurnLabels } from "../../../engine/journal/turn.ts";
import { armsOf, type ConversationState } from "../../../engine/run/step/conversation-state.ts";
import { step } from "../../../engine/run/step/step.ts";
import { Oracle, prepareCode } from "./prepare-code.ts";
import type { Rehearsal, RehearsedValue, Witness } from "./rehearsal.ts";
import { rehearse } from "./rehearse.ts";
import { replayWitness } from "./replay-witness.ts";
import { replyClasses } from "./reply-classes.ts";
import { watchedTurns } from "./watched-turns.ts";

type Alphabet = ReadonlyMap<string, readonly TurnLabels[]>;

/** Everything that happens, found by making every conversation of an alphabet turn by turn with `step`. */
class BruteForce {
  readonly nodes = new Set<string>();
  readonly edges = new Set<number>();
  readonly values = new Map<string, Set<RehearsedValue>>();
  readonly routes = new Set<string>();
  readonly lengths: number[] = [];
  count = 0n;
  limited = 0n;
  readonly #definition: ScenarioDefinition;
  readonly #alphabet: Alphabet;

  constructor(definition: ScenarioDefinition, alphabet: Alphabet, turnLimit: number) {
    this.#definition = definition;
    this.#alphabet = alphabet;
    const settings = { turnLimit, judged: true, judging: "together", detectRefusal: false } as const;
    const cell = { index: 0, scenario: "random", subject: "", judge: "", replicate: 1 };
    this.#go(
      step(definition, null, {
        type: "conversation-start",
        conversation: "c",
        cell,
        scenarioHash: "",
        settings,
      }).state,
    );
  }

  #go(state: ConversationState): void {
    if (state.status !== null) return this.#end(state);
    const { turn, node } = state.open.at(-1) as { turn: number; node: string };
    this.nodes.add(node);
    for (const labels of this.#alphabet.get(node) ?? []) {
      const { state: after, events } = step(this.#definition, state, {
        type: "turn-reply",
        conversation: "c",
        turn,
        reply: "…",
        messages: [],
        finish: "stop",
        labels,
        spending: NOTHING_SPENT,
      });
      for (const event of events)
        if (event.type === "hop" && event.edge !== null && event.fork === undefined)
          this.edges.add(event.edge);
      const arms = armsOf(this.#definition, after);
      if (arms.length === 0) this.#go(after);
      for (const { name, target, edge } of arms) {
        this.edges.add(edge);
        const { settings, cell } = after;
        this.#go(
          step(this.#definition, after, {
            type: "conversation-start",
            conversation: "c",
            cell: { ...cell, arm: name, parent: 0 },
            scenarioHash: "",
            settings,
            fork: { parent: "c", turn: after.scenario.turn, edge, target },
          }).state,
        );
      }
    }
  }

  #end({ status, outcomes, cell, scenario }: ConversationState): void {
    this.count++;
    if (status === "limit_reached") this.limited++;
    this.lengths.push(scenario.turn);
    this.routes.add(JSON.stringify([scenario.turns.map(({ node }) => node), status, cell.arm ?? ""]));
    for (const [name, result] of Object.entries(outcomes)) {
      const values = this.values.get(name) ?? new Set<RehearsedValue>();
      this.values.set(name, values);
      values.add(result.status === "decided" ? (result.value ?? "inconclusive") : result.status);
    }
  }
}

/** Every value of every field, whether anything tells them apart or not. */
function everyReply({ nodes }: ScenarioDefinition): Alphabet {
  const values: Readonly<Record<string, readonly unknown[]>> = {
    agrees: [true, false, null],
    letter: ["A", "B", "C", null],
    number: [1, 2, 3, 4, 5, null],
  };
  return new Map(
    Object.entries(nodes).map(([id, { question, rubric }]) => {
      const fields = Object.keys(question.template?.fields ?? {});
      const traits =
        rubric === undefined ? [{}] : [true, false, null].map((polite) => ({ rubric: { polite } }));
      if (fields.length === 0) return [id, traits];
      let combined: readonly Readonly<Record<string, unknown>>[] = [{}];
      for (const name of fields)
        combined = combined.flatMap((one) =>
          (values[name] ?? []).map((value) => ({ ...one, [name]: value })),
        );
      const read = combined.flatMap((parsed) => traits.map((trait) => ({ parsed, ...trait })));
      return [id, [...read, { verifyResult: null, ...traits.at(-1) }]];
    }),
  );
}

async function toldApart(definition: ScenarioDefinition): Promise<Alphabet> {
  const { code } = await prepareCode(definition, new Oracle());
  const watched = watchedTurns(definition, code);
  return new Map(
    [...watched].map(([id, turn]) => [
      id,
      replyClasses(definition, id, { watched: turn, code }).replies.map(({ labels }) => labels),
    ]),
  );
}

/** The longest conversations that can all be made one by one. */
function limitFor(alphabet: Alphabet, most: number): number {
  const letters = Math.max(...[...alphabet.values()].map((list) => list.length), 2);
  return Math.max(2, Math.min(6, Math.floor(Math.log(most) / Math.log(letters))));
}

function built(spec: RehearsedSpec): ScenarioDefinition | null {
  try {
    return buildRehearsed(spec);
  } catch {
    return null;
  }
}

function sorted<Value>(values: Iterable<Value>): readonly Value[] {
  return [...values].sort((left, right) => (String(left) < String(right) ? -1 : 1));
}

/** Outcomes whose values are numbers of a field: only some of them stand for all. */
const OF_NUMBERS = [21, 22, 23];

function compared(rehearsal: Rehearsal): Readonly<Record<string, unknown>> {
  return {
    nodes: sorted(rehearsal.nodes.filter(({ isReached }) => isReached === "yes").map(({ id }) => id)),
    edges: sorted(rehearsal.edges.filter(({ isTaken }) => isTaken === "yes").map(({ edge }) => edge)),
  };
}

const seeds = { numRuns: Number(process.env.REHEARSED ?? propertyRuns(400)) };

test("what is told apart is all that can happen, and counted exactly", async () => {
  await fc.assert(
    fc.asyncProperty(rehearsedSpec, async (spec) => {
      const definition = built(spec);
      if (definition === null) return;
      const alphabet = await toldApart(definition);
      const turnLimit = limitFor(alphabet, 400);
      const rehearsal = await rehearse(definition, { turnLimit, list: 0 });
      const brute = new BruteForce(definition, alphabet, turnLimit);
      expect(rehearsal.isComplete).toBe(true);
      expect(rehearsal.undecided).toEqual([]);
      expect(compared(rehearsal)).toEqual({ nodes: sorted(brute.nodes), edges: sorted(brute.edges) });
      expect(rehearsal.paths).toMatchObject({
        count: brute.count,
        limited: brute.limited,
        routes: BigInt(brute.routes.size),
      });
      expect(rehearsal.shortest?.turns.length).toBe(Math.min(...brute.lengths));
      expect(rehearsal.longest?.turns.length).toBe(Math.max(...brute.lengths));
      for (const { name, values } of rehearsal.outcomes)
        expect([name, sorted(values.map(({ value }) => value))]).toEqual([
          name,
          sorted(brute.values.get(name) ?? []),
        ]);
    }),
    seeds,
  );
});

test("no other reply leads anywhere else", async () => {
  await fc.assert(
    fc.asyncProperty(rehearsedSpec, async (spec) => {
      const definition = built(spec);
      if (definition === null) return;
      const alphabet = everyReply(definition);
      const turnLimit = limitFor(alphabet, 400);
      const rehearsal = await rehearse(definition, { turnLimit, list: 0 });
      const brute = new BruteForce(definition, alphabet, turnLimit);
      expect(compared(rehearsal)).toEqual({ nodes: sorted(brute.nodes), edges: sorted(brute.edges) });
      expect(rehearsal.paths.routes).toBe(BigInt(brute.routes.size));
      for (const [index, { name, values }] of rehearsal.outcomes.entries()) {
        if (OF_NUMBERS.includes(spec.outcomes[index] ?? 0)) continue;
        expect([name, sorted(values.map(({ value }) => value))]).toEqual([
          name,
          sorted(brute.values.get(name) ?? []),
        ]);
      }
    }),
    seeds,
  );
});

test("every witness, replayed by a real run, takes its path and comes to its outcomes", async () => {
  await fc.assert(
    fc.asyncProperty(rehearsedSpec, async (spec) => {
      const definition = built(spec);
      if (definition === null) return;
      const rehearsal = await rehearse(definition, { turnLimit: 5, list: 3 });
      const { nodes, edges, outcomes, loops, paths, shortest, longest } = rehearsal;
      const witnesses = [
        ...nodes.map(({ witness }) => witness),
        ...edges.map(({ witness }) => witness),
        ...outcomes.flatMap(({ values }) => values.map(({ witness }) => witness)),
        ...loops.flatMap(({ trap, untilLimit }) => [trap, untilLimit]),
        ...paths.listed,
        shortest,
        longest,
      ].filter((witness) => witness !== null);
      const distinct = new Map(witnesses.map((witness) => [JSON.stringify(witness), witness]));
      for (const witness of distinct.values())
        expect(await replayed(definition, witness)).toEqual(told(witness));
    }),
    { numRuns: Math.ceil(seeds.numRuns / 10) },
  );
});

function told({ turns, status, outcomes }: Witness): Readonly<Record<string, unknown>> {
  return {
    turns: turns.map(({ node, verifyResult, parsed, notVerified }) => ({
      node,
      verifyResult,
      parsed,
      notVerified,
    })),
    status,
    outcomes,
  };
}

async function replayed(definition: ScenarioDefinition, witness: Witness): Promise<unknown> {
  const record = await replayWitness(definition, witness, { turnLimit: 5 });
  return {
    turns: record.turns.map(({ node, verifyResult, parsed, notVerified }) => ({
      node,
      verifyResult,
      parsed,
      notVerified,
    })),
    status: record.status,
    outcomes: Object.fromEntries(
      Object.entries(record.outcomes).map(([name, { value, status }]) => [
        name,
        status === "decided" ? value : status,
      ]),
    ),
  };
}
