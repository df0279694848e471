import { type AddCommand, examples, wholeNumber } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenWorker extends GivenFlags {
  readonly concurrency?: number;
  readonly lease: string;
  readonly name?: string;
  readonly health?: string;
  readonly json?: true;
}

/** `elenchus worker` */
export const addWorkerCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("worker")
    .description("run conversations of runs that were started with run --workers, until it is stopped")
    .argument("<address>", "postgres://… of the store, or redis://… of the queue with --store postgres://…")
    .option(
      "--concurrency <n>",
      "how many conversations run at the same time (default: 64)",
      wholeNumber(1, 100_000),
    )
    .option(
      "--lease <time>",
      "other workers take over the conversations of a worker that is silent for this time",
      "15s",
    )
    .option("--name <name>", "the name of the worker (default: the host and the process)")
    .option("--health <port>", "answer /live and /ready over HTTP on this port, or host:port")
    .option("--json", "print every line of the log as JSON");
  addSettingFlags(command, ["store"]);
  addTrustFlag(command)
    .addHelpText(
      "after",
      examples(
        "elenchus worker postgres://elenchus@db.example/elenchus",
        "elenchus worker postgres://db/elenchus --concurrency 128 --health 8080 --json",
        "elenchus worker redis://queue:6379 --store postgres://db/elenchus",
      ),
    )
    .action((address: string, given: GivenWorker) =>
      execute(async () => {
        const { worker } = await import("./worker.ts");
        const { concurrency, lease, name, health, json = false } = given;
        const settings = settingsRequest({ ...given, concurrency: undefined });
        return worker({ address, concurrency, lease, name, health, json, settings }, terminal);
      }),
    );
};

/** `elenchus workers` */
export const addWorkersCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("workers")
    .description("list the workers of a store: what they do, how fast, and their errors")
    .argument("[address]", "postgres://… of the store (default: the store of the project)")
    .option("--json", "print a line of JSON for each worker");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus workers postgres://db/elenchus"))
    .action((address: string | undefined, given: GivenFlags & { readonly json?: true }) =>
      execute(async () => {
        const { workers } = await import("./workers.ts");
        return workers({ address, json: given.json ?? false, settings: settingsRequest(given) }, terminal);
      }),
    );
};

/** `elenchus stop` */
export const addStopCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("stop")
    .description("stop a run on workers; resume continues it")
    .argument("<run>", "the run, or the beginning of its name")
    .option("--now", "do not wait for calls in flight");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus stop 3f2a --store postgres://db/elenchus"))
    .action((run: string, given: GivenFlags & { readonly now?: true }) =>
      execute(async () => {
        const { stop } = await import("./workers.ts");
        return stop({ run, isAtOnce: given.now ?? false, settings: settingsRequest(given) }, terminal);
      }),
    );
};
