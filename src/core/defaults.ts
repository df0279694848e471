/** The name of the judge that is no model: rules read what they can, and nothing else is read. */
export const RULES_JUDGE = "rules";

/** The name of the judge that is each subject's own model, in a context of its own. */
export const SELF_JUDGE = "self";

/**
 * What holds where an author, a project file or a caller says nothing else. Every default of a run is here once; options,
 * settings and the command line read it from here.
 */
export const DEFAULTS = {
  /** How often each conversation is run. */
  replicates: 1,
  /** How many conversations run at the same time. */
  concurrency: 256,
  /** After this many turns a conversation ends as `limit_reached`. */
  turnLimit: 20,
  /** The random seed of simulated models, retries and sandboxed functions. */
  seed: 0,
  /** What reads fields that have a rule. */
  reading: "rules-then-judge",
  /** How many earlier turns the judge is shown. */
  earlierTurns: 3,
  /** How often the subject is asked in one turn while it calls tools. */
  toolSteps: 10,
  /** For one attempt of one call of a model. */
  callTimeoutMs: 180_000,
  /** How long a server that cannot be reached is waited for. */
  patienceMs: 600_000,
  /** The least share of conversations that must be decided for a threshold to be reached. */
  minDecided: 0.8,
  /** For the start of a tool server, and for one call of a tool. */
  toolStartTimeoutMs: 30_000,
  toolCallTimeoutMs: 60_000,
  /** How often a tool server that broke down is started again. */
  toolRestarts: 3,
  /** For one call of a source string, and what it may use. */
  sandboxTimeoutMs: 50,
  sandboxMemoryBytes: 16_777_216,
  /** For all source strings of one conversation together. */
  sandboxConversationMs: 1_000,
  /** Where runs are stored, relative to the current folder. */
  storePath: ".elenchus/elenchus.db",
  /** How long a store waits for another process that writes. */
  storeLockTimeoutMs: 10_000,
  /** The size of a terminal that does not report one. */
  terminalWidth: 80,
  terminalHeight: 24,
} as const;
