import { ROUTED_TURN } from "./benchmark.ts";
import type { SeenRequest } from "./counting-server.ts";

/** One process that worked on a run, and the calls whose answers were durable when it had come to its end. */
export interface Stage {
  readonly child: string;
  readonly durable: ReadonlySet<string>;
  /** The requests that had been answered when it was killed. */
  readonly answered: ReadonlySet<SeenRequest>;
}

/** What the requests of all processes of a run add up to. */
export interface Account {
  /** Everything that must not be; empty if all is well. */
  readonly problems: readonly string[];
  /** Requests that had been made before. */
  readonly repeated: number;
  /** Calls that had been made when a process ended, and whose answers were not durable. */
  readonly inFlight: number;
  /** Those among them whose answers had been sent. */
  readonly lost: number;
}

/** Compares what the server saw with what was durable after each process. */
export function account(seen: readonly SeenRequest[], stages: readonly Stage[]): Account {
  const problems: string[] = [];
  const bodies = new Map<string, string>();
  let [inFlight, lost] = [0, 0];
  let before: ReadonlySet<string> = new Set();
  for (const { child, durable, answered } of stages) {
    const requests = seen.filter((request) => request.child === child);
    for (const key of before) if (!durable.has(key)) problems.push(`${key} is durable no more`);
    const asked = new Set<string>();
    for (const request of requests) {
      const { key, body, node } = request;
      if (asked.has(key)) problems.push(`${child} asked ${key} twice`);
      asked.add(key);
      if (before.has(key)) problems.push(`${child} asked ${key}, which was durable`);
      if ((bodies.get(key) ?? body) !== body) problems.push(`${child} asked ${key} in other words`);
      bodies.set(key, body);
      for (const cause of causesOf(key))
        if (!durable.has(cause))
          problems.push(`${child} asked ${key} at ${node} before ${cause} was durable`);
      if (durable.has(key)) continue;
      inFlight++;
      if (answered.has(request)) lost++;
    }
    before = durable;
  }
  const known = new Set(stages.map(({ child }) => child));
  for (const { child } of seen) if (!known.has(child)) problems.push(`${child} is nobody`);
  return { problems, repeated: seen.length - bodies.size, inFlight, lost };
}

/** The calls whose answers a call depends on, directly. */
function causesOf(key: string): readonly string[] {
  const [conversation, number, kind] = key.split(" ");
  const turn = Number(number);
  if (kind === "judge") return [`${conversation} ${turn} subject`];
  if (turn === 1) return [];
  const reply = `${conversation} ${turn - 1} subject`;
  return turn - 1 === ROUTED_TURN ? [reply, `${conversation} ${turn - 1} judge`] : [reply];
}
