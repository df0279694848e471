import { RunError } from "../journal/failure.ts";
import { type PostgresAddress, postgresAddress } from "../journal/store/postgres/postgres-address.ts";
import { isAlive, PostgresConnection } from "../journal/store/postgres/postgres-connection.ts";
import type { BudgetLimits } from "../run/calls/budget.ts";
import type { CellGroup } from "../run/cell-source.ts";
import type { WorkSheet } from "./work-sheet.ts";

/** What workers are to do with a run: `stopping` lets calls in flight finish, `aborting` does not. */
export type WorkState = "running" | "stopping" | "aborting" | "timeout" | "over";

/** A job: the conversations that share their calls, with their row. Its id is the name of the first conversation. */
export interface WorkJob {
  readonly job: string;
  readonly group: CellGroup;
}

/** A run as a worker finds it. */
interface WorkRun {
  readonly sheet: WorkSheet;
  readonly sheetHash: string;
  readonly state: WorkState;
}

/** A job that a worker has claimed. */
interface ClaimedJob {
  readonly group: CellGroup;
  /** True if it was never claimed before: none of its conversations has started. */
  readonly isNew: boolean;
  /** True if another process held it and has not given it back. */
  readonly isTakenOver: boolean;
  /** How often a worker held it and was gone: perhaps because of it. */
  readonly takeovers: number;
  /** The hash of the work sheet. */
  readonly sheetHash: string;
  readonly state: WorkState;
}

/** How a job ended. */
interface DoneJob {
  readonly writer: number;
  /** Those that it has. */
  readonly conversations: readonly string[];
  /** False if it need not be on the disk yet: a queue on the same server then forgets the job later, on the disk as well. */
  readonly isFlushed: boolean;
}

/** How far the jobs of a run are. */
interface JobProgress {
  readonly open: number;
  /** Of them, how many a worker has claimed. */
  readonly claimed: number;
  readonly state: WorkState;
}

/** What is reserved and settled at once. */
export interface Spend {
  /** The estimates of calls that ask for permission, in order. */
  readonly wanted: readonly { readonly usd: number; readonly tokens: number }[];
  /** What earlier calls have cost, and what was reserved for them. */
  readonly settled: { readonly usd: number; readonly tokens: number; readonly calls: number };
  readonly released: { readonly usd: number; readonly tokens: number };
}

/** How many of the wanted calls are permitted, and what all workers have spent. */
export interface Spent {
  readonly permitted: number;
  readonly usd: number;
  readonly tokens: number;
  readonly calls: number;
}

/** The report of a worker about itself. */
export interface WorkerReport {
  readonly name: string;
  readonly version: string;
  readonly format: number;
  readonly concurrency: number;
  readonly running: number;
  readonly finished: number;
  readonly errors: number;
  readonly perMinute: number;
  /** The runs it works on. */
  readonly runs: readonly string[];
  /** The accounts that it asks. */
  readonly accounts: readonly string[];
  /** Why it takes no conversations of a run, by run. */
  readonly problems: Readonly<Record<string, string>>;
  readonly isDraining: boolean;
}

/** A worker as others see it. */
export interface SeenWorker extends WorkerReport {
  readonly id: number;
  /** Milliseconds since its start and since its last report, by the clock of the server. */
  readonly startedMs: number;
  readonly seenMs: number;
}

/** A worker without a report for this time counts as gone. */
const GONE_MS = 15_000;

/** What workers share beside the journal: the jobs of runs, who works on them, and what they may spend. All in one database. */
export class WorkTables {
  /** The name of the queue: stores of one database do not share jobs. */
  readonly queueName: string;
  readonly #connection: PostgresConnection;
  readonly #ids = new Map<string, number>();

  private constructor(address: PostgresAddress) {
    this.queueName = address.schema;
    this.#connection = new PostgresConnection(address);
  }

  /** Connects to the store at an address, which must be there already. */
  static async open(address: string): Promise<WorkTables> {
    const tables = new WorkTables(postgresAddress(address));
    await tables.#connection.connect();
    return tables;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** How far the clock of this machine is ahead of the server's, in milliseconds. */
  async clockSkew(clock: () => number): Promise<number> {
    const before = clock();
    const [row] = await this.#query<{ now: number }>(
      "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now",
    );
    return (before + clock()) / 2 - Number(row?.now);
  }

