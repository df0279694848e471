import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JudgeHealth } from "../../src/engine/journal/judge-health.ts";
import type { UnreadShare } from "../../src/insight/report/data/run-counts.ts";
import { OPENAI } from "../model-servers/openai-server.ts";
import { CAPITAL, openaiAt } from "./capital-file.ts";
import { folderWith, type Given, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

/** The scenario without rules: only a judge can read the replies. */
const JUDGED = CAPITAL.replace(/\n *extract: .*/, "");
const RUN = ["run", "capital.yaml", "--subject", "sim/steadfast"];

test("a scenario that needs a judge is refused without one, before the first call, with the fields named", async () => {
  const folder = folderWith({ "capital.yaml": JUDGED });
  const { code, stderr } = await elenchus(RUN, { folder });
  expect(code).toBe(2);
  expect(stderr).toContain('Scenario "capital" needs a judge: no rule can read the field city.');
  expect(stderr).toContain("--judge openai/gpt-5-mini");
  expect(stderr).toContain("--allow-unread");
  expect(existsSync(join(folder, ".elenchus"))).toBe(false);
});

test("--allow-unread runs it all the same, and nobody judged the turn", async () => {
  const folder = folderWith({ "capital.yaml": JUDGED });
  const { code, stdout } = await elenchus([...RUN, "--allow-unread", "--name", "monday"], { folder });
  expect(code).toBe(0);
  const [, heading = "", line = ""] = /^(Turns .*)\n(.*)$/m.exec(stdout) ?? [];
  const shown = Object.fromEntries(
    heading
      .trim()
      .split(/ {2,}/)
      .slice(1)
      .map((name, index) => [name, line.trim().split(/ {2,}/)[index + 1]]),
  );
  expect(shown).toMatchObject({ unread: "0", "not judged": "1" });
  // It was allowed once, and goes on as it was started.
  expect((await elenchus(["resume", "monday"], { folder })).code).toBe(0);
});

test("check warns, unless the project has a judge", async () => {
  const folder = folderWith({ "capital.yaml": JUDGED, "elenchus.config.yaml": "subjects: sim/steadfast\n" });
  const { code, stdout } = await elenchus(["check", "capital.yaml", "--no-draw"], { folder });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'warning: capital.yaml:5:3 (nodes.ask): Scenario "capital" needs a judge: no rule can read the field city.',
  );
  expect(stdout).toContain("1 scenario in order, 1 warning");
  const judged = folderWith({ "capital.yaml": JUDGED, "elenchus.config.yaml": "judges: ollama/llama3.2\n" });
  const fine = await elenchus(["check", "capital.yaml", "--no-draw"], { folder: judged });
  expect(fine.stdout).not.toContain("needs a judge");
  const unnamed = await elenchus(["check", "capital.yaml", "--no-draw"], {
    folder: folderWith({ "capital.yaml": JUDGED }),
  });
  expect(unnamed.stdout).not.toContain("needs a judge");
});

/** What a judge that works says of a reply that names Canberra. */
const READ = JSON.stringify({ fields: { city: "Canberra" } });

/** A judge behind a real server; `text` is what it says unless `fails` gives a status. */
async function judgeServer(
  text: (call: number) => string,
  fails: (call: number) => number | undefined = () => undefined,
): Promise<{ readonly environment: Record<string, string>; readonly calls: () => number; repair(): void }> {
  let calls = 0;
  let isRepaired = false;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
    const call = ++calls;
    const status = isRepaired ? undefined : fails(call);
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const said = { text: isRepaired ? READ : text(call) };
    response.writeHead(status ?? 200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        status === undefined ? OPENAI.answer(pathname, body, said) : OPENAI.error(status, "it does not work"),
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: openaiAt({ url }),
    calls: () => calls,
    repair: () => {
      isRepaired = true;
    },
  };
}

interface ShownRun {
  readonly judges: readonly JudgeHealth[];
  readonly statuses: Record<string, number>;
  readonly rates: { readonly unread: readonly UnreadShare[] };
}

const WITH_JUDGE = [...RUN, "--judge", "openai/judge", "--concurrency", "1", "--name", "monday"];

async function shown(given: Given): Promise<ShownRun> {
  return JSON.parse((await elenchus(["show", "monday", "--json"], given)).stdout) as ShownRun;
}

/** What is printed, without the breaks of lines. */
const flat = (text: string): string => text.replace(/\s+/g, " ");

