/** Which conversations are meant. */
export interface EntryFilter {
  readonly scenario?: string;
  readonly subject?: string;
  readonly judge?: string;
  readonly row?: string;
  readonly arm?: string;
  /** `running`, or how they ended. */
  readonly status?: string;
  /** An outcome and its value: `resisted:false`. */
  readonly outcome?: string;
  readonly node?: string;
  readonly verdict?: string;
  /** The number of an edge in the scenario. */
  readonly edge?: string;
  /** `last` to begin with the last one; or `turns`, `cost` or `time`, with `-` before it to begin with the largest. */
  readonly order?: string;
}

/** The orders of a list besides that of the run, in words. */
export const ORDERS: Readonly<Record<string, string>> = {
  last: "last first",
  "-turns": "most turns first",
  turns: "fewest turns first",
  "-time": "longest first",
  time: "shortest first",
  "-cost": "most expensive first",
  cost: "cheapest first",
};

/** The names of a filter in addresses and requests. */
export const ENTRY_FILTERS: readonly (keyof EntryFilter)[] = [
  "scenario",
  "subject",
  "judge",
  "row",
  "arm",
  "status",
  "outcome",
  "node",
  "verdict",
  "edge",
  "order",
];