  /** Publishes a run for workers, or opens it again with a new budget. */
  async openRun(
    run: string,
    {
      sheet,
      budget = {},
      limitMs,
    }: { readonly sheet: WorkSheet; readonly budget?: BudgetLimits; readonly limitMs: number | null },
  ): Promise<void> {
    const { usd = null, tokens = null, calls = null } = budget;
    await this.#query(
      `INSERT INTO work_run (run, sheet, state, deadline, usd_limit, tokens_limit, calls_limit)
       VALUES ($1, $2, 'running', now() + $3::float8 * interval '1 ms', $4, $5, $6)
       ON CONFLICT (run) DO UPDATE SET sheet = excluded.sheet, state = 'running', deadline = excluded.deadline,
         usd_limit = excluded.usd_limit, tokens_limit = excluded.tokens_limit, calls_limit = excluded.calls_limit,
         usd = 0, tokens = 0, calls = 0, usd_reserved = 0, tokens_reserved = 0`,
      [await this.#id(run), JSON.stringify(sheet), limitMs, usd, tokens, calls],
    );
  }

  /** What a worker must know about a run; undefined if it is not published. */
  async run(run: string): Promise<WorkRun | undefined> {
    const [row] = await this.#query<{ sheet: string; hash: string; state: WorkState }>(
      `SELECT sheet, md5(sheet) AS hash, ${STATE} AS state FROM work_run WHERE run = $1`,
      [await this.#id(run)],
    );
    if (row === undefined) return undefined;
    // Written by `openRun`.
    return { sheet: JSON.parse(row.sheet) as WorkSheet, sheetHash: row.hash, state: row.state };
  }

  /** Sets what workers do with a run; false if it is not published, or over. */
  async setState(run: string, state: WorkState): Promise<boolean> {
    const rows = await this.#query(
      `UPDATE work_run SET state = $2 WHERE run = $1 AND state <> 'over' AND (state <> 'aborting' OR $2 = 'over') RETURNING run`,
      [await this.#id(run), state],
    );
    return rows.length > 0;
  }