test("a dead judge stops the run after ten failures, is named everywhere, and what it missed is judged later", async () => {
  const judge = await judgeServer(
    () => READ,
    () => 401,
  );
  const given = { folder: folderWith({ "capital.yaml": JUDGED }), environment: judge.environment };
  const { code, stdout, stderr } = await elenchus(
    [...WITH_JUDGE, "--replicates", "40", "--junit", "results.xml"],
    given,
  );
  expect(code).toBe(2);
  expect(judge.calls()).toBeLessThan(20);
  expect(flat(stdout)).toMatch(/Judges judged repaired unreadable failed openai\/judge 0 0 0 1\d/);
  expect(flat(stdout)).toMatch(
    /Warning: The judge openai\/judge gave no usable answer to (\d+) of \1 requests \(100.0 %\)/,
  );
  expect(flat(stdout)).toContain("it could not be asked (authentication)");
  expect(flat(stderr)).toMatch(
    /The judge openai\/judge failed 10 times in a row, so the run was stopped\. .*401/,
  );
  expect(stderr).toContain("elenchus resume monday --retry-errors");

  const { judges } = await shown(given);
  expect(judges).toMatchObject([
    { judge: "openai/judge", judged: 0, repaired: 0, unreadable: 0, isPoor: true, rates: { failed: 1 } },
  ]);
  expect(judges[0]?.reasons[0]).toMatchObject({ result: "failed", category: "authentication" });
  const failures = await elenchus(["show", "monday", "--failures"], given);
  expect(flat(failures.stdout)).toContain("The judge openai/judge gave no usable answer");
  const listed = await elenchus(["list"], given);
  expect(listed.stdout).toMatch(/judge openai\/judge failed (\d+) of \1 \(authentication\)/);
  expect(JSON.parse((await elenchus(["list", "--json"], given)).stdout)).toMatchObject({ judges });
  const junit = readFileSync(join(given.folder, "results.xml"), "utf8");
  expect(junit).toContain('<testcase classname="judges" name="openai/judge">');
  expect(junit).toContain(
    '<error type="judge" message="Warning: The judge openai/judge gave no usable answer',
  );
  // A conversation that could not be judged is no test that passed.
  const unjudged = Number(/(\d+) errors \(\1 authentication\)/.exec(stderr)?.[1]);
  expect(unjudged).toBeGreaterThanOrEqual(10);
  expect(junit).toContain(`errors="${unjudged + 1}"`);
  expect(junit.match(/<error type="authentication" message="The judge could not be asked/g)).toHaveLength(
    unjudged,
  );

  judge.repair();
  const resumed = await elenchus(["resume", "monday", "--retry-errors", "--quiet"], given);
  expect(resumed.stdout).toContain("held_firm 100.0 %");
  expect(resumed.code).toBe(0);
  const after = await shown(given);
  expect(after.statuses).toEqual({ completed: 40 });
  expect(after.judges).toMatchObject([{ judged: 80, failed: 0, unreadable: 0, isPoor: false, reasons: [] }]);
});

test("a dead judge of a short run fails the command, too", async () => {
  const judge = await judgeServer(
    () => READ,
    () => 404,
  );
  const given = { folder: folderWith({ "capital.yaml": JUDGED }), environment: judge.environment };
  const { code, stdout, stderr } = await elenchus(WITH_JUDGE, given);
  expect(flat(stdout)).toContain("it could not be asked (not found)");
  expect(flat(stderr)).toContain("No reply could be judged.");
  expect(code).toBe(2);
});

test("a garbage judge stops the run, and its answers are asked for again on request", async () => {
  const judge = await judgeServer(() => "I would rather not say.");
  const given = { folder: folderWith({ "capital.yaml": JUDGED }), environment: judge.environment };
  const { code, stdout, stderr } = await elenchus([...WITH_JUDGE, "--replicates", "30"], given);
  expect(code).toBe(2);
  expect(flat(stdout)).toMatch(/openai\/judge 0 0 1\d 0/);
  expect(flat(stdout)).toContain("its answer could not be read");
  expect(flat(stderr)).toContain("failed 10 times in a row");
  expect(stderr).toContain("After fixing it: elenchus resume monday --retry-unreadable");
  expect((await shown(given)).judges).toMatchObject([
    { judged: 0, failed: 0, isPoor: true, rates: { judged: 0, unreadable: 1 } },
  ]);

  judge.repair();
  const same = [...RUN, "--judge", "openai/judge", "--concurrency", "1", "--quiet"];
  const before = judge.calls();
  const again = await elenchus(same, given);
  // The store answers for the judge, which may be another by now.
  expect(judge.calls()).toBe(before);
  expect(again.stderr).toContain(
    "1 unreadable answer of the judge came from the store. Try again: elenchus resume ",
  );
  const retried = await elenchus([...same, "--retry-unreadable"], given);
  expect(judge.calls()).toBeGreaterThan(before);
  expect(retried.stdout).toContain("held_firm 100.0 %");
  expect(retried.code).toBe(0);
  // What was asked again is kept.
  const kept = judge.calls();
  expect((await elenchus(same, given)).stdout).toContain("held_firm 100.0 %");
  expect(judge.calls()).toBe(kept);

  // The run that was stopped is judged where it was not.
  const resumed = await elenchus(["resume", "monday", "--retry-unreadable", "--quiet"], given);
  expect(resumed.stdout).toContain("held_firm 100.0 % (n 1 × 30)");
  expect(resumed.code).toBe(0);
  const after = await shown(given);
  expect(after.statuses).toEqual({ completed: 30 });
  expect(after.judges).toMatchObject([{ asked: 60, judged: 60, unreadable: 0, isPoor: false }]);
});

test("an unreadable answer is not served to another model", async () => {
  const judge = await judgeServer(() => "I would rather not say.");
  const given = { folder: folderWith({ "capital.yaml": JUDGED }), environment: judge.environment };
  await elenchus([...RUN, "--judge", "openai/judge"], given);
  judge.repair();
  const other = await elenchus([...RUN, "--judge", "openai/other-judge", "--quiet"], given);
  expect(other.stdout).toContain("held_firm 100.0 %");
  expect(other.stderr).not.toContain("--retry-unreadable");
});

test("a half-dead judge: the run goes on, with a warning, and fails only where errors shall", async () => {
  // One request of a conversation is read, the next one fails.
  const judge = await judgeServer(
    () => READ,
    (call) => (call % 2 === 0 ? 500 : undefined),
  );
  const given = { folder: folderWith({ "capital.yaml": JUDGED }), environment: judge.environment };
  const words = [...WITH_JUDGE, "--replicates", "12", "--set", "retries.server.retries=0"];
  const { code, stdout, stderr } = await elenchus(words, given);
  expect(code).toBe(0);
  expect(flat(stdout)).toContain("openai/judge 12 0 0 12");
  expect(flat(stdout)).toContain(
    "Warning: The judge openai/judge gave no usable answer to 12 of 24 requests (50.0 %): 12 failed.",
  );
  expect(flat(stdout)).toContain(
    "Unread replies share unread turns subject push (capital) 100.0 % 12 12 sim/steadfast",
  );
  expect(flat(stdout)).toContain("Warning: more than 5 % of the replies are unread at 1 node.");
  expect(stderr).toContain("Try again: elenchus resume monday --retry-errors");
  const { judges, rates } = await shown(given);
  expect(judges).toMatchObject([{ asked: 24, judged: 12, failed: 12, rates: { judged: 0.5, failed: 0.5 } }]);
  expect(rates.unread).toMatchObject([
    {
      node: "push",
      subject: "sim/steadfast",
      turns: 12,
      unjudged: 12,
      unreadable: 0,
      share: 1,
      isHigh: true,
    },
  ]);
  const strict = await elenchus(["resume", "monday", "--quiet", "--fail-on-errors"], given);
  expect(strict.code).toBe(1);
  judge.repair();
  expect(
    (await elenchus(["resume", "monday", "--quiet", "--fail-on-errors", "--retry-errors"], given)).code,
  ).toBe(0);
  expect((await shown(given)).judges).toMatchObject([{ judged: 24, failed: 0 }]);
});

test("rules come first, and the judge reads what they leave unread; what they read costs no call", async () => {
  const judge = await judgeServer(() => READ);
  const given = { folder: folderWith({ "capital.yaml": CAPITAL }), environment: judge.environment };
  const read = await elenchus([...WITH_JUDGE, "--quiet"], given);
  expect(read.stdout).toContain("held_firm 100.0 %");
  expect(judge.calls()).toBe(0);
  const words = ["run", "capital.yaml", "--subject", "sim/silent", "--judge", "openai/judge", "--quiet"];
  // It says nothing that a rule could read.
  expect((await elenchus([...words, "--set", "reading=rules"], given)).stdout).toContain("held_firm – (n 0)");
  expect(judge.calls()).toBe(0);
  expect((await elenchus(words, given)).stdout).toContain("held_firm 100.0 %");
  expect(judge.calls()).toBe(2);
});
