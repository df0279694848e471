import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenWorker extends GivenFlags {
  readonly concurrency?: string;
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
    .option("--concurrency <n>", "how many conversations run at the same time (default: 64)")
    .option("--lease <time>", "how long the conversations of a worker that died wait for another", "15s")
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
        return worker(
          {
            address,
            lease,
            json,
            settings: settingsRequest({ ...given, concurrency: undefined }),
            ...(concurrency === undefined ? {} : { concurrency }),
            ...(name === undefined ? {} : { name }),
            ...(health === undefined ? {} : { health }),
          },
          terminal,
        );
      }),
    );
};