  /** The states of some runs. A deadline that has passed counts. */
  async states(runs: readonly string[]): Promise<ReadonlyMap<string, WorkState>> {
    if (runs.length === 0) return new Map();
    const rows = await this.#query<{ name: string; state: WorkState }>(
      `SELECT run.name, ${STATE} AS state FROM work_run JOIN run ON run.id = work_run.run WHERE run.name = ANY($1)`,
      [runs],
    );
    return new Map(rows.map(({ name, state }) => [name, state]));
  }

  /** Adds jobs; those that are there and done are opened again, others stay as they are. `hasBegun` if their conversations may have. */
  async addJobs(run: string, jobs: readonly WorkJob[], hasBegun: boolean): Promise<void> {
    await this.#query(
      `INSERT INTO work_job (run, job, data, claims) SELECT $1, given.*, $4 FROM unnest($2::text[], $3::text[]) AS given
       ON CONFLICT (run, job) DO UPDATE SET data = excluded.data, done = NULL, writer = NULL, conversations = NULL
       WHERE work_job.done IS NOT NULL`,
      [
        await this.#id(run),
        jobs.map(({ job }) => job),
        jobs.map(({ group }) => JSON.stringify(group)),
        hasBegun ? 1 : 0,
      ],
    );
  }

  /**
   * Claims a job. A worker that held it before and did not give it back can write nothing more, to any run: it was away for too
   * long. Undefined if the job is done, or not there.
   */
  async claim(run: string, job: string, writer: number): Promise<ClaimedJob | undefined> {
    const id = await this.#id(run);
    const [row] = await this.#query<{
      data: string;
      claims: number;
      before: string | null;
      takeovers: number;
      sheet: string;
      state: WorkState;
    }>(
      `WITH held AS (SELECT writer FROM work_job WHERE run = $1 AND job = $2 AND done IS NULL FOR UPDATE),
         fenced AS (UPDATE writer SET groups = -1 FROM held WHERE writer.id = held.writer AND writer.id <> $3),
         claimed AS (UPDATE work_job SET writer = $3, claims = claims + 1,
             takeovers = takeovers + CASE WHEN held.writer <> $3 THEN 1 ELSE 0 END
           FROM held WHERE run = $1 AND job = $2 RETURNING data, claims, takeovers, held.writer AS before)
       SELECT claimed.data, claimed.claims, claimed.before, claimed.takeovers, md5(sheet) AS sheet, ${STATE} AS state FROM claimed, work_run WHERE work_run.run = $1`,
      [id, job, writer],
    );
    // Written by `addJobs`.
    if (row === undefined) return undefined;
    const { data, claims, before, takeovers, sheet, state } = row;
    const isTakenOver = before !== null && Number(before) !== writer;
    return {
      group: JSON.parse(data) as CellGroup,
      isNew: claims === 1,
      isTakenOver,
      takeovers,
      sheetHash: sheet,
      state,
    };
  }

  /** Gives a job back that was not finished. */
  async release(run: string, job: string, writer: number): Promise<void> {
    await this.#query("UPDATE work_job SET writer = NULL WHERE run = $1 AND job = $2 AND writer = $3", [
      await this.#id(run),
      job,
      writer,
    ]);
  }

  /** A job is done. */
  async finish(run: string, job: string, { writer, conversations, isFlushed }: DoneJob): Promise<void> {
    await this.#query(
      `UPDATE work_job SET done = nextval('work_done'), conversations = $4
       FROM (SELECT set_config('synchronous_commit', coalesce($5, current_setting('synchronous_commit')), true)) AS setting
       WHERE run = $1 AND job = $2 AND writer = $3 AND done IS NULL`,
      [await this.#id(run), job, writer, JSON.stringify(conversations), isFlushed ? null : "off"],
    );
  }

  /** Jobs that no worker has claimed need not be done any more. */
  async dropUnclaimed(run: string): Promise<void> {
    await this.#query(
      "UPDATE work_job SET done = nextval('work_done'), conversations = '[]' WHERE run = $1 AND done IS NULL AND writer IS NULL",
      [await this.#id(run)],
    );
  }

  /** Open jobs that no living worker holds, some of them: they should be in the queue. */
  async unheld(run: string, most: number): Promise<readonly string[]> {
    const rows = await this.#query<{ job: string }>(
      `SELECT job FROM work_job WHERE run = $1 AND done IS NULL AND (writer IS NULL OR NOT ${isAlive("writer")})
       ORDER BY job LIMIT $2`,
      [await this.#id(run), most],
    );
    return rows.map(({ job }) => job);
  }

  async progress(run: string): Promise<JobProgress> {
    const [row] = await this.#query<{ open: string; claimed: string; state: WorkState }>(
      `SELECT count(*) AS open, count(writer) AS claimed, (SELECT ${STATE} FROM work_run WHERE run = $1) AS state
       FROM work_job WHERE run = $1 AND done IS NULL`,
      [await this.#id(run)],
    );
    return { open: Number(row?.open), claimed: Number(row?.claimed), state: row?.state ?? "over" };
  }

  /** The point up to which jobs of a run are done. */
  async lastDone(run: string): Promise<number> {
    const sql = "SELECT coalesce(max(done), 0) AS last FROM work_job WHERE run = $1";
    const [row] = await this.#query<{ last: string }>(sql, [await this.#id(run)]);
    return Number(row?.last ?? 0);
  }

  /** Jobs that were done after some point, each with its conversations. Jobs that end at the same time may come late: look back a little. */
  async doneAfter(
    run: string,
    order: number,
  ): Promise<
    readonly { readonly job: string; readonly order: number; readonly conversations: readonly string[] }[]
  > {
    const rows = await this.#query<{ job: string; done: string; conversations: string }>(
      "SELECT job, done, conversations FROM work_job WHERE run = $1 AND done > $2 ORDER BY done",
      [await this.#id(run), order],
    );
    return rows.map(({ job, done, conversations }) => ({
      job,
      order: Number(done),
      // Written by `finish`.
      conversations: JSON.parse(conversations) as readonly string[],
    }));
  }

  /**
   * Reserves what calls will probably cost, and settles what others have cost, in one statement: all workers of a run share one
   * budget. Gives how many of the wanted calls are permitted, first come, first served, and what was spent.
   */
  async spend(run: string, { wanted, settled, released }: Spend): Promise<Spent> {
    const id = await this.#id(run);
    const values = (sums: Pick<Spend, "settled" | "released">): readonly unknown[] => [
      id,
      wanted.map(({ usd }) => usd),
      wanted.map(({ tokens }) => tokens),
      ...[sums.settled.usd, sums.settled.tokens, sums.settled.calls, sums.released.usd, sums.released.tokens],
    ];
    const [row] = await this.#query<Record<"permitted" | "usd" | "tokens" | "calls", string>>(
      `WITH held AS (SELECT * FROM work_run WHERE run = $1 FOR UPDATE),
         wanted AS (SELECT usd, tokens, place, sum(usd) OVER (ORDER BY place) - usd AS usd_before,
           sum(tokens) OVER (ORDER BY place) - tokens AS tokens_before
           FROM unnest($2::float8[], $3::float8[]) WITH ORDINALITY AS given (usd, tokens, place)),
         permitted AS (SELECT wanted.* FROM wanted, held WHERE
           (calls_limit IS NULL OR held.calls + $6 + place - 1 < calls_limit)
           AND (usd_limit IS NULL OR held.usd + $4 + usd_reserved - $7 + usd_before < usd_limit)
           AND (tokens_limit IS NULL OR held.tokens + $5 + tokens_reserved - $8 + tokens_before < tokens_limit))
       UPDATE work_run SET usd = held.usd + $4, tokens = held.tokens + $5,
         calls = held.calls + $6 + (SELECT count(*) FROM permitted),
         usd_reserved = held.usd_reserved - $7 + (SELECT coalesce(sum(usd), 0) FROM permitted),
         tokens_reserved = held.tokens_reserved - $8 + (SELECT coalesce(sum(tokens), 0) FROM permitted)
       FROM held WHERE work_run.run = held.run
       RETURNING (SELECT count(*) FROM permitted) AS permitted, work_run.usd, work_run.tokens, work_run.calls`,
      values({ settled, released }),
      // What was perhaps settled already is settled once more: rather too much is counted than too little.
      values({ settled, released: { usd: 0, tokens: 0 } }),
    );
    if (row === undefined) throw new RunError([`The run "${run}" was deleted.`]);
    const { permitted, usd, tokens, calls } = row;
    return { permitted: Number(permitted), usd: Number(usd), tokens: Number(tokens), calls: Number(calls) };
  }

  /** Stores the report of a worker; returns how many workers use each account. */
  async report(id: number, report: WorkerReport): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#query<{ account: string; workers: string }>(
      `WITH said AS (INSERT INTO worker (id, report) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET report = excluded.report, seen_at = now())
       SELECT account, count(*) AS workers FROM worker, jsonb_array_elements_text(report -> 'accounts') AS account
       WHERE seen_at > now() - $3::float8 * interval '1 ms' AND id <> $1 GROUP BY account`,
      [id, JSON.stringify(report), GONE_MS],
    );
    const others = new Map(rows.map(({ account, workers }) => [account, Number(workers)]));
    return new Map(report.accounts.map((account) => [account, 1 + (others.get(account) ?? 0)]));
  }

  /** A worker ends. */
  async leave(id: number): Promise<void> {
    await this.#query("DELETE FROM worker WHERE id = $1", [id]);
  }

  /** The workers that are alive, the oldest first. Those that are long gone are forgotten. */
  async workers(): Promise<readonly SeenWorker[]> {
    await this.#query("DELETE FROM worker WHERE seen_at < now() - interval '1 day'").catch(() => {});
    const rows = await this.#query<{ id: number; report: string; started: number; seen: number }>(
      `SELECT id, report, extract(epoch FROM now() - started_at)::float8 * 1000 AS started,
         extract(epoch FROM now() - seen_at)::float8 * 1000 AS seen FROM worker ORDER BY started_at, id`,
    );
    return rows
      .filter(({ seen }) => seen < GONE_MS)
      .map(({ id, report, started, seen }) => ({
        // Written by `report`.
        ...(JSON.parse(report) as WorkerReport),
        id,
        startedMs: started,
        seenMs: seen,
      }));
  }

  async #id(run: string): Promise<number> {
    let id = this.#ids.get(run);
    if (id === undefined) {
      const [row] = await this.#query<{ id: string }>("SELECT id FROM run WHERE name = $1", [run]);
      if (row === undefined) throw new RunError([`There is no run "${run}" in the store.`]);
      id = Number(row.id);
      this.#ids.set(run, id);
    }
    return id;
  }

  /** Waits for a server that was there before and is gone. `again` are the values of a statement that was perhaps done already. */
  async #query<Row>(sql: string, values: readonly unknown[] = [], again = values): Promise<readonly Row[]> {
    const { fields, rows } = await this.#connection.repeated(sql, values, again);
    // The names of the columns are in the statement.
    return rows.map((row) => Object.fromEntries(fields.map(({ name }, place) => [name, row[place]])) as Row);
  }
}

/** A run whose time is up is so for all, by the clock of the server. */
const STATE = "CASE WHEN state = 'running' AND deadline < now() THEN 'timeout' ELSE state END";
