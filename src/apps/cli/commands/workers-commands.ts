import { type AddCommand, command, flag, valueFlag, wholeNumber } from "../command.ts";
import { settingFlags } from "../flags.ts";

/** `elenchus worker`, `workers`, `stop` */
export const WORKER_COMMANDS: readonly AddCommand[] = [
  command({
    name: "worker",
    about: "run conversations of runs that were started with run --workers, until it is stopped",
    arguments: {
      "<address>": "postgres://… of the store, or redis://… of the queue with --store postgres://…",
    },
    flags: [
      valueFlag("--concurrency <n>", "how many conversations run at the same time (default: 64)", {
        parse: wholeNumber(1, 100_000),
      }),
      valueFlag(
        "--lease <time>",
        "other workers take over the conversations of a worker that is silent for this time",
        { initial: "15s" },
      ),
      flag("--name <name>", "the name of the worker (default: the host and the process)"),
      flag("--health <port>", "answer /live and /ready over HTTP on this port, or host:port"),
      flag("--json", "print every line of the log as JSON"),
    ],
    shared: settingFlags(["store"], { trust: true }),
    examples: [
      "elenchus worker postgres://elenchus@db.example/elenchus",
      "elenchus worker postgres://db/elenchus --concurrency 128 --health 8080 --json",
      "elenchus worker redis://queue:6379 --store postgres://db/elenchus",
    ],
    run: async (given, terminal) => (await import("../workers/worker.ts")).worker(given, terminal),
  }),
  command({
    name: "workers",
    about: "list the workers of a store: what they do, how fast, and their errors",
    arguments: { "[address]": "postgres://… of the store (default: the store of the project)" },
    flags: [flag("--json", "print a line of JSON for each worker")],
    shared: settingFlags(["store"]),
    examples: ["elenchus workers postgres://db/elenchus"],
    run: async (given, terminal) => (await import("../workers/workers.ts")).workers(given, terminal),
  }),
  command({
    name: "stop",
    about: "stop a run on workers; resume continues it",
    arguments: { "<run>": "the run, or the beginning of its name" },
    flags: [flag("--now", "do not wait for calls in flight")],
    shared: settingFlags(["store"]),
    examples: ["elenchus stop 3f2a --store postgres://db/elenchus"],
    run: async (given, terminal) => (await import("../workers/workers.ts")).stop(given, terminal),
  }),
];
