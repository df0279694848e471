import { describe } from "../command.ts";
import { flag, wholeNumber } from "../flags.ts";

export const WORKER = describe({
  name: "worker",
  about: "run conversations of runs that were started with run --workers, until it is stopped",
  arguments: {
    "<address>": "postgres://… of the store, or redis://… of the queue with --store postgres://…",
  },
  flags: [
    flag("--concurrency <n>", "how many conversations run at the same time (default: 64)", {
      parse: wholeNumber(1, 100_000),
    }),
    flag(
      "--lease <time>",
      "other workers take over the conversations of a worker that is silent for this time",
      { initial: "15s" },
    ),
    flag("--name <name>", "the name of the worker (default: the host and the process)"),
    flag("--health <port>", "answer /live and /ready over HTTP on this port, or host:port"),
    flag("--json", "print every line of the log as JSON"),
  ],
  settings: ["store"],
  trust: true,
  examples: [
    "elenchus worker postgres://elenchus@db.example/elenchus",
    "elenchus worker postgres://db/elenchus --concurrency 128 --health 8080 --json",
    "elenchus worker redis://queue:6379 --store postgres://db/elenchus",
  ],
});

export const WORKERS = describe({
  name: "workers",
  about: "list the workers of a store: what they do, how fast, and their errors",
  arguments: { "[address]": "postgres://… of the store (default: the store of the project)" },
  flags: [flag("--json", "print a line of JSON for each worker")],
  settings: ["store"],
  examples: ["elenchus workers postgres://db/elenchus"],
});

export const STOP = describe({
  name: "stop",
  about: "stop a run on workers; resume continues it",
  arguments: { "<run>": "the run, or the beginning of its name" },
  flags: [flag("--now", "do not wait for calls in flight")],
  settings: ["store"],
  examples: ["elenchus stop 3f2a --store postgres://db/elenchus"],
});
